package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/sdk"
)

// Begin opens a transaction: the edits of the session are one from now on, until Commit or RollBack. It returns the transaction's
// number. A session has one at a time; another is an error of kind RuntimeError.
func (s *Store) Begin(ctx context.Context, session string) (number int, err error) {
	if session == "" {
		return 0, sdk.Errorf(sdk.KindRuntime, "this caller has no session, so its edits cannot be taken back")
	}
	release, err := s.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := s.settle(); err != nil {
		return 0, err
	}
	l, err := s.log(session)
	if err != nil {
		return 0, err
	}
	if number, err = l.OpenGroup(); err != nil {
		return 0, osError("write the journal in", l.Dir(), err)
	}
	return number, nil
}

// Commit ends a transaction and keeps its edits, which are one edit from now on. It writes to no file of the project, and so waits for
// nobody who does.
func (s *Store) Commit(session string, number int) error {
	l := s.owned(session)
	if l == nil || l.Gone() || !isIn(l, number) {
		return errOver
	}
	if err := l.CloseGroup(); err != nil {
		l.Leave()
		return osError("end the transaction, whose edits are taken back before the next one, in", l.Dir(), err)
	}
	return nil
}

// isIn reports whether the open transaction has that number and its block still runs.
func isIn(l *journal.Log, number int) bool { return number != 0 && l.Group() == number && !l.Left() }

var errOver = sdk.Errorf(sdk.KindRuntime, "this transaction is over; nothing was changed: s.edit.history() tells which edits there are, s.edit.undo() takes the last one back")

// RollBack takes back the edits that a transaction has made so far, all or none. Where somebody else changed a file since, it is an error
// of kind StaleError that names the file.
func (s *Store) RollBack(ctx context.Context, session string, number int) (taken Edit, err error) {
	err = s.inTransaction(ctx, session, number, func(l *journal.Log) error {
		taken, err = s.takeBackOpen(ctx, l)
		return err
	})
	return taken, err
}

// Fail ends a transaction whose block has failed and takes its edits back. Where that cannot be done, its edits stay, as one edit that Undo
// takes back once it can be, and the error says so: what the session edits afterwards must not go with them.
func (s *Store) Fail(ctx context.Context, session string, number int) error {
	err := s.inTransaction(ctx, session, number, func(l *journal.Log) error {
		l.Leave()
		_, err := s.rollBack(context.WithoutCancel(ctx), l)
		if err == nil {
			return nil
		}
		if closeErr := l.CloseGroup(); closeErr != nil {
			return osError("end the transaction in", l.Dir(), closeErr)
		}
		if sdk.IsKind(err, sdk.KindStale) {
			return sdk.Errorf(sdk.KindStale, "the block failed, but its edits stay: %w", err)
		}
		return sdk.Errorf(sdk.AsError(err).Kind, "the block failed, but its edits stay until s.edit.undo() can take them back: %w", err)
	})
	s.leave(session, number)
	return err
}

// leave says of a transaction whose block is over that nobody ends it, if it is still open.
func (s *Store) leave(session string, number int) {
	if l := s.owned(session); l != nil && l.Group() == number {
		l.Leave()
	}
}

// endLeft ends a session's open transaction that nobody is in any more, before the session goes on. It is taken back, or its edits stay if that
// cannot be done now; the session is told.
func (s *Store) endLeft(ctx context.Context, session string, l *journal.Log) error {
	if !l.Left() {
		return nil
	}
	note, err := s.abandon(ctx, l)
	if err != nil { // the next edits must not go with it when it can be
		note = "a transaction was left open; its edits stay until s.edit.undo() can take them back: " + err.Error()
		err = errors.Join(l.CloseGroup(), s.settleLeft(), l.Refresh())
	}
	s.tell(session, note)
	return err
}

// tell keeps what became of a transaction for Told.
func (s *Store) tell(session, note string) {
	s.owning.Lock()
	defer s.owning.Unlock()
	if note != "" {
		s.forsaken[session] = note
	}
}

// Told returns what became of a transaction of the session that was left open, once; "" if there is nothing to tell. It waits for nothing.
func (s *Store) Told(session string) string {
	s.owning.Lock()
	defer s.owning.Unlock()
	note := s.forsaken[session]
	delete(s.forsaken, session)
	return note
}

// inTransaction does something to an open transaction.
func (s *Store) inTransaction(ctx context.Context, session string, number int, do func(*journal.Log) error) error {
	release, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := s.settle(); err != nil {
		return err
	}
	l, err := s.existingLog(session)
	if err != nil {
		return err
	}
	if l == nil || !isIn(l, number) {
		return errOver
	}
	return do(l)
}

// rollBack takes back a journal's open transaction and ends it.
func (s *Store) rollBack(ctx context.Context, l *journal.Log) (Edit, error) {
	taken, err := s.takeBackOpen(ctx, l)
	if err != nil {
		return taken, err
	}
	return taken, l.CloseGroup()
}

// takeBackOpen takes back what a journal's open transaction has done so far.
func (s *Store) takeBackOpen(ctx context.Context, l *journal.Log) (Edit, error) {
	edits, _ := l.Edits()
	if len(edits) == 0 || !edits[len(edits)-1].Open {
		return Edit{}, nil
	}
	last := edits[len(edits)-1]
	return s.editOf(last), s.takeBackEdits(ctx, l, []journal.Edit{last})
}

// abandon ends the open transaction of a session that will not end it itself, and tells what became of it; "" if there is none. If its
// files were changed since, its edits stay. Once begun, it takes as long as it takes: what is stopped halfway has to be done again.
func (s *Store) abandon(ctx context.Context, l *journal.Log) (note string, err error) {
	if l.Group() == 0 {
		return "", nil
	}
	l.Leave()
	taken, err := s.rollBack(context.WithoutCancel(ctx), l)
	switch {
	case sdk.IsKind(err, sdk.KindStale):
		return fmt.Sprintf("a transaction was left open; its edits stay: %v", err), l.CloseGroup()
	case err != nil:
		return "", err
	case len(taken.Files) == 0:
		return "", nil
	}
	return "a transaction was left open and was taken back: " + taken.String(), nil
}

// InTransaction reports whether the session has a transaction open here, and over whether its block has ended, so that its edits are being
// taken back, or are before the session edits again. It waits for nothing.
func (s *Store) InTransaction(session string) (open, over bool) {
	l := s.owned(session)
	if l == nil || l.Group() == 0 {
		return false, false
	}
	return true, l.Left()
}

// Forsake takes a transaction back that was left because whoever ran its block has gone: what became of it is told by the next
// Abandon. It is over then, except after an error; where somebody else changed a file since, its edits stay.
func (s *Store) Forsake(ctx context.Context, session string, number int) error {
	err := s.inTransaction(ctx, session, number, func(l *journal.Log) error {
		note, err := s.abandon(ctx, l)
		if err == nil {
			s.tell(session, note)
		}
		return err
	})
	s.leave(session, number)
	return err
}

// Abandon ends the session's open transaction, if there is one, as if its block had failed, and tells what became of it, or of one that
// was forsaken before; "" if there is nothing to tell, which costs nothing.
func (s *Store) Abandon(ctx context.Context, session string) (note string, err error) {
	l := s.owned(session)
	if l == nil || l.Group() == 0 {
		return s.Told(session), nil
	}
	l.Leave()
	release, err := s.acquire(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	if l = s.owned(session); l == nil {
		return s.Told(session), nil
	}
	if err := s.settle(); err != nil {
		return "", err
	}
	err = s.endLeft(ctx, session, l)
	return s.Told(session), err
}
