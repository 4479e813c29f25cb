package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/host/session/snapshots"
)

// Bounds of what is kept of a session.
const (
	maxBytes         = 256 << 20
	maxVariableBytes = 64 << 20
	keepLimit        = 2 * time.Minute // of one snapshot in the background
	// For the last snapshot to stop when its time is over, and then for the end of the runtime.
	lastGrace    = 500 * time.Millisecond
	closeReserve = 500 * time.Millisecond
	reviveLimit  = time.Minute
)

// principal is whose sessions these are: an MCP connection on stdio belongs to the user who started the process.
const principal = "stdio"

func (s *Session) key(p *project.Project) string {
	root := ""
	if p != nil {
		root = p.Root
	}
	return snapshots.Key(principal, root, s.ID)
}

// armKeep has the variables kept when the session has been idle for a while. s.mu is held.
func (s *Session) armKeep() {
	switch {
	case s.services.Snapshots == nil || s.closed:
	case s.keepLater == nil:
		s.keepLater = time.AfterFunc(s.services.Limits.SnapshotAfter, s.keepIdle)
	default:
		s.keepLater.Reset(s.services.Limits.SnapshotAfter)
	}
}

// keepIdle keeps the variables of a session that does nothing. A cell that comes meanwhile stops it.
func (s *Session) keepIdle() {
	select {
	case <-s.turn:
	default:
		return // a cell runs, whose end arms this anew
	}
	defer func() { s.turn <- struct{}{} }()
	ctx, cancel := context.WithTimeout(context.Background(), keepLimit) // detached: nobody waits for it
	defer cancel()
	if !s.beginKeep(cancel) || !s.changed || s.runtime == nil || ended(s.runtime) {
		return
	}
	defer s.endKeep()
	if err := s.keep(ctx, 0); err != nil && ctx.Err() == nil {
		s.services.Log.Warn("the variables of a session could not be kept", "session", s.ID, "error", err)
		s.tell(fmt.Sprintf("the variables could not be kept on disk: %v", err))
	}
}

func (s *Session) beginKeep(stop context.CancelFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.busy > 0 {
		return false
	}
	s.stopKeep = stop
	return true
}

func (s *Session) endKeep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopKeep = nil
}

// keepLast keeps the variables of a session that ends, within ctx's deadline.
func (s *Session) keepLast(ctx context.Context) {
	if s.services.Snapshots == nil {
		return
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-closeReserve-lastGrace))
		defer cancel()
	}
	select {
	case s.saving <- struct{}{}:
		defer func() { <-s.saving }()
	case <-ctx.Done():
	}
	err := ctx.Err()
	if err == nil {
		err = s.keep(ctx, lastGrace)
	}
	if err != nil {
		s.services.Log.Warn("the variables of a session that ends could not be kept", "session", s.ID, "error", err)
		if slot, openErr := s.openSlot(); openErr == nil {
			slot.Note(fmt.Sprintf("the variables could not be kept when the session ended at %s: %v", clock(time.Now()), err))
		}
	}
}

// keep takes a snapshot under the place where the session works now.
func (s *Session) keep(ctx context.Context, grace time.Duration) error {
	slot, err := s.openSlot()
	if err != nil {
		return err
	}
	draft, err := slot.Begin()
	if err != nil {
		return err
	}
	begun := time.Now()
	taken, err := s.runtime.Snapshot(ctx, repl.SnapshotOptions{
		Path: draft.Path, ManifestPath: draft.ManifestPath, MaxBytes: maxBytes, MaxVariableBytes: maxVariableBytes, Grace: grace,
	})
	if err != nil {
		return errors.Join(err, draft.Discard())
	}
	if err := draft.Commit(); err != nil {
		return err
	}
	s.changed = false
	s.services.Log.Debug("variables kept", "session", s.ID, "saved", len(taken.Saved), "skipped", len(taken.Skipped), "bytes", taken.Bytes, "ms", time.Since(begun).Milliseconds())
	return nil
}

// openSlot owns the session's folder at the place where it works now. What lies there and was never loaded here, since the session
// came from another place or another server held it, is set aside and not overwritten.
func (s *Session) openSlot() (*snapshots.Slot, error) {
	key := s.key(s.Place().Project)
	if s.slot != nil && s.slot.Key == key {
		return s.slot, nil
	}
	slot, err := s.services.Snapshots.Open(key)
	if err != nil {
		return nil, err
	}
	if unseen, ok := slot.Latest(); ok {
		aside, err := slot.SetAside(unseen)
		if err != nil {
			slot.Close()
			return nil, err
		}
		told := fmt.Sprintf("variables that were kept under this id at %s were never loaded here; they are set aside in %s", clock(unseen.Taken), aside)
		s.mu.Lock()
		closed := s.closed
		s.mu.Unlock()
		if closed {
			slot.Note(told) // nobody hears this session any more
		} else {
			s.tell(told)
		}
	}
	s.leaveSlot()
	s.slot = slot
	return slot, nil
}

// tell has something said with the next answer, once.
func (s *Session) tell(text string) {
	if !slices.Contains(s.untold, text) {
		s.untold = append(s.untold, text)
	}
}

func (s *Session) leaveSlot() {
	if s.slot != nil {
		s.slot.Close()
		s.slot = nil
	}
}

// revive brings the last snapshot into a fresh runtime: this session's own or, at its beginning, that of its id at this place. An error is
// ctx's; whatever else goes wrong is a note, and the session goes on without.
func (s *Session) revive(ctx context.Context, p *project.Project) (notes []string, err error) {
	if s.services.Snapshots == nil {
		return nil, nil
	}
	if s.slot == nil {
		key := s.key(p)
		if !s.services.Snapshots.Has(key) {
			return nil, nil
		}
		if s.slot, err = s.services.Snapshots.Open(key); err != nil {
			s.slot = nil
			return []string{fmt.Sprintf("variables that may have been kept of the session %s are not restored: %v", s.ID, err)}, nil
		}
	}
	snapshot, ok := s.slot.Latest()
	notes = s.slot.TakeNotes()
	if !ok {
		return notes, nil
	}
	restored, err := s.restore(ctx, snapshot)
	if err != nil && ctx.Err() == nil && ended(s.runtime) { // which may have had nothing to do with it
		s.dropRuntime(ctx)
		if err = s.startRuntime(ctx, p); err != nil {
			return notes, err
		}
		restored, err = s.restore(ctx, snapshot)
	}
	if ctx.Err() != nil {
		s.dropRuntime(ctx) // so that the next cell revives them
		return notes, fmt.Errorf("cancelled while the session's variables were restored: %w", ctx.Err())
	}
	if err != nil {
		failed, err := s.reviveFailed(ctx, p, snapshot, err)
		return append(notes, failed...), err
	}
	missing := []string{}
	for _, left := range snapshot.Left {
		missing = append(missing, left.Name+" ("+left.Reason+")")
	}
	for _, failed := range restored.Failed {
		missing = append(missing, failed.Name+" ("+failed.Reason+")")
	}
	if len(restored.Names) == 0 && len(missing) == 0 {
		return notes, nil
	}
	note := "variables restored from the snapshot of " + clock(snapshot.Taken)
	if len(missing) > 0 {
		note += "; could not be kept: " + few(missing, "; ")
	}
	if len(restored.Failed) > 0 { // a module may be back another time: the next snapshot must not be the last word
		if aside, err := s.slot.SetAside(snapshot); err == nil {
			s.changed = true
			note += "; the snapshot stays in " + aside
		}
	}
	return append(notes, note), nil
}

func (s *Session) restore(ctx context.Context, snapshot snapshots.Snapshot) (repl.Restored, error) {
	limited, cancel := context.WithTimeout(ctx, reviveLimit)
	defer cancel()
	return s.runtime.Restore(limited, snapshot.Path)
}

// reviveFailed goes on without a snapshot that cannot be restored, on another runtime where the first has ended of it.
func (s *Session) reviveFailed(ctx context.Context, p *project.Project, snapshot snapshots.Snapshot, cause error) (notes []string, err error) {
	s.services.Log.Warn("a snapshot cannot be restored", "session", s.ID, "path", snapshot.Path, "error", cause)
	aside, err := s.slot.SetAside(snapshot)
	if err != nil {
		s.services.Log.Warn("a snapshot that cannot be restored stays", "session", s.ID, "error", err)
		aside = snapshot.Path
	}
	if ended(s.runtime) {
		s.dropRuntime(ctx)
		if err = s.startRuntime(ctx, p); err != nil {
			return nil, err
		}
	}
	return []string{fmt.Sprintf("the variables kept at %s could not be restored: %v; they stay in %s", clock(snapshot.Taken), cause, aside)}, nil
}

// fate tells what becomes of the variables of a runtime that has ended.
func (s *Session) fate() string {
	names := s.runtime.LastNames()
	var snapshot snapshots.Snapshot
	kept := false
	if s.slot != nil {
		snapshot, kept = s.slot.Latest()
	}
	if !kept {
		if len(names) == 0 {
			return "The variables of the session are lost"
		}
		return "The variables of the session are lost: " + few(names, ", ")
	}
	told := "Its variables will be those of the snapshot of " + clock(snapshot.Taken)
	if !s.changed {
		return told
	}
	newer := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(snapshot.Saved, name) })
	if len(newer) == 0 {
		return told + "; what was changed since is lost"
	}
	return told + "; what was changed since is lost, and these were newer or could not be kept: " + few(newer, ", ")
}

// few joins items and cuts a long list.
func few(items []string, separator string) string {
	const most = 20
	if len(items) <= most {
		return strings.Join(items, separator)
	}
	return fmt.Sprintf("%s%sand %d more", strings.Join(items[:most], separator), separator, len(items)-most)
}

// clock is a moment as people say it: without the date when it is today's.
func clock(t time.Time) string {
	t = t.Local()
	if y, m, d := time.Now().Date(); t.Year() == y && t.Month() == m && t.Day() == d {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04:05")
}
