//go:build linux

package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/serena-go/serena/sdk"
)

// newWatched is newPlace with the first look done and watching begun.
func newWatched(t *testing.T, files map[string]string) (p *place, start uint64) {
	t.Helper()
	p = newPlace(t, files)
	start = p.since(t, 0, nil)
	if p.store.watch.queue == nil {
		t.Skip(p.store.Notes())
	}
	return p, start
}

func (p *place) path(name string) string { return filepath.Join(p.root, name) }

// watched are the folders that are, by their paths.
func (s *Store) watched() map[string]bool {
	all := map[string]bool{}
	for _, places := range s.watch.folders {
		for _, place := range places {
			all[place.rel] = true
		}
	}
	return all
}

// kernelWatches counts the watches that the system keeps for the store.
func (s *Store) kernelWatches(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprint("/proc/self/fdinfo/", s.watch.queue.fd))
	if err != nil {
		t.Skip(err)
	}
	return strings.Count(string(text), "inotify wd:")
}

// inotifies counts this process's inotify instances.
func inotifies(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	count := 0
	for _, e := range entries {
		if target, _ := os.Readlink("/proc/self/fd/" + e.Name()); target == "anon_inode:inotify" {
			count++
		}
	}
	return count
}

// Not parallel: it counts what the process has.
func TestWatch_begins_with_the_first_query_and_ends_with_Close(t *testing.T) {
	before := inotifies(t)
	p := newPlace(t, map[string]string{"a/b": ""})
	if got := inotifies(t); got != before {
		t.Errorf("nobody has asked, and there are %d instances after %d", got, before)
	}
	for range 3 {
		p.since(t, 0, nil)
	}
	if got := inotifies(t); got != before+1 {
		t.Skipf("%d instances after %d: %v", got, before, p.store.Notes())
	}
	p.store.Close()
	if got := inotifies(t); got != before {
		t.Errorf("closed, and there are %d instances after %d", got, before)
	}
}

func TestWatch_folders_that_come_and_go(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"a/b/c/f": "1", ".gitignore": "no/\n", "no/x/f": "", ".git/objects/f": "", ".serena/cache/f": ""})
	check := func(names ...string) {
		t.Helper()
		want := map[string]bool{"": true}
		for _, name := range names {
			want[name] = true
		}
		if got := p.store.watched(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("watched are %v, want %v", got, want)
		}
		if got := p.store.kernelWatches(t); got != len(want) {
			t.Errorf("the system watches %d folders, want %d", got, len(want))
		}
	}
	check("a", "a/b", "a/b/c")
	if err := os.Rename(p.path("a/b"), p.path("moved")); err != nil {
		t.Fatal(err)
	}
	next := p.since(t, start, map[string]sdk.ChangeKind{"a/b/c/f": sdk.Deleted, "moved/c/f": sdk.Created})
	check("a", "moved", "moved/c")
	p.write(t, "moved/c/f", "12")
	next = p.since(t, next, map[string]sdk.ChangeKind{"moved/c/f": sdk.Changed})

	out := filepath.Join(filepath.Dir(p.root), "out")
	if err := os.Rename(p.path("moved"), out); err != nil {
		t.Fatal(err)
	}
	next = p.since(t, next, map[string]sdk.ChangeKind{"moved/c/f": sdk.Deleted})
	check("a")
	if err := errors.Join(os.WriteFile(filepath.Join(out, "c/g"), nil, 0o644), os.Rename(out, p.path("a/back"))); err != nil {
		t.Fatal(err)
	}
	next = p.since(t, next, map[string]sdk.ChangeKind{"a/back/c/f": sdk.Created, "a/back/c/g": sdk.Created})
	check("a", "a/back", "a/back/c")

	p.write(t, "no/y/f", "")
	p.write(t, ".gitignore", "")
	next = p.since(t, next, map[string]sdk.ChangeKind{".gitignore": sdk.Changed, "no/x/f": sdk.Created, "no/y/f": sdk.Created})
	check("a", "a/back", "a/back/c", "no", "no/x", "no/y")
	p.write(t, ".git/info/exclude", "/a\n")
	next = p.since(t, next, nil)
	check("no", "no/x", "no/y")
	if err := os.RemoveAll(p.path("no")); err != nil {
		t.Fatal(err)
	}
	next = p.since(t, next, map[string]sdk.ChangeKind{"no/x/f": sdk.Deleted, "no/y/f": sdk.Deleted})
	check()

	p.write(t, "e/.gitignore", "x\n")
	next = p.since(t, next, map[string]sdk.ChangeKind{"e/.gitignore": sdk.Created})
	if err := os.RemoveAll(p.path("e")); err != nil {
		t.Fatal(err)
	}
	p.since(t, next, map[string]sdk.ChangeKind{"e/.gitignore": sdk.Deleted})
	check()
}

// Two folders that change places keep their watches, each with the other's path.
func TestWatch_folders_that_change_places(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"a/f": "1", "b/g": "2"})
	if err := exchange(p.path("a"), p.path("b")); err != nil {
		t.Skip(err)
	}
	next := p.since(t, start, map[string]sdk.ChangeKind{"a/f": sdk.Deleted, "b/g": sdk.Deleted, "b/f": sdk.Created, "a/g": sdk.Created})
	p.write(t, "a/g", "3")
	p.since(t, next, map[string]sdk.ChangeKind{"a/g": sdk.Changed})
}

func TestWatch_same_size_and_time(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"a": "1"})
	old := time.Unix(1_600_000_000, 0)
	if err := os.Chtimes(p.path("a"), old, old); err != nil {
		t.Fatal(err)
	}
	next := p.since(t, start, map[string]sdk.ChangeKind{"a": sdk.Changed})
	p.write(t, "a", "2")
	if err := os.Chtimes(p.path("a"), old, old); err != nil {
		t.Fatal(err)
	}
	p.since(t, next, map[string]sdk.ChangeKind{"a": sdk.Changed})
}

// What a link leads to, and a file's other name, can lie where nothing is watched.
func TestWatch_changes_that_come_by_another_name(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".gitignore": "no/\n", "no/f": "1", "h": "1"})
	outside := filepath.Join(filepath.Dir(p.root), "other name of h")
	if err := errors.Join(os.Symlink("no/f", p.path("link")), os.Symlink("no/later", p.path("dangling")), os.Link(p.path("h"), outside)); err != nil {
		t.Fatal(err)
	}
	start := p.since(t, 0, nil)
	p.write(t, "no/f", "22")
	p.write(t, "no/later", "")
	if err := os.WriteFile(outside, []byte("22"), 0o644); err != nil {
		t.Fatal(err)
	}
	next := p.since(t, start, map[string]sdk.ChangeKind{"link": sdk.Changed, "dangling": sdk.Created, "h": sdk.Changed})
	if err := errors.Join(os.Remove(p.path("no/f")), os.Link(p.path("h"), p.path("h2"))); err != nil {
		t.Fatal(err)
	}
	next = p.since(t, next, map[string]sdk.ChangeKind{"link": sdk.Deleted, "h": sdk.Changed, "h2": sdk.Created})
	p.write(t, "h2", "333")
	p.since(t, next, map[string]sdk.ChangeKind{"h": sdk.Changed, "h2": sdk.Changed})
}

// A second name that is given inside makes the first one a file to be looked at always.
func TestWatch_second_name_given_later(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"h": "1"})
	if err := os.Link(p.path("h"), p.path("h2")); err != nil {
		t.Fatal(err)
	}
	next := p.since(t, start, map[string]sdk.ChangeKind{"h": sdk.Changed, "h2": sdk.Created})
	p.write(t, "h2", "22")
	p.since(t, next, map[string]sdk.ChangeKind{"h": sdk.Changed, "h2": sdk.Changed})
}

// What no event tells of is found by a look at everything, some time after.
func TestWatch_verified_in_the_background(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"h": "1", "d/x": ""})
	other := filepath.Join(filepath.Dir(p.root), "other name of h")
	if err := errors.Join(os.Link(p.path("h"), other), os.WriteFile(other, []byte("22"), 0o644)); err != nil {
		t.Fatal(err)
	}
	next := p.since(t, start, nil)
	p.store.verified.mu.Lock()
	if wait := time.Until(p.store.verified.due); wait < 20*time.Second || wait > time.Minute {
		t.Errorf("the next look at everything is due in %v", wait)
	}
	p.store.verified.due = time.Unix(1, 0)
	p.store.verified.mu.Unlock()
	for deadline := time.Now().Add(30 * time.Second); next == start && time.Now().Before(deadline); {
		got, err := p.store.Changes(t.Context(), start)
		if err != nil {
			t.Fatal(err)
		}
		next = got.Last
	}
	p.since(t, start, map[string]sdk.ChangeKind{"h": sdk.Changed})
	if err := os.WriteFile(other, []byte("333"), 0o644); err != nil {
		t.Fatal(err)
	}
	next = p.since(t, next, map[string]sdk.ChangeKind{"h": sdk.Changed}) // now it is known to have two names

	// A census of a tree that has changed since changes nothing.
	found, err := p.store.count(t.Context())
	if err != nil || len(found.files) != 2 || len(found.folders) != 2 {
		t.Fatalf("got %+v, %v", found, err)
	}
	p.write(t, "new/y", "")
	if err := os.RemoveAll(p.path("d")); err != nil {
		t.Fatal(err)
	}
	next = p.since(t, next, map[string]sdk.ChangeKind{"new/y": sdk.Created, "d/x": sdk.Deleted})
	p.store.verified.end(found)
	p.since(t, next, nil)
	p.write(t, "new/y", "1")
	p.since(t, next, map[string]sdk.ChangeKind{"new/y": sdk.Changed})
}

func TestWatch_queue_overflows(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"a": "", "d/x": ""})
	for range 10_000 {
		if err := errors.Join(os.Rename(p.path("a"), p.path("b")), os.Rename(p.path("b"), p.path("a"))); err != nil {
			t.Fatal(err)
		}
	}
	p.write(t, "d/e/new", "")
	next := p.since(t, start, map[string]sdk.ChangeKind{"a": sdk.Changed, "d/e/new": sdk.Created})
	p.write(t, "d/e/new", "1")
	p.since(t, next, map[string]sdk.ChangeKind{"d/e/new": sdk.Changed})
	if p.store.watch.queue == nil || len(p.store.Notes()) > 0 {
		t.Errorf("it is not watched any more: %v", p.store.Notes())
	}
}

func TestWatch_root_is_replaced(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"a": "1", "same/b": "1"})
	aside := p.root + " aside"
	if err := os.Rename(p.root, aside); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.Changes(t.Context(), start); !sdk.IsKind(err, sdk.KindFileNotFound) {
		t.Errorf("the root is gone: %v", err)
	}
	p.write(t, "c", "1")
	next := p.since(t, start, map[string]sdk.ChangeKind{"a": sdk.Deleted, "same/b": sdk.Deleted, "c": sdk.Created})
	p.write(t, "c", "2")
	next = p.since(t, next, map[string]sdk.ChangeKind{"c": sdk.Changed})
	if err := errors.Join(os.RemoveAll(p.root), os.Rename(aside, p.root)); err != nil {
		t.Fatal(err)
	}
	p.since(t, next, map[string]sdk.ChangeKind{"a": sdk.Created, "same/b": sdk.Created, "c": sdk.Deleted})
}

func TestWatch_too_many_folders(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a/a": "", "b/b": "", "c/c": ""})
	p.store.watch.maxFolders = 3
	start := p.since(t, 0, nil)
	p.write(t, "d/d", "")
	next := p.since(t, start, map[string]sdk.ChangeKind{"d/d": sdk.Created})
	want := p.root + " is not watched, because it has more than 3 folders, half of fs.inotify.max_user_watches: what changed in it is found by looking at every file"
	if got := p.store.Notes(); len(got) != 1 || got[0] != want || p.store.watch.queue != nil {
		t.Errorf("notes are %q", got)
	}
	p.store.watch.maxFolders = 100
	p.store.watch.next = time.Time{} // as when the time has come
	next = p.since(t, next, nil)
	p.write(t, "d/d", "1")
	p.since(t, next, map[string]sdk.ChangeKind{"d/d": sdk.Changed})
	if p.store.watch.queue == nil || len(p.store.watch.folders) != 5 {
		t.Errorf("%d folders are watched", len(p.store.watch.folders))
	}
}

func TestWatch_another_file_system_is_mounted_meanwhile(t *testing.T) {
	t.Parallel()
	p, start := newWatched(t, map[string]string{"a": ""})
	p.store.verified.end(&census{unfit: errors.New("because of that")})
	p.write(t, "b", "")
	p.since(t, start, map[string]sdk.ChangeKind{"b": sdk.Created})
	want := p.root + " is not watched, because of that: what changed in it is found by looking at every file"
	if got := p.store.Notes(); len(got) != 1 || got[0] != want || p.store.watch.queue != nil {
		t.Errorf("notes are %q", got)
	}
}

func TestWatchable(t *testing.T) {
	t.Parallel()
	if err := watchable("/proc/self"); err == nil || !strings.Contains(err.Error(), "because /proc/self is on a file system (type 0x9fa0) that may be changed from other machines") {
		t.Errorf("got %v", err)
	}
	if err := watchable(t.TempDir() + "/none"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs("/dev/shm", &st); err == nil && st.Type == unix.TMPFS_MAGIC {
		if err := watchable("/dev/shm"); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

// Not on this machine's file systems: it must be looked at each time, and is.
func TestWatch_unknown_file_system(t *testing.T) {
	t.Parallel()
	s, err := Open("/proc/self/net/", Options{Home: t.TempDir()})
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	if _, err := s.Changes(t.Context(), 0); err != nil {
		t.Skip(err)
	}
	if got := s.Notes(); len(got) != 1 || !strings.Contains(got[0], "is not watched, because") {
		t.Errorf("notes are %q", got)
	}
}

func TestWatch_folder_that_cannot_be_read_for_a_while(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	p, start := newWatched(t, map[string]string{"d/f": "1"})
	if err := os.Chmod(p.path("d"), 0); err != nil {
		t.Fatal(err)
	}
	p.write(t, "x", "")
	next := p.since(t, start, map[string]sdk.ChangeKind{"x": sdk.Created})
	if err := os.Chmod(p.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write(t, "d/f", "22")
	p.since(t, next, map[string]sdk.ChangeKind{"d/f": sdk.Changed})
}
