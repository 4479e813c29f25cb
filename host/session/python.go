package session

import (
	"context"
	"fmt"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

// ensureRuntime starts a runtime if there is none, with the variables that were kept. The notes tell of those that are missing.
func (s *Session) ensureRuntime(ctx context.Context, p *project.Project) (notes []string, err error) {
	lost := ""
	if s.runtime != nil && ended(s.runtime) {
		lost = fmt.Sprintf("between two cells %v. %s", s.runtime.Err(), s.fate())
		s.dropRuntime(ctx)
	}
	if s.runtime != nil {
		return nil, nil
	}
	if s.earlier != nil {
		select {
		case <-s.earlier:
			s.earlier = nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err = s.startRuntime(ctx, p); err != nil {
		return nil, err
	}
	s.changed, s.ran = false, false
	if lost != "" {
		notes = append(notes, lost)
	}
	revived, err := s.revive(ctx, p)
	return append(notes, revived...), err
}

// dropRuntime ends a runtime that is of no use any more.
func (s *Session) dropRuntime(ctx context.Context) {
	if err := s.runtime.Close(ctx); err != nil {
		s.services.Log.Error("a session's Python is left", "session", s.ID, "error", err)
	}
	s.runtime = nil
	<-s.settled // it does not take long
}

func ended(r *repl.Runtime) bool {
	select {
	case <-r.Done():
		return true
	default:
		return false
	}
}

// startRuntime starts the session's Python. When it ends, in whatever way, what it left open is taken back.
func (s *Session) startRuntime(ctx context.Context, p *project.Project) error {
	for _, p := range s.places() {
		s.abandonEdits(p) // where that failed when the last one ended
	}
	r, err := s.services.StartRuntime(ctx, p, s)
	if err != nil {
		return err
	}
	settled := make(chan struct{})
	s.runtime, s.settled = r, settled
	go func() { // dropRuntime, which every runtime comes to, waits for its end
		defer close(settled)
		s.settleAfter(r)
	}()
	return nil
}
