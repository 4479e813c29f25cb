package session

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/sdk"
)

var errNoPython = errors.New("no Python in this test")

// services starts no runtime: what concerns cells is tested end to end.
func services() *Services {
	registry, _ := api.Compose("lsp", nil)
	return &Services{
		Dispatcher: api.NewDispatcher(100, hclog.NewNullLogger()),
		Scope: func(p *project.Project) *api.Scope {
			s, _ := api.NewScope(registry, nil, p != nil && p.ReadOnly)
			return s
		},
		StartRuntime: func(context.Context, *project.Project, repl.Backend) (*repl.Runtime, error) { return nil, errNoPython },
		CellTimeout:  func(*project.Project) time.Duration { return time.Second },
		Limits:       Limits{Sessions: 100, Idle: time.Hour, SnapshotAfter: 5 * time.Second},
		Log:          hclog.NewNullLogger(),
	}
}

func TestAnUnknownIdIsANewSession(t *testing.T) {
	t.Parallel()
	r := NewRegistry(services(), Place{})
	a, b := r.Get("a"), r.Get("b")
	if a == b || r.Get("a") != a || a.ID != "a" {
		t.Error("sessions are not told apart by their ids")
	}
	made := r.Create()
	if !strings.HasPrefix(made.ID, "s-") || r.Get(made.ID) != made {
		t.Errorf("created %q", made.ID)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	one, two := &project.Project{Name: "one"}, &project.Project{Name: "two"}
	r := NewRegistry(services(), Place{Project: one})
	a, b := r.Get("a"), r.Get("b")
	a.Move(Place{Project: two})
	if a.Place().Project != two || b.Place().Project != one {
		t.Error("one session's move is its own")
	}
	r.Move(Place{Project: two})
	a.Move(Place{Project: one})
	if a.Place().Project != one || b.Place().Project != two || r.Get("c").Place().Project != two {
		t.Error("the connection's move carries those that have not chosen")
	}
}

func TestARuntimeThatCannotStartIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := NewRegistry(services(), Place{}).Get("a")
	for range 2 {
		if _, err := s.Execute(t.Context(), "1", nil); !errors.Is(err, errNoPython) {
			t.Errorf("got %v", err)
		}
	}
}

func TestWaitingForAnEarlierCellEndsWithTheContext(t *testing.T) {
	t.Parallel()
	s := NewRegistry(services(), Place{}).Get("a")
	<-s.turn // a cell runs
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Execute(ctx, "1", nil); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "earlier cell") {
		t.Errorf("got %v", err)
	}
	s.turn <- struct{}{}
}

func TestTheLeastRecentlyUsedIdleSessionMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		services := services()
		services.Limits.Sessions = 10
		r := NewRegistry(services, Place{})
		for i := range 10 {
			r.Get(fmt.Sprint(i))
			time.Sleep(time.Second) // the bubble's clock
		}
		busy := r.Get("0")
		busy.enter(1) // the first is old but busy, and keeps its age
		busy.used = time.Now().Add(-time.Minute)
		r.Get("1").enter(1)
		r.Get("1").enter(-1) // used just now
		r.Get("new")
		if len(r.sessions) != 10 || r.sessions["2"] != nil || r.sessions["0"] == nil || r.sessions["1"] == nil || r.sessions["new"] == nil {
			t.Errorf("%d sessions; the least recently used idle one must go", len(r.sessions))
		}
		r.Close(t.Context())
		if len(r.sessions) != 0 {
			t.Errorf("%d sessions after Close", len(r.sessions))
		}
		if _, err := r.Execute(t.Context(), "a", "1", nil); !errors.Is(err, errClosed) {
			t.Errorf("a cell after Close: %v", err)
		}
	})
}

func TestIdleSessionsAreClosedByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry(services(), Place{})
		left := func() int {
			synctest.Wait()
			r.mu.Lock()
			defer r.mu.Unlock()
			return len(r.sessions)
		}
		a := r.Get("a")
		a.enter(1)
		time.Sleep(30 * time.Minute)
		r.Get("b")
		time.Sleep(50 * time.Minute)
		a.enter(-1)
		if n := left(); n != 2 {
			t.Errorf("%d sessions after 80 minutes, want 2: one was busy, one is 50 minutes old", n)
		}
		time.Sleep(11 * time.Minute) // b's hour is over; nobody asked for a session
		if n := left(); n != 1 {
			t.Errorf("%d sessions, want the one that has just been busy", n)
		}
		time.Sleep(61 * time.Minute)
		if n := left(); n != 0 {
			t.Errorf("%d sessions, want none", n)
		}
		r.Close(t.Context())
	})
}

// TestPlacesAndNewSessionsDoNotWaitForEachOther once deadlocked: the two locks were taken in both orders.
func TestPlacesAndNewSessionsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	r := NewRegistry(services(), Place{})
	s := r.Get("a")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2000 {
			r.Get(fmt.Sprint(i % 150))
		}
	}()
	for range 2000 {
		s.Place()
		s.Generation()
	}
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("deadlock")
	}
}

// TestARunningCellStaysWhereItBegan activates another project in the middle of a cell.
func TestARunningCellStaysWhereItBegan(t *testing.T) {
	t.Parallel()
	one, two := &project.Project{Name: "one", Root: "/one"}, &project.Project{Name: "two", Root: "/two", ReadOnly: true}
	r := NewRegistry(services(), Place{Project: one})
	s := r.Get("a")
	if err := s.beginCell(s.Place(), func() {}, nil); err != nil {
		t.Fatal(err)
	}
	began := s.Generation()
	r.Move(Place{Project: two})
	s.Move(Place{Project: two})
	if s.Root() != "/one" || s.caller().Project != one || s.Generation() != began || s.Place().Project != two {
		t.Errorf("during the cell: root %s, project %s", s.Root(), s.caller().Project.Name)
	}
	s.endCell()
	if s.Root() != "/two" || s.caller().Project != two {
		t.Errorf("after the cell: root %s, project %s", s.Root(), s.caller().Project.Name)
	}
}

func TestTooManyWaitingCellsAreRefused(t *testing.T) {
	t.Parallel()
	s := NewRegistry(services(), Place{}).Get("a")
	<-s.turn // a cell runs
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	for range maxWaiting {
		waiting.Go(func() { _ = s.takeTurn(ctx) })
	}
	for bound := limited(t); s.waiting.Load() < maxWaiting; runtime.Gosched() {
		if bound.Err() != nil {
			t.Fatal("the cells never waited")
		}
	}
	if err := s.takeTurn(t.Context()); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "the session a is busy: 32 cells wait") {
		t.Errorf("got %v", err)
	}
	cancel()
	waiting.Wait()
	s.turn <- struct{}{}
	if err := s.takeTurn(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
