//go:build unix

package plugin

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

func TestManager_killedWhileIdle(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	proj := someProject(t, "p1")
	req := request("pid")
	req.Project = proj
	for range 3 {
		first := get[int](t, p, req)
		kill(t, first)
		if second := get[int](t, p, req); second == first || second == 0 {
			t.Fatalf("pid %d after %d was killed", second, first)
		}
	}
	// Each fresh process is told of the project once.
	req = request("opened")
	req.Project = proj
	if got := get[[]string](t, p, req); len(got) != 2 || got[0] != "p1" {
		t.Errorf("opened %q", got)
	}
}

// A process that was asked to end still takes connections for a moment. A call that comes then is made on a fresh process; one
// that the end hits is told so, and nothing else.
func TestManager_askedToEndWhileIdle(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	for range 3 {
		first := get[int](t, p, request("pid"))
		if err := syscall.Kill(first, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		for {
			out, err := p.Call(ctx, request("pid"))
			if err != nil && !errors.Is(err, ErrGone) {
				t.Fatal(err)
			}
			if err == nil && string(out.Value) != strconv.Itoa(first) { // the signal may take longer than a call
				break
			}
		}
	}
}

func TestManager_crashInMidCall(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	err := fails(t, p, request("crash", "n", 7))
	if !errors.Is(err, ErrGone) || !sdk.IsKind(err, sdk.KindConnection) {
		t.Errorf("%T %v", err, err)
	}
	mustContain(t, err.Error(), "plugin trial: trial.crash", "exit code 7", "[ERROR] about to crash code=7", "a fresh process is started with the next call")
	if got := get[string](t, p, request("echo", "text", "again")); got != "again" {
		t.Errorf("after the crash %q", got)
	}
	mustContain(t, p.log.String(), "[ERROR] host.trial: about to crash: code=7", "[WARN]  host: plugin ended by itself")
}

func TestManager_panicIsExplained(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	err := fails(t, p, request("broken"))
	if !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	mustContain(t, err.Error(), "panic: as ordered", "exit code 2")
}

func TestManager_killedInMidCallHitsAllCallsInFlight(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	pid := get[int](t, p, request("pid"))
	errs := make([]error, 5)
	var begun, all sync.WaitGroup
	for i := range errs {
		begun.Add(1)
		all.Go(func() {
			req := request("hang")
			req.Progress = func(float64, float64, string) { begun.Done() }
			errs[i] = fails(t, p, req)
		})
	}
	begun.Wait()
	kill(t, pid)
	all.Wait()
	for _, err := range errs {
		if !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "killed by signal: killed") {
			t.Errorf("%v", err)
		}
	}
	get[string](t, p, request("echo", "text", "x"))
}

func TestManager_restartLimit(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	for range crashLimit {
		if err := fails(t, p, request("crash", "n", 9)); !errors.Is(err, ErrGone) {
			t.Fatal(err)
		}
		eventually(t, patience, "the crash to be recorded", func() bool { return p.Status()[0].State != Running })
	}
	err := fails(t, p, request("echo", "text", "x"))
	if !errors.Is(err, ErrDown) {
		t.Errorf("%v", err)
	}
	mustContain(t, err.Error(), "5 times within 1m0s", "stays down until ", "exit code 9")
	if s := p.Status()[0]; s.State != Down || s.Starts != crashLimit {
		t.Errorf("%+v", s)
	}
	i := p.all()[0]
	i.mu.Lock()
	i.now = func() time.Time { return time.Now().Add(crashWindow) }
	i.mu.Unlock()
	get[string](t, p, request("echo", "text", "x"))
}

func TestManager_endDuringOpenIsNoEndOfTheCall(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	proj := someProject(t, "p3")
	proj.Name = "deadly"
	req := request("echo", "text", "x")
	req.Project = proj
	if got := get[string](t, p, req); got != "x" {
		t.Errorf("%q", got)
	}
	if s := p.Status()[0]; s.Starts != 2 {
		t.Errorf("%+v", s)
	}
}
