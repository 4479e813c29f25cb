//go:build unix

package plugin

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

func TestStart_programsThatAreNoPlugins(t *testing.T) {
	t.Parallel()
	for role, c := range map[string]struct {
		kind string
		want []string
	}{
		roleGarbage:     {sdk.KindRuntime, []string{`printed "hello, I am no plugin" first, where the handshake belongs`}},
		roleProtocol:    {sdk.KindRuntime, []string{"answered in version 99 of the protocol, and this serena speaks [1]: build the plugin with sdk 1.0"}},
		roleExits:       {sdk.KindRuntime, []string{"ended before it was ready", "exit code 3", "manifest\" to see", "it said:\nno licence found"}},
		roleNoHandshake: {sdk.KindTimeout, []string{"was not ready within 400ms and was killed", "thinking about it"}},
		roleOther:       {sdk.KindRuntime, []string{"plugin trial was changed since its declaration was read: restart serena"}},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			limit := 10 * time.Second
			if role == roleNoHandshake {
				limit = 400 * time.Millisecond
			}
			p := newTrialWith(t, role, Options{Home: t.TempDir(), StartTimeout: limit})
			err := fails(t, p, request("pid"))
			if !sdk.IsKind(err, c.kind) {
				t.Errorf("%v", err)
			}
			mustContain(t, err.Error(), append(c.want, "plugin trial")...)
			s := p.Status()[0]
			if s.State != Gone || s.Pid != 0 || s.LastEnd != err.Error() {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestStart_missingProgram(t *testing.T) {
	t.Parallel()
	m := New(Options{Home: t.TempDir(), Host: &fakeHost{}})
	defer m.Stop(t.Context())
	spec := trialSpec(t, rolePlugin)
	spec.Command[0] = "/does/not/exist"
	err := fails(t, m.Provider(spec), request("pid"))
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	mustContain(t, err.Error(), "plugin trial cannot be started as /does/not/exist", "check that the program exists")
}

func TestStart_environment(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	got := get[[]string](t, p, request("environ"))
	for _, name := range got {
		if !allowed(name) && !slices.Contains([]string{"SERENA_HOME", sdk.LifelineVariable, "SERENA_PLUGIN", process.OwnerVariable}, name) && !strings.HasPrefix(name, "PLUGIN_") {
			t.Errorf("the plugin sees %s", name)
		}
	}
	for _, name := range []string{"PATH", "SERENA_HOME"} {
		if !slices.Contains(got, name) {
			t.Errorf("the plugin does not see %s but %q", name, got)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	all := []string{"PATH=/bin", "LC_ALL=C", "XDG_CACHE_HOME=/c", "TOKEN=secret", "SERENA_HOME=/old", "SERENA_PLUGIN=x", "SERENA_LIFELINE_FD=3", "SERENA_OWNER=o", "SERENA_HOST_MARK=m", "Path=C:", "HOMEBREW=1"}
	if got, want := environment(all, false, "/home"), []string{"PATH=/bin", "LC_ALL=C", "XDG_CACHE_HOME=/c", "SERENA_HOST_MARK=m", "Path=C:", "SERENA_HOME=/home"}; !slices.Equal(got, want) {
		t.Errorf("allow-list: %q", got)
	}
	want := []string{"PATH=/bin", "LC_ALL=C", "XDG_CACHE_HOME=/c", "TOKEN=secret", "SERENA_HOST_MARK=m", "Path=C:", "HOMEBREW=1", "SERENA_HOME=/home"}
	if got := environment(all, true, "/home"); !slices.Equal(got, want) {
		t.Errorf("whole: %q", got)
	}
}

func TestStart_streams(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	if got := get[string](t, p, request("stdin")); got != "" {
		t.Errorf("the plugin read %q from stdin", got)
	}
	if got := get[string](t, p, request("print", "text", strings.Repeat("to stdout ", 100))); got != "printed" {
		t.Errorf("%q", got)
	}
	get[string](t, p, request("flood", "n", 5000))
	get[string](t, p, request("echo", "text", "x"))
	log := p.log.String()
	if lines := strings.Count(log, "flood"); lines == 0 || lines > logBurst+logPerSecond {
		t.Errorf("%d lines of the flood were logged", lines)
	}
	for line := range strings.Lines(log) {
		if len(line) > maxLogLine+200 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

func TestHostService_allServices(t *testing.T) {
	t.Parallel()
	host := &fakeHost{}
	p := newTrialWith(t, rolePlugin, Options{Home: t.TempDir(), Host: host})
	req := request("edit", "text", strings.Repeat("y", 5<<20))
	req.Project, req.Token = someProject(t, "p1"), "token-1"
	want := []string{"write 41 <nil>", "changes {true 42 [{p 2}]} <nil>", "report <nil> <nil>", "call answer <nil>", "call <nil> no such method"}
	if got := get[[]string](t, p, req); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	host.mu.Lock()
	defer host.mu.Unlock()
	if want := []string{"changes p1 7\n", "report p1 [x y]\n", "call token-1 other method {\"n\":1}\n", "call token-1 other missing {}\n"}; !slices.Equal(host.asked, want) {
		t.Errorf("%q", host.asked)
	}
	if host.token != "token-1" || len(host.changes) != 4 {
		t.Fatalf("%q, %d changes", host.token, len(host.changes))
	}
	c := host.changes
	if e := c[0]; e.Path != "a" || e.Base != "base" || e.Whole || len(e.Edits) != 1 || e.Edits[0].Start != 1 || e.Edits[0].End != 3 || string(e.Edits[0].Text) != "é" {
		t.Errorf("%+v", e)
	}
	if w := c[1]; w.Path != "b" || w.Base != sdk.Absent || !w.Whole || len(w.Content) != 5<<20 || w.Delete || w.To != "" {
		t.Errorf("%s %s %v %d", w.Path, w.Base, w.Whole, len(w.Content))
	}
	if d := c[2]; !d.Delete || d.Path != "c" || d.Base != "old" {
		t.Errorf("%+v", d)
	}
	if r := c[3]; r.To != "e" || r.Path != "d" || r.Base != "old" {
		t.Errorf("%+v", r)
	}
}
