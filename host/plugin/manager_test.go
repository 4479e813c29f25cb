//go:build unix

package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

func TestManager_firstCallStarts(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	if s := p.Status(); len(s) != 1 || s[0].State != Idle || s[0].Pid != 0 {
		t.Errorf("before the call %+v", s)
	}
	if got := get[string](t, p, request("echo", "text", "grüß dich\x00")); got != "grüß dich\x00" {
		t.Errorf("echo %q", got)
	}
	s := p.Status()[0]
	if s.State != Running || s.Starts != 1 || s.Pid != get[int](t, p, request("pid")) {
		t.Errorf("after the call %+v", s)
	}
}

func TestManager_manyFirstCallsStartOneProcess(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	proj := someProject(t, "p1")
	pids := make([]int, 20)
	var all sync.WaitGroup
	for i := range pids {
		all.Go(func() {
			req := request("pid")
			req.Project = proj
			pids[i] = get[int](t, p, req)
		})
	}
	all.Wait()
	if slices.Min(pids) != slices.Max(pids) || pids[0] == 0 {
		t.Errorf("pids %v", pids)
	}
	req := request("opened")
	req.Project = proj
	want := []string{"p1", "call p1 " + proj.Root + " name of p1 utf-8 /data"}
	if got := get[[]string](t, p, req); !slices.Equal(got, want) {
		t.Errorf("opened %q, want %q", got, want)
	}
	if s := p.Status()[0]; s.Starts != 1 {
		t.Errorf("%+v", s)
	}
}

func TestManager_cancelledFirstCallerLeavesTheStartToOthers(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	first, cancel := context.WithCancel(t.Context())
	i := p.all()[0]
	_, f, err := i.present(first)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	cancel()
	if err := f.wait(first); !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller got %v", err)
	}
	get[string](t, p, request("echo", "text", "x"))
	if s := p.Status()[0]; s.Starts != 1 {
		t.Errorf("%+v", s)
	}
}

func TestManager_cancelReachesThePlugin(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	file := filepath.Join(t.TempDir(), "cancelled")
	ctx, cancel := context.WithCancel(t.Context())
	req := request("wait", "text", file)
	req.Progress = func(float64, float64, string) { cancel() }
	if _, err := p.Call(ctx, req); !errors.Is(err, context.Canceled) || errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	eventually(t, patience, "the plugin's context to end", func() bool {
		data, _ := os.ReadFile(file)
		return string(data) == context.Canceled.Error()
	})

	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := p.Call(short, request("wait", "text", file)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if s := p.Status()[0]; s.Starts != 1 || s.State != Running {
		t.Errorf("%+v", s)
	}
}

func TestManager_sizes(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	big := strings.Repeat("ab", 5<<19) // 5 MiB
	if got := get[string](t, p, request("echo", "text", big)); got != big {
		t.Errorf("%d bytes came back", len(got))
	}
	err := fails(t, p, request("size", "n", wire.MaxValueBytes+1))
	if !sdk.IsKind(err, sdk.KindValue) {
		t.Errorf("%v", err)
	}
	mustContain(t, err.Error(), "more than the 66060288 that can be sent: ask for less")
	err = fails(t, p, request("echo", "text", strings.Repeat("x", wire.MaxValueBytes)))
	if !sdk.IsKind(err, sdk.KindValue) {
		t.Errorf("%v", err)
	}
	mustContain(t, err.Error(), "the arguments have 66060299 bytes") // {"text":""} has 11
	get[string](t, p, request("echo", "text", "still there"))
	if s := p.Status()[0]; s.Starts != 1 {
		t.Errorf("%+v", s)
	}
}

func TestManager_failuresKeepTheirKind(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	err := fails(t, p, request("fail", "text", "MadeUpError"))
	var e *sdk.Error
	if !errors.As(err, &e) || e.Kind != "MadeUpError" || e.Message != "it was asked to" || string(e.Data) != `{"n":1}` || e.Listing {
		t.Errorf("%#v", err)
	}
	err = fails(t, p, request("list", "text", "a, b"))
	if !errors.As(err, &e) || e.Kind != sdk.KindValue || e.Message != "choose one of a, b" || string(e.Data) != `["a","b"]` || !e.Listing {
		t.Errorf("%#v", err)
	}
	err = fails(t, p, request("nothing"))
	if !sdk.IsKind(err, sdk.KindAttribute) {
		t.Errorf("%v", err)
	}
}

func TestManager_progressInOrder(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	var got []string
	req := request("steps", "n", 3)
	req.Progress = func(done, total float64, message string) {
		data, _ := json.Marshal([]any{done, total, message})
		got = append(got, string(data))
	}
	get[int](t, p, req)
	if want := []string{`[1,3,"step 1"]`, `[2,3,"step 2"]`, `[3,3,"step 3"]`}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	get[int](t, p, request("steps", "n", 100)) // nobody listens
}

func TestManager_render(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	req := request("shape", "corners", 4, "letter", 2)
	req.Render = true
	out, err := p.Call(t.Context(), req)
	if err != nil || string(out.Value) != `{"corners":4}` || out.Type != "Shape" || string(out.Policy) != `{"letter":2}` || out.Text != "cccc" {
		t.Errorf("%+v %v", out, err)
	}
	if text, err := p.Render(t.Context(), "Shape", json.RawMessage(`{"corners":2}`), out.Policy); text != "cc" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if _, err := p.Render(t.Context(), "Shap", json.RawMessage(`{}`), nil); !sdk.IsKind(err, sdk.KindLookup) {
		t.Errorf("%v", err)
	}
}

func TestManager_openFailure(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	proj := someProject(t, "p2")
	proj.Name = "refused"
	req := request("opened")
	req.Project = proj
	if err := fails(t, p, req); !sdk.IsKind(err, sdk.KindValue) || err.Error() != "not this one" {
		t.Errorf("%v", err)
	}
	if got := get[[]string](t, p, req); len(got) != 3 || got[1] != "p2" { // it is tried again
		t.Errorf("%q", got)
	}
	p.CloseProject(t.Context(), "p2")
	p.CloseProject(t.Context(), "never opened")
	if got := get[[]string](t, p, req); len(got) != 5 || got[2] != "closed p2" || got[3] != "p2" {
		t.Errorf("%q", got)
	}
}

func TestManager_startWarms(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	proj := someProject(t, "p1")
	if err := p.Start(t.Context(), "trial", proj); err != nil {
		t.Fatal(err)
	}
	if s := p.Status()[0]; s.State != Running {
		t.Errorf("%+v", s)
	}
	req := request("opened")
	req.Project = proj
	if got := get[[]string](t, p, req); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestManager_twoPluginsOfOneName(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	var other api.Provider = p.Provider
	if same := p.Manager.Provider(trialSpec(t, rolePlugin)); get[int](t, same, request("pid")) != get[int](t, other, request("pid")) {
		t.Error("one spec, two processes")
	}
	spec := trialSpec(t, rolePlugin)
	spec.Command = append(spec.Command, "another")
	if get[int](t, p.Manager.Provider(spec), request("pid")) == get[int](t, other, request("pid")) {
		t.Error("two programs, one process")
	}
}

func TestManager_stop(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	children := get[[]int](t, p, request("spawn"))
	pid := p.Status()[0].Pid
	folder, err := p.socketPath()
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(t.Context())
	for _, pid := range append(children, pid) {
		if process.Alive(pid) {
			t.Errorf("%d lives", pid)
		}
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", folder, err)
	}
	if err := fails(t, p, request("pid")); !errors.Is(err, ErrStopped) {
		t.Errorf("%v", err)
	}
	if err := fails(t, p.Manager.Provider(Spec{Name: "late", Command: []string{"x"}}), request("pid")); !errors.Is(err, ErrStopped) {
		t.Errorf("%v", err)
	}
	p.Stop(t.Context()) // once more does nothing
}

func TestManager_stopWhileStartingAndWhileHanging(t *testing.T) {
	t.Parallel()
	p := newTrial(t, roleNoHandshake)
	_, f, err := p.all()[0].present(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(t.Context())
	if err := f.wait(t.Context()); !errors.Is(err, ErrStopped) {
		t.Errorf("%v", err)
	}

	p = newTrial(t, rolePlugin)
	begun := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		req := request("hang")
		req.Progress = func(float64, float64, string) { close(begun) }
		_, err := p.Call(t.Context(), req)
		ended <- err
	}()
	<-begun
	p.Stop(t.Context())
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
}
