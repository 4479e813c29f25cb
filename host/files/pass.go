package files

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

// pass looks at whatever may have changed, gives one number to what did, and takes it into the snapshot. Passes come one at a
// time, and only they write snapshot.files.
//
// Looking takes as long as it takes, so it is done without the lock that writes need. What they did meanwhile is looked at once
// more under the lock, so that half an Apply is never taken for a change.
func (s *Store) pass(ctx context.Context) error {
	s.tree.Lock()
	before := s.snapshot.begin()
	s.tree.Unlock()
	seen, err := s.compare(ctx, before)
	s.tree.Lock()
	defer s.tree.Unlock()
	touched := s.snapshot.end()
	if err != nil {
		s.watch.lose()
		return osError("look at", s.root, err)
	}
	changes := s.snapshot.take(seen, touched)
	for rel := range touched {
		changes = append(changes, s.snapshot.compare(rel, s.real(rel))...)
	}
	switch {
	case !before.taken:
		s.history.forget()
	case len(changes) > 0:
		s.history.add(changes)
	}
	return nil
}

// outcome is what a pass found out.
type outcome struct {
	whole   bool
	files   map[string]entry // new states; all that is known, if whole
	gone    []string         // no longer known
	changes []sdk.FileChange
}

// compare looks at what may differ from the snapshot.
func (s *Store) compare(ctx context.Context, before snapshot) (*outcome, error) {
	begun := time.Now()
	todo, err := s.watch.drain(&before)
	if err != nil {
		return nil, err
	}
	switch found := s.verified.take(); {
	case !before.taken:
		todo = everything()
	case found == nil || todo.isWhole():
	case found.unfit != nil:
		s.watch.stop(found.unfit)
		todo = everything()
	default:
		s.watch.addUnlike(found, &before, todo)
	}
	for rel := range before.own {
		todo.names[rel] = true
	}
	out := &outcome{whole: todo.isWhole(), files: map[string]entry{}}
	if todo.isEmpty() {
		return out, nil
	}
	if err := s.at("look", 0); err != nil {
		return nil, err
	}
	seen, err := s.look(ctx, todo)
	if err != nil {
		return nil, err
	}
	if err := s.at("looked", 0); err != nil {
		return nil, err
	}
	s.watch.settle(todo, seen)
	switch {
	case s.watch.queue == nil:
		s.verified.cancel()
	case todo.isWhole():
		s.verified.plan(time.Since(begun))
	}
	for _, rel := range missing(todo, seen, before, s.watch.revisited) {
		s.miss(out, seen, before, rel)
	}
	for rel, now := range seen.files {
		known, ok := before.known(rel)
		switch {
		case !ok && before.taken:
			out.changes = append(out.changes, sdk.FileChange{Path: rel, Kind: sdk.Created})
		case ok && differs(s.real(rel), known, now):
			out.changes = append(out.changes, sdk.FileChange{Path: rel, Kind: sdk.Changed})
		}
		out.files[rel] = entry{stamp: now, base: young(s.real(rel), now, begun)}
	}
	return out, nil
}

// missing lists the known files that should have been seen. In folders that are new nothing was known.
func missing(todo places, seen *sight, before snapshot, revisited bool) []string {
	var names []string
	add := func(rel string) {
		if _, ok := seen.files[rel]; ok {
			return
		}
		if _, ok := before.known(rel); ok {
			names = append(names, rel)
		}
	}
	for rel := range todo.names {
		add(rel)
	}
	if !revisited {
		return names
	}
	for rel := range before.files {
		if !todo.names[rel] && todo.covers(rel) {
			add(rel)
		}
	}
	return names
}

// miss finds out what became of a file that was not seen.
func (s *Store) miss(out *outcome, seen *sight, before snapshot, rel string) {
	st, err := followed(s.real(rel))
	switch {
	case err == nil && st.isRegular() && seen.unsure.covers(rel):
		seen.files[rel] = st // its folder cannot be listed
	case err == nil && st.isRegular():
		out.gone = append(out.gone, rel) // it is ignored, or has come to be
	case err != nil && !isGone(err):
		out.files[rel], _ = before.known(rel) // in a folder that cannot be entered now
	default:
		out.gone = append(out.gone, rel)
		out.changes = append(out.changes, sdk.FileChange{Path: rel, Kind: sdk.Deleted})
	}
}

// isGone reports whether nothing is there: also where a link leads to itself, or a folder above has become a file.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// isHidden reports whether a path is never told of, whatever the ignore rules say.
func isHidden(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == ".git" || staged.Is(part) {
			return true
		}
	}
	return false
}
