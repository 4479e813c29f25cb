package files

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/sdk"
)

const (
	defaultKeep = 7 * 24 * time.Hour
	// For the wait for the project, to take back what a host left open. How long that itself takes is bounded by what is in a journal.
	settleLimit = 10 * time.Second
)

// owned is the journal of a session that this store owns; nil for none.
func (s *Store) owned(session string) *journal.Log {
	s.owning.Lock()
	defer s.owning.Unlock()
	return s.logs[session]
}

func (s *Store) ownsNone() bool {
	s.owning.Lock()
	defer s.owning.Unlock()
	return len(s.logs) == 0
}

func (s *Store) own(session string, l *journal.Log) {
	s.owning.Lock()
	defer s.owning.Unlock()
	s.logs[session] = l
}

func (s *Store) disown(session string) *journal.Log {
	s.owning.Lock()
	defer s.owning.Unlock()
	l := s.logs[session]
	delete(s.logs, session)
	return l
}

// log is a session's journal, taken over or begun. The caller holds the project's lock, and nothing is left to settle.
func (s *Store) log(session string) (*journal.Log, error) {
	l := s.owned(session)
	if l != nil && l.Gone() {
		s.disown(session).Close()
		l = nil
	}
	if l == nil {
		if s.ownsNone() { // once in a while
			_ = s.journals.Expire(context.Background(), time.Now()) // what is left does no harm
		}
		var err error
		if l, err = s.journals.Open(session); err != nil {
			return nil, osError("open the journal of the session, for its edits to be taken back, below", s.journals.Dir(), err)
		}
		s.own(session, l)
	}
	if err := l.Refresh(); err != nil {
		return nil, osError("read the journal of the session, for its edits to be taken back, in", l.Dir(), err)
	}
	if err := s.endLeft(context.Background(), session, l); err != nil {
		return nil, err
	}
	return l, nil
}

// existingLog is the same, but nil where the session has no journal yet.
func (s *Store) existingLog(session string) (*journal.Log, error) {
	if session == "" || s.owned(session) == nil && !s.journals.Has(session) {
		return nil, nil
	}
	return s.log(session)
}

// openOrphans takes back, when the project is opened, the transactions of hosts that were killed.
func (s *Store) openOrphans() {
	if !s.journals.HasOpen() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), settleLimit) // another host writes for milliseconds
	defer cancel()
	release, err := s.acquire(ctx)
	if err == nil {
		defer release()
		err = s.settle()
	}
	if err != nil {
		s.noteLeftOpen(err)
	}
}

// settleOrphans takes back the transactions whose host is dead, for who holds the project's lock. One that cannot be taken back now, for
// want of a permission or of room, is noted and tried again by the next writer; it keeps nobody from writing.
func (s *Store) settleOrphans() {
	if !s.journals.HasOpen() {
		return
	}
	orphans, err := s.journals.Orphans()
	if err != nil {
		s.noteLeftOpen(err)
	}
	for _, l := range orphans {
		if err := s.settleOrphan(l); err != nil {
			s.noteLeftOpen(err)
		}
		l.Close()
	}
}

func (s *Store) noteLeftOpen(err error) {
	s.note(fmt.Sprintf("a transaction that a killed serena left open in %s cannot be taken back now: %v", s.root, err))
}

// settleOrphan takes one back and notes it. If somebody changed its files since, it stays, as one edit.
func (s *Store) settleOrphan(l *journal.Log) error {
	edit, err := s.rollBack(context.Background(), l)
	switch {
	case sdk.IsKind(err, sdk.KindStale):
		s.note(fmt.Sprintf("the session %q was killed in a transaction, whose edits stay: %v", l.Session(), err))
		return l.CloseGroup()
	case err != nil:
		return err
	case len(edit.Files) > 0:
		s.note(fmt.Sprintf("the session %q was killed in a transaction, which was taken back: %s", l.Session(), edit.String()))
	}
	return nil
}

// EndSession takes back the session's open transaction, if there is one, and gives its journal up; forget removes it. What it
// returns tells what was taken back or why it could not be; "" as a rule.
func (s *Store) EndSession(ctx context.Context, session string, forget bool) (note string, err error) {
	if s.owned(session) == nil {
		return "", nil
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	l := s.owned(session)
	if l == nil {
		return "", nil
	}
	if l.Group() != 0 {
		if err := s.settle(); err != nil {
			return "", err
		}
	}
	if note, err = s.abandon(ctx, l); err != nil {
		return note, err
	}
	s.disown(session)
	if forget {
		return note, s.journals.Remove(l)
	}
	l.Close()
	return note, nil
}

// closeLogs gives all journals up, for who holds the token of writing. A transaction that is still open is taken back; if that
// cannot be done now, it is when the project is opened next.
func (s *Store) closeLogs() {
	s.owning.Lock()
	logs := slices.Collect(maps.Values(s.logs))
	s.logs = map[string]*journal.Log{}
	s.owning.Unlock()
	for _, l := range logs {
		if l.Group() != 0 {
			s.closeOpen(l)
		}
		l.Close()
	}
}

func (s *Store) closeOpen(l *journal.Log) {
	file, err := s.lockFile()
	if err != nil {
		return
	}
	defer file.Close()
	if s.settleLeft() == nil {
		_, _ = s.abandon(context.Background(), l)
	}
}
