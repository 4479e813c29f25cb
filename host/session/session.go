package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

// Place is where a session works: a project, or the reason why there is none.
type Place struct {
	Project *project.Project
	Fault   error
}

// Services is what sessions need of the host.
type Services struct {
	Dispatcher *api.Dispatcher
	// Scope tells what is allowed in a project (nil: without one), by the configuration and plugins of this moment.
	Scope func(p *project.Project) *api.Scope
	// StartRuntime starts a Python runtime that works for the session.
	StartRuntime func(ctx context.Context, p *project.Project, backend repl.Backend) (*repl.Runtime, error)
	// CellTimeout is the longest time of a cell in a project.
	CellTimeout func(p *project.Project) time.Duration
}

// Session is one conversation. Its methods may be called concurrently; cells run one after the other.
type Session struct {
	ID       string
	services *Services
	place    func() Place // the connection's, while the session has not chosen its own

	mu        sync.Mutex // guards the fields below; no other lock is taken under it
	own       *Place
	described map[string]bool
	used      time.Time
	busy      int // calls under way: a busy session is never evicted

	cell    chan struct{} // holds one token: taken by the cell that runs
	runtime *repl.Runtime // only touched by the holder of the token
}

var _ repl.Backend = (*Session)(nil)

func newSession(id string, s *Services, place func() Place) *Session {
	out := &Session{ID: id, services: s, place: place, described: map[string]bool{}, used: time.Now(), cell: make(chan struct{}, 1)}
	out.cell <- struct{}{}
	return out
}

// Place tells where the session works.
func (s *Session) Place() Place {
	s.mu.Lock()
	own := s.own
	s.mu.Unlock()
	if own != nil {
		return *own
	}
	return s.place() // takes the registry's lock, which is taken before a session's
}

// Move gives the session a place of its own.
func (s *Session) Move(p Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.own = &p
}

// Scope is what the session may call at this moment.
func (s *Session) Scope() *api.Scope { return s.services.Scope(s.Place().Project) }

func (s *Session) caller() api.Caller {
	p := s.Place()
	return api.Caller{Session: s.ID, Project: p.Project, Fault: p.Fault, Scope: s.services.Scope(p.Project)}
}

// Execute runs a cell and waits for its end. An error means that no cell ran, or that the runtime ended: it says what was
// lost and the next cell runs on a fresh runtime. Cancelling ctx interrupts the cell.
func (s *Session) Execute(ctx context.Context, code string) (repl.Result, error) {
	s.enter(1)
	defer s.enter(-1)
	select {
	case <-s.cell:
	case <-ctx.Done():
		return repl.Result{}, fmt.Errorf("cancelled while an earlier cell of the session was still running: %w", ctx.Err())
	}
	defer func() { s.cell <- struct{}{} }()
	p := s.Place().Project
	if s.runtime != nil && ended(s.runtime) {
		s.runtime = nil
	}
	if s.runtime == nil {
		rt, err := s.services.StartRuntime(ctx, p, s)
		if err != nil {
			return repl.Result{}, err
		}
		s.runtime = rt
	}
	return s.runtime.Execute(ctx, code, s.services.CellTimeout(p))
}

func ended(r *repl.Runtime) bool {
	select {
	case <-r.Done():
		return true
	default:
		return false
	}
}

func (s *Session) enter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += n
	s.used = time.Now()
}

// close ends the runtime, also one that is in the middle of a cell.
func (s *Session) close(ctx context.Context) {
	select {
	case <-s.cell:
	case <-ctx.Done():
		return // the cell's own call has the same deadline and ends the runtime
	}
	if s.runtime != nil {
		s.runtime.Close(ctx)
		s.runtime = nil
	}
	s.cell <- struct{}{}
}

// Generation identifies what `s` is made of.
func (s *Session) Generation() string { return s.Scope().Digest() }

// Root is the folder of the session's project; without one cells work in the host's own.
func (s *Session) Root() string {
	if p := s.Place().Project; p != nil {
		return p.Root
	}
	root, err := os.Getwd()
	if err != nil {
		return "" // cells stay where the runtime was started
	}
	return root
}

// Bindings describes `s` for the runtime.
func (s *Session) Bindings(context.Context) (json.RawMessage, error) { return s.Scope().Bindings() }

// Call runs a facade's method for a cell.
func (s *Session) Call(ctx context.Context, req repl.CallRequest) (api.Outcome, error) {
	return s.services.Dispatcher.Call(ctx, s.caller(), req.Facade, req.Method, req.Args, false)
}

// Render shows a result for a cell.
func (s *Session) Render(ctx context.Context, facade, typeName string, value, policy json.RawMessage) (string, error) {
	return s.services.Dispatcher.Render(ctx, s.caller(), facade, typeName, value, policy)
}

// Info documents items for a cell; a type that the session was told of is not repeated inside another.
func (s *Session) Info(_ context.Context, items []string) (string, error) {
	scope := s.Scope()
	s.mu.Lock()
	defer s.mu.Unlock()
	return scope.Document(items, s.described), nil
}
