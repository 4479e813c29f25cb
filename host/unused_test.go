//go:build unix

package host

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/config"
)

func TestProjectsThatNobodyUsesAreClosed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cfg, err := config.Load(config.Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a, b := t.TempDir(), t.TempDir()
	h := New(t.Context(), Options{Config: cfg, Builtins: []Builtin{{Plugin: diary()}}, Self: self, Project: a, Log: hclog.NewNullLogger()})
	h.linger = time.Millisecond
	t.Cleanup(func() { h.Close(context.WithoutCancel(t.Context())) })
	placeA, placeB := h.Sessions.Place(), h.Open(t.Context(), b)
	if placeA.Fault != nil || placeB.Fault != nil {
		t.Fatal(placeA.Fault, placeB.Fault)
	}
	if err := h.Plugins.Start(t.Context(), "diary", placeA.Project, placeB.Project); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer(placeA.Project.ID, "a", placeB.Project.ID, "b")
	until := func(want string) {
		t.Helper()
		deadline := time.NewTimer(20 * time.Second)
		defer deadline.Stop()
		for {
			data, _ := os.ReadFile(filepath.Join(home, "diary"))
			got := strings.ReplaceAll(strings.TrimSpace(names.Replace(string(data))), "\n", ", ")
			if got == want {
				return
			}
			select {
			case <-deadline.C:
				t.Fatalf("the diary says %q, not %q", got, want)
			case <-time.After(2 * time.Millisecond):
			}
		}
	}
	// One session stays in a when the connection leaves it, one goes to b.
	h.Sessions.Get("stays").Move(placeA)
	until("opened a, opened b, closed b")
	h.Sessions.Move(placeB)
	if err := h.Plugins.Start(t.Context(), "diary", placeB.Project); err != nil {
		t.Fatal(err)
	}
	h.Sessions.Get("goes").Move(placeB)
	until("opened a, opened b, closed b, opened b")
	h.Sessions.Get("stays").Move(placeB)
	until("opened a, opened b, closed b, opened b, closed a")
}
