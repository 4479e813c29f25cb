package session

import (
	"context"
	"slices"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

// A transaction of the session's edits that its block does not end, because Python has ended or the session has, is taken back here.

const (
	settleLimit = 35 * time.Second // for the project's lock, which waits for no more than 30 s; taking back has no limit of its own
	idleLimit   = 10 * time.Second // for the calls of a Python that has ended
)

// settleAfter waits for the end of a Python and takes back what it left open.
func (s *Session) settleAfter(r *repl.Runtime) {
	<-r.Done()
	limit := time.NewTimer(idleLimit)
	defer limit.Stop()
	select {
	case <-r.Idle(): // no edit of its can come any more
	case <-limit.C:
	}
	for _, p := range s.places() {
		s.abandonEdits(p)
	}
}

// places are the projects in which the session has worked.
func (s *Session) places() []*project.Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.worked)
}

// abandonEdits takes back the session's transaction in a project, if one is open.
func (s *Session) abandonEdits(p *project.Project) {
	if p == nil || p.Files == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit) // detached: it must be done whoever has gone
	defer cancel()
	note, err := p.Files.Abandon(ctx, s.ID)
	if err != nil {
		note = "a transaction was left open and cannot be taken back now: " + err.Error()
		s.services.Log.Error("a transaction is left open", "session", s.ID, "project", p.Root, "error", err)
	}
	if note != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.left = append(s.left, note)
	}
}

// openNote reminds of a transaction that is open after a cell, and tells what became of one that nobody was in.
func (s *Session) openNote(p *project.Project) []string {
	if p == nil || p.Files == nil {
		return nil
	}
	if told := p.Files.Told(s.ID); told != "" {
		return []string{told}
	}
	open, over := p.Files.InTransaction(s.ID)
	switch {
	case !open:
		return nil
	case over:
		return []string{"a transaction whose block has ended is being taken back; the next edit waits for it"}
	}
	return []string{"a transaction is open: edits belong to it until its block ends, and are taken back if this session's Python ends before"}
}

// takeLeft returns what became of transactions that were left open, once.
func (s *Session) takeLeft() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.left
	s.left = nil
	return left
}

// leaveEdits gives the session's journals up. They stay for its return where its variables do.
func (s *Session) leaveEdits() {
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit)
	defer cancel()
	for _, p := range s.places() {
		if _, err := p.Files.EndSession(ctx, s.ID, s.services.Snapshots == nil); err != nil {
			s.services.Log.Warn("the journal of a session's edits cannot be given up", "session", s.ID, "project", p.Root, "error", err)
		}
	}
}
