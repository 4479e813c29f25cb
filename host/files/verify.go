package files

import (
	"context"
	"sync"
	"time"

	"github.com/serena-go/serena/internal/ignore"
)

// A watched project is looked at whole now and then, in the background after a query, in case something changed without an event:
// memory that a program has mapped, a second name given to a file elsewhere, a file system that was mounted. What is not as it is known
// is looked at again by the next pass; nothing else comes of it. It costs half a percent of a processor at most, and nothing where
// nobody asks.
type verification struct {
	mu      sync.Mutex // guards the fields below
	due     time.Time  // zero: not at all
	running bool
	found   *census // by the last one, for the next pass; else nil
}

const (
	verifyEvery = 30 * time.Second // at most so often
	verifyShare = 200              // and pausing so many times as long as it took
)

// census is what is in the project.
type census struct {
	files   map[string]stamp
	folders []string // that are not ignored, with the root, ""
	unfit   error    // why the project cannot be watched any more: another file system was mounted in it
}

// plan makes a verification due some time after a look at everything, that took so long.
func (v *verification) plan(took time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.due = time.Now().Add(max(verifyEvery, verifyShare*took))
}

// cancel makes none due.
func (v *verification) cancel() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.due = time.Time{}
}

// begin reports whether one is to be done now, by the caller.
func (v *verification) begin() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.running || v.found != nil || v.due.IsZero() || time.Now().Before(v.due) {
		return false
	}
	v.running = true
	return true
}

func (v *verification) end(found *census) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.running, v.found = false, found
}

func (v *verification) take() *census {
	v.mu.Lock()
	defer v.mu.Unlock()
	found := v.found
	v.found = nil
	return found
}

// verify makes a census. It fails only when the store is closed, or the root is gone, which a query finds out.
func (s *Store) verify(ctx context.Context) {
	begun := time.Now()
	found, err := s.count(ctx)
	if err != nil {
		found = nil
	}
	s.verified.plan(time.Since(begun))
	s.verified.end(found)
}

func (s *Store) count(ctx context.Context) (*census, error) {
	rules, err := ignore.New(s.root, s.ignoredPaths...)
	if err != nil {
		return nil, err
	}
	found := &census{unfit: watchable(s.root)}
	seen := newSight(rules)
	seen.enter = func(rel string) { found.folders = append(found.folders, rel) }
	paths, err := s.walk(ctx, seen, "", nil)
	if err != nil {
		return nil, err
	}
	s.stat(seen, paths, 1)
	found.files = seen.files
	if s.isClosed() {
		return nil, errClosed
	}
	return found, ctx.Err()
}

// addUnlike adds what the census has otherwise than it is known.
func (w *watcher) addUnlike(found *census, known *snapshot, todo places) {
	for rel, st := range found.files {
		if before, ok := known.known(rel); !ok || before.stamp != st {
			todo.names[rel] = true
		}
	}
	for rel := range known.files {
		if _, ok := found.files[rel]; !ok {
			todo.names[rel] = true
		}
	}
	watched := make(map[string]bool, len(w.folders))
	for _, all := range w.folders {
		for _, place := range all {
			watched[place.rel] = true
		}
	}
	for _, rel := range found.folders {
		if !watched[rel] {
			todo.folders[rel] = true
		}
	}
}
