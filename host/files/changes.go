package files

import (
	"context"
	"path/filepath"
	"time"

	"github.com/serena-go/serena/sdk"
)

// Changes tells which files changed after the number since, whoever changed them: each path once, with its last state, in the order
// of the last changes. It looks at the files first, so that what anybody wrote before the call is in the answer. since 0 asks for
// the present number alone. Reset means that it cannot be told: since is from before the first call of Changes, too long
// ago, or of another process.
//
// Files that are ignored, below .git or in the data folder are not told, except ignored ones that Apply wrote or Report named.
func (s *Store) Changes(ctx context.Context, since uint64) (sdk.Changes, error) {
	if err := s.recoverLeft(); err != nil {
		return sdk.Changes{}, sdk.Errorf(sdk.KindRuntime, "%w", err)
	}
	if err := s.scanned(ctx); err != nil {
		return sdk.Changes{}, err
	}
	return s.history.since(since), nil
}

// reportWait bounds the scan of a Report.
const reportWait = 30 * time.Second

// Report says that somebody else changed files: it looks at the paths, which are relative to the root or absolute, or without any,
// or where one is a folder, at all files. What cannot be looked at now is found by the next Changes. It returns the project's change
// number.
func (s *Store) Report(paths ...string) uint64 {
	everything := len(paths) == 0
	var real []string
	for _, path := range paths {
		place, err := s.bounds.Resolve(path)
		if err != nil || s.told(place.Real) == "" || isHidden(s.told(place.Real)) {
			continue // not ours to tell of
		}
		if st, err := lstamp(place.Real); err == nil && st.isFolder() {
			everything = true
		}
		real = append(real, place.Real)
	}
	if everything {
		// Detached: a report belongs to no call that could be cancelled.
		ctx, cancel := context.WithTimeout(context.Background(), reportWait)
		defer cancel()
		_ = s.scanned(ctx)
		return s.Last()
	}
	s.tree.Lock()
	defer s.tree.Unlock()
	var changes []sdk.FileChange
	for _, path := range real {
		changes = append(changes, s.snapshot.compare(s.told(path), path)...)
	}
	if len(changes) > 0 {
		return s.history.add(changes)
	}
	return s.Last()
}

// recordOwn takes what Apply did into the snapshot and the history. tree is held.
func (s *Store) recordOwn(steps []*step) uint64 {
	var changes []sdk.FileChange
	told := func(rel, real string, kind sdk.ChangeKind, base sdk.Base) {
		if rel == "" {
			return
		}
		changes = append(changes, sdk.FileChange{Path: rel, Kind: kind})
		s.snapshot.setOwn(rel, real, base)
	}
	for _, st := range steps {
		switch {
		case st.Kind == kindMove:
			told(st.rel, st.Path, sdk.Deleted, sdk.Absent)
			told(st.toRel, st.To, sdk.Created, st.Base)
		case st.Kind == kindRemove:
			told(st.rel, st.Path, sdk.Deleted, sdk.Absent)
		case st.Base == sdk.Absent:
			told(st.rel, st.Path, sdk.Created, st.Next)
		default:
			told(st.rel, st.Path, sdk.Changed, st.Next)
		}
	}
	return s.history.add(changes)
}

// refresh takes files that were put back into the snapshot: their content is the old one, their change time is not. tree is held.
func (s *Store) refresh(steps []*step) {
	for _, st := range steps {
		s.snapshot.touch(st.rel)
		s.snapshot.touch(st.toRel)
		if known, ok := s.snapshot.known(st.rel); ok && known.stamp == st.seen {
			s.snapshot.setOwn(st.rel, filepath.Clean(st.Path), st.Base)
		}
	}
}
