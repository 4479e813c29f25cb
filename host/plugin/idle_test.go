//go:build unix

package plugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/process"
)

func TestIdle_isStoppedAndStartedAgain(t *testing.T) {
	t.Parallel()
	p := newTrialWith(t, rolePlugin, Options{Home: t.TempDir(), IdleAfter: 100 * time.Millisecond})
	req := request("pid")
	req.Project = someProject(t, "p1")
	first := get[int](t, p, req)
	eventually(t, patience, "the idle process's end", func() bool { return !process.Alive(first) })
	eventually(t, patience, "the state", func() bool { return p.Status()[0].State == Idle })
	if s := p.Status()[0]; s.Pid != 0 || s.LastEnd != "it was stopped after 100ms without a call" {
		t.Errorf("%+v", s)
	}
	if second := get[int](t, p, req); second == first || p.Status()[0].Starts != 2 {
		t.Errorf("%d, then %d: %+v", first, second, p.Status()[0])
	}
	if strings.Contains(p.log.String(), "ended by itself") {
		t.Errorf("an idle stop is taken for a crash:\n%s", p.log)
	}
}

func TestIdle_neverDuringACall(t *testing.T) {
	t.Parallel()
	p := newTrialWith(t, rolePlugin, Options{Home: t.TempDir(), IdleAfter: time.Nanosecond})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				get[string](t, p, request("echo", "text", "x"))
			}
		})
	}
	all.Wait()
	eventually(t, patience, "the idle process's end", func() bool { return p.Status()[0].State == Idle })
}

func TestIdle_longLivedStays(t *testing.T) {
	t.Parallel()
	m := New(Options{Home: t.TempDir(), Host: &fakeHost{}, IdleAfter: time.Nanosecond})
	defer m.Stop(t.Context())
	spec := trialSpec(t, roleLongLived)
	spec.Manifest.LongLived = true
	p := m.Provider(spec)
	for range 5 {
		if a, b := get[int](t, p, request("pid")), get[int](t, p, request("pid")); a != b {
			t.Errorf("%d, then %d", a, b)
		}
	}
	m.instances[0].mu.Lock()
	defer m.instances[0].mu.Unlock()
	if m.instances[0].idle != nil {
		t.Error("it is to be stopped as idle")
	}
}

// openedIn is what the plugin was told of projects; the call's own comes last.
func openedIn(t *testing.T, p *trial, id string) []string {
	t.Helper()
	req := request("opened")
	req.Project = someProject(t, id)
	got := get[[]string](t, p, req)
	return got[:len(got)-1]
}

func TestCloseProject_waitsForCallsAndOpensAgain(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	begun, ended := make(chan struct{}), make(chan error, 1)
	file := filepath.Join(t.TempDir(), "waited")
	ctx, cancel := contextOf(t)
	go func() {
		req := request("wait", "text", file)
		req.Project = someProject(t, "a")
		req.Progress = func(float64, float64, string) { close(begun) }
		_, err := p.Call(ctx, req)
		ended <- err
	}()
	<-begun
	if got := p.Projects(); len(got) != 1 || got[0] != "a" {
		t.Errorf("known %q", got)
	}
	p.CloseProject(t.Context(), "a")
	if got := openedIn(t, p, "b"); strings.Join(got, ", ") != "a, b" {
		t.Errorf("while its call is under way: %q", got)
	}
	cancel()
	<-ended
	p.CloseProject(t.Context(), "a") // in vain or not, it is closed once
	eventually(t, patience, "the end of a", func() bool { return strings.Join(openedIn(t, p, "b"), ", ") == "a, b, closed a" })
	if got := openedIn(t, p, "a"); strings.Join(got, ", ") != "a, b, closed a, a" {
		t.Errorf("opened again: %q", got)
	}
}

func TestCloseProject_amidCallsLosesNone(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	done := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				p.CloseProject(t.Context(), "a")
			}
		}
	})
	for range 300 {
		openedIn(t, p, "a") // fails when the plugin does not know the project
	}
	close(done)
	all.Wait()
}

func TestHosts(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "[home]")
	p := newTrialWith(t, rolePlugin, Options{Home: home})
	if got := Hosts(home); got != nil {
		t.Errorf("before a start: %+v", got)
	}
	pid := get[int](t, p, request("pid"))
	find := func() (s Status) {
		for _, h := range Hosts(home) {
			if h.Pid == os.Getpid() && len(h.Plugins) == 1 {
				s = h.Plugins[0]
			}
		}
		return s
	}
	eventually(t, patience, "the running plugin", func() bool {
		s := find()
		return s.State == Running && s.Pid == pid && s.Starts == 1 && s.Name == "trial"
	})
	kill(t, pid)
	eventually(t, patience, "its end", func() bool {
		s := find()
		return s.State == Gone && s.Pid == 0 && strings.Contains(s.LastEnd, "killed")
	})

	// What a dead host left is ignored, and removed once it is certain that nobody is about to own it.
	dead := filepath.Join(home, bulletinFolder, "1-dead")
	data, err := json.Marshal(HostState{Pid: 1, Plugins: []Status{{Name: "ghost"}}})
	if err != nil {
		t.Fatal(err)
	}
	for suffix, content := range map[string][]byte{stateSuffix: data, lockSuffix: nil} {
		if err := os.WriteFile(dead+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, old := range []bool{false, true} {
		if old {
			past := time.Now().Add(-2 * settleTime)
			if err := os.Chtimes(dead+lockSuffix, past, past); err != nil {
				t.Fatal(err)
			}
		}
		for _, h := range Hosts(home) {
			if h.Pid == 1 {
				t.Errorf("a dead host is told of: %+v", h)
			}
		}
		if _, err := os.Stat(dead + stateSuffix); (err != nil) != old {
			t.Errorf("old %v: %v", old, err)
		}
	}
	p.Stop(t.Context())
	left, err := os.ReadDir(filepath.Join(home, bulletinFolder))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v %v", left, err)
	}
	if got := Hosts(home); got != nil {
		t.Errorf("after Stop %+v", got)
	}
}

func TestStatus_tellsWhyAProjectCouldNotBeOpened(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := newTrialWith(t, rolePlugin, Options{Home: home})
	req := request("echo", "text", "x")
	req.Project = someProject(t, "p1")
	req.Project.Name = "refused"
	err := fails(t, p, req)
	if s := p.Status()[0]; s.LastFault != err.Error() || !strings.Contains(s.LastFault, "not this one") {
		t.Errorf("%+v, %v", s, err)
	}
	eventually(t, patience, "the published fault", func() bool {
		hosts := Hosts(home)
		return len(hosts) == 1 && len(hosts[0].Plugins) == 1 && hosts[0].Plugins[0].LastFault == err.Error()
	})
}
