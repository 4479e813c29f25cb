package session

import (
	"context"
	"encoding/json"
	"os"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/repl"
)

var _ repl.Backend = (*Session)(nil)

// Scope is what the session may call at this moment: during a cell, what it could when the cell began.
func (s *Session) Scope() *api.Scope { return s.services.Scope(s.at().Project) }

func (s *Session) caller() api.Caller {
	p := s.at()
	return api.Caller{Session: s.ID, Project: p.Project, Fault: p.Fault, Scope: s.services.Scope(p.Project), Progress: s.reportProgress}
}

// reportProgress passes what a call tells on to whoever waits for the cell.
func (s *Session) reportProgress(done, total float64, message string) {
	s.mu.Lock()
	progress := s.progress
	s.mu.Unlock()
	if progress != nil {
		progress(done, total, message)
	}
}

// Generation identifies what `s` is made of.
func (s *Session) Generation() string { return s.Scope().Digest() }

// Root is the folder of the session's project; without one cells work in the host's own.
func (s *Session) Root() string {
	if p := s.at().Project; p != nil {
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
	return s.Pin()(ctx, req)
}

// Pin fixes the caller of calls that belong together, whatever is activated between them.
func (s *Session) Pin() func(context.Context, repl.CallRequest) (api.Outcome, error) {
	caller := s.caller()
	return func(ctx context.Context, req repl.CallRequest) (api.Outcome, error) {
		return s.services.Dispatcher.Call(ctx, caller, api.Call{Facade: req.Facade, Method: req.Method, Args: req.Args})
	}
}

// Render shows a result for a cell. How long an answer may be that the result's policy asks for is noted for the cell's own.
func (s *Session) Render(ctx context.Context, facade, typeName string, value, policy json.RawMessage) (string, error) {
	var asked struct {
		Chars int `json:"max_answer_chars"`
	}
	if json.Unmarshal(policy, &asked) == nil { // a policy without it asks for nothing
		s.mu.Lock()
		s.asked = max(s.asked, asked.Chars)
		s.mu.Unlock()
	}
	return s.services.Dispatcher.Render(ctx, s.caller(), facade, typeName, value, policy)
}

func (s *Session) askedChars() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Info documents items for a cell; a type that the session was told of is not repeated inside another.
func (s *Session) Info(_ context.Context, items []string) (string, error) {
	scope := s.Scope()
	s.mu.Lock()
	defer s.mu.Unlock()
	return scope.Document(items, s.described), nil
}
