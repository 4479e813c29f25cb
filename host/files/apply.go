package files

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/internal/fsync"
	"github.com/serena-go/serena/sdk"
)

// Author is on whose behalf files are written.
type Author struct {
	Session string // whose edit it is to take back; empty: nobody's
	Method  string // facade.method, for the session's history
}

// Apply makes all of the changes or none of them and returns the project's change number afterwards. Changes that change
// nothing write nothing. Paths are relative to the root, or absolute below the root, the data folder or a further folder.
//
// An edit or a write goes through links inside those, to the file they lead to, and keeps its mode and owner; a new file
// is made with the missing folders. A delete or a rename of a link is the link's.
//
// Errors are of type *sdk.Error: StaleError when a file is no longer as its Base says, FileNotFoundError, FileExistsError,
// IsADirectoryError, NotADirectoryError, PermissionError (also for what lies outside, and for .git), ValueError for a change
// that makes no sense, TimeoutError when another writer does not end, OSError for the rest; or ctx's error. Cancelling has no
// effect once the first file was renamed.
func (s *Store) Apply(ctx context.Context, author Author, changes []sdk.Change) (uint64, error) {
	release, err := s.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer release()
	if err := s.settle(); err != nil {
		return 0, err
	}
	steps, err := s.plan(ctx, changes)
	if err != nil {
		return 0, err
	}
	if len(steps) == 0 {
		return s.Last(), nil
	}
	if author.Session == "" {
		return s.perform(ctx, steps, ledger{})
	}
	log, err := s.log(author.Session)
	if err != nil {
		return 0, err
	}
	return s.perform(ctx, steps, ledger{log: log, add: &journal.Entry{Method: author.Method}})
}

// settle takes back what dead writers left half-done, for who holds the project's lock and is about to write.
func (s *Store) settle() error {
	if err := s.settleLeft(); err != nil {
		return sdk.Errorf(sdk.KindRuntime, "nothing was changed, because an earlier write was interrupted and cannot be taken back: %w; put that right or, if the project's files are as they should be, remove the record of that write, %s", err, s.recordPath)
	}
	s.settleOrphans()
	return nil
}

// perform does the steps, all or none, with what that means for a session's journal, and returns the change number. The caller holds the
// project's lock, and nothing is left to settle.
func (s *Store) perform(ctx context.Context, steps []*step, l ledger) (uint64, error) {
	j := prepare(steps)
	j.Root = s.root
	if err := l.begin(j, steps); err != nil {
		return 0, osError("keep what is replaced in", l.log.Dir(), err)
	}
	if err := s.ledgerAt(l, "ahead"); err != nil {
		return 0, l.aborted(err)
	}
	if err := s.writeIntent(j, len(steps) > 1 || l.inGroup()); err != nil {
		return 0, l.aborted(osError("write the record", s.recordPath, err))
	}
	if err := s.stage(j, steps); err != nil {
		return 0, s.takeBack(j, l, err)
	}
	if err := ctx.Err(); err != nil {
		return 0, s.takeBack(j, l, err)
	}
	s.tree.Lock()
	defer s.tree.Unlock()
	err := s.commit(steps)
	if err == nil {
		err = s.ledgerAt(l, "mark")
	}
	if err == nil {
		err = l.done()
	}
	if err != nil {
		err = s.takeBack(j, l, err)
		s.refresh(steps)
		return 0, err
	}
	if s.ledgerAt(l, "drop") == nil && l.drop() == nil && s.ledgerAt(l, "finish") == nil {
		_ = s.finish(j, true)
	} // what could not be cleaned up is, by the next writer
	return s.recordOwn(steps), nil
}

// takeBack undoes what was done and returns why.
func (s *Store) takeBack(j *intent, l ledger, reason error) error {
	touched, err := s.rewind(j)
	if err != nil {
		l.spoil()
	}
	switch {
	case err != nil:
		return sdk.Errorf(sdk.AsError(reason).Kind, "%w; taking back what was done failed, too (%v): it is tried again by the next write, or when the project is opened next", reason, err)
	case len(touched) > 0:
		return sdk.Errorf(sdk.AsError(reason).Kind, "%w; %s was changed by somebody else meanwhile and is left as it is", reason, list(touched))
	}
	return reason
}

// commit renames everything into place.
func (s *Store) commit(steps []*step) error {
	for _, st := range steps {
		if err := unchanged(st); err != nil {
			return err
		}
	}
	for i, st := range steps {
		if err := s.at("rename", i); err != nil {
			return err
		}
		if err := unchanged(st); err != nil {
			return err
		}
		if err := s.commitOne(st, i); err != nil {
			if errors.Is(err, fs.ErrExist) {
				return stale(st.shown) // somebody was faster
			}
			return osError("write", st.shown, err)
		}
		renew(st, steps[i+1:])
	}
	if err := s.at("sync", len(steps)); err != nil {
		return err
	}
	for _, st := range steps {
		if err := untouched(st); err != nil {
			return err
		}
	}
	synced := map[string]bool{}
	for _, st := range steps {
		for _, path := range []string{st.Path, st.To} {
			if dir := filepath.Dir(path); path != "" && !synced[dir] {
				synced[dir] = true
				if err := fsync.Folder(dir); err != nil {
					return osError("flush", dir, err)
				}
			}
		}
	}
	return nil
}

func (s *Store) commitOne(st *step, i int) error {
	switch st.Kind {
	case kindRemove:
		return os.Rename(st.Path, st.Kept)
	case kindMove:
		return placeNew(st.Path, st.To)
	}
	if st.seen == (stamp{}) {
		return placeNew(st.Temp, st.Path)
	}
	if err := s.at("keep", i); err != nil {
		return err
	}
	if err := keep(st); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return stale(st.shown) // it is being replaced this moment
		}
		return err
	}
	if err := s.at("replace", i); err != nil {
		return err
	}
	return replace(st)
}

// replace puts the new content in the old file's place. Where the system can exchange two names, the file that comes out is looked
// at, and put back if it is not the one that was planned for: another program may have renamed its own over it this moment.
func replace(st *step) error {
	err := exchange(st.Temp, st.Path)
	if errors.Is(err, errors.ErrUnsupported) {
		return os.Rename(st.Temp, st.Path)
	}
	if err != nil {
		return err
	}
	if out, err := lstamp(st.Temp); err != nil || !out.sameFile(st.seen) || out.size != st.seen.size || out.mtime != st.seen.mtime {
		return errors.Join(stale(st.shown), exchange(st.Temp, st.Path))
	}
	return os.Remove(st.Temp)
}

// untouched makes sure that nobody wrote to the old file between the last look at it and its replacement: such a write would go
// away with it. A program that keeps the old file open and writes to it later still cannot be noticed.
func untouched(st *step) error {
	if st.Kept == "" || st.seen == (stamp{}) {
		return nil
	}
	now, err := lstamp(st.Kept)
	if err != nil || !now.sameFile(st.seen) { // it is a copy, or was taken away
		return nil
	}
	if now.size != st.seen.size || now.mtime != st.seen.mtime {
		return stale(st.shown)
	}
	return nil
}

// renew looks again at later files that are the same as this one under another name: renaming one changes the time of both.
func renew(st *step, later []*step) {
	for _, other := range later {
		if other.seen != (stamp{}) && other.seen.sameFile(st.seen) {
			if now, err := lstamp(other.Path); err == nil && now.size == other.seen.size && now.mtime == other.seen.mtime {
				other.seen = now
			}
		}
	}
}

// unchanged makes sure that a path is as it was when it was planned.
func unchanged(st *step) error {
	now, err := lstamp(st.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && st.seen == (stamp{}):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return gone(st.shown)
	case err != nil:
		return osError("read", st.shown, err)
	case now != st.seen:
		return stale(st.shown)
	}
	return nil
}
