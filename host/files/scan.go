package files

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/serena-go/serena/internal/ignore"
	"github.com/serena-go/serena/sdk"
)

// scanWait bounds one scan, whatever its callers' limits are.
const scanWait = 2 * time.Minute

// scanner lets concurrent callers share scans. A caller needs one that begins after its call, so it waits for the next while
// one runs.
type scanner struct {
	mu      sync.Mutex // guards the fields below
	running *scan
	next    *scan
	group   sync.WaitGroup
}

type scan struct {
	done chan struct{} // closed at the end
	err  error         // valid then
}

// stop closes the channel so that no scan begins afterwards.
func (c *scanner) stop(closed chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(closed)
}

// scanned returns after a scan that began after the call.
func (s *Store) scanned(ctx context.Context) error {
	c := &s.scans
	c.mu.Lock()
	if s.isClosed() {
		c.mu.Unlock()
		return errClosed
	}
	mine := &scan{done: make(chan struct{})}
	switch {
	case c.running == nil:
		c.running = mine
		c.group.Add(1)
		go s.scanLoop(context.WithoutCancel(ctx)) // shared: it must not end with the one who began it
	case c.next == nil:
		c.next = mine
	default:
		mine = c.next
	}
	c.mu.Unlock()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scanLoop scans until nobody waits.
func (s *Store) scanLoop(ctx context.Context) {
	defer s.scans.group.Done()
	c := &s.scans
	for {
		limited, cancel := context.WithTimeout(ctx, scanWait)
		err := s.scanTree(limited)
		cancel()
		c.mu.Lock()
		c.running.err = err
		close(c.running.done)
		c.running, c.next = c.next, nil
		more := c.running != nil
		c.mu.Unlock()
		if !more {
			return
		}
	}
}

// scanTree compares the files with the snapshot, numbers what is new, and makes the new snapshot. A watcher of the file
// system would call the history in its place.
func (s *Store) scanTree(ctx context.Context) error {
	s.tree.Lock()
	defer s.tree.Unlock()
	begun := time.Now()
	fresh, err := s.look(ctx)
	if err != nil {
		return osError("look at", s.root, err)
	}
	before := s.snapshot
	var changes []sdk.FileChange
	for rel, now := range fresh {
		path := filepath.Join(s.root, filepath.FromSlash(rel))
		known, ok := before.known(rel)
		switch {
		case !ok && before.taken:
			changes = append(changes, sdk.FileChange{Path: rel, Kind: sdk.Created})
		case ok && differs(path, known, now.stamp):
			changes = append(changes, sdk.FileChange{Path: rel, Kind: sdk.Changed})
		}
		now.base = young(path, now.stamp, begun)
		fresh[rel] = now
	}
	for _, rel := range before.names() {
		known, ok := before.known(rel)
		if _, still := fresh[rel]; still || !ok {
			continue
		}
		st, err := followed(filepath.Join(s.root, filepath.FromSlash(rel)))
		switch {
		case err == nil && st.isRegular():
			continue // it is ignored, or has come to be
		case err != nil && !isGone(err):
			fresh[rel] = known // in a folder that cannot be read now
			continue
		}
		changes = append(changes, sdk.FileChange{Path: rel, Kind: sdk.Deleted})
	}
	s.snapshot = snapshot{taken: true, files: fresh}
	switch {
	case !before.taken:
		s.history.forget()
	case len(changes) > 0:
		s.history.add(changes)
	}
	return nil
}

// names are all paths of which something is known.
func (p *snapshot) names() []string {
	names := make([]string, 0, len(p.files)+len(p.own))
	for rel := range p.files {
		names = append(names, rel)
	}
	for rel := range p.own {
		if _, ok := p.files[rel]; !ok {
			names = append(names, rel)
		}
	}
	return names
}

// look stats all files that are told of.
func (s *Store) look(ctx context.Context) (map[string]entry, error) {
	paths, err := s.walk(ctx)
	if err != nil {
		return nil, err
	}
	stamps := make([]stamp, len(paths))
	workers := min(runtime.GOMAXPROCS(0), 1+len(paths)/256)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < len(paths); i += workers {
				st, err := followed(filepath.Join(s.root, filepath.FromSlash(paths[i])))
				if err == nil && st.isRegular() {
					stamps[i] = st
				}
			}
		})
	}
	group.Wait()
	found := make(map[string]entry, len(paths))
	for i, rel := range paths {
		if stamps[i] != (stamp{}) {
			found[rel] = entry{stamp: stamps[i]}
		}
	}
	return found, nil
}

// walk lists the files that are told of. The ignore rules are read anew: they may be what changed.
func (s *Store) walk(ctx context.Context) ([]string, error) {
	rules, err := ignore.New(s.root, s.ignoredPaths...)
	if err != nil {
		return nil, err
	}
	var paths []string
	err = ignore.Walk(ctx, s.root, ignore.WalkOptions{Matcher: rules, SkipIgnored: true}, func(e ignore.Entry) error {
		switch {
		case e.Kind == ignore.Folder && s.isClosed():
			return errClosed
		case e.Kind == ignore.Folder && filepath.Join(s.root, filepath.FromSlash(e.Rel)) == s.dataFolder:
			return fs.SkipDir
		case e.Kind == ignore.File && !isStaged(e.Dir.Name()):
			paths = append(paths, e.Rel)
		}
		return nil
	})
	return paths, err
}

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// isHidden reports whether a path is never told of, whatever the ignore rules say.
func isHidden(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == ".git" || isStaged(part) {
			return true
		}
	}
	return false
}
