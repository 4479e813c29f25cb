//go:build !windows

package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

// since asks for the changes and checks them, whatever their order.
func (p *place) since(t *testing.T, number uint64, want map[string]sdk.ChangeKind) uint64 {
	t.Helper()
	got, err := p.store.Changes(t.Context(), number)
	if err != nil || got.Reset {
		t.Fatalf("since %d: got %+v, %v", number, got, err)
	}
	found := map[string]sdk.ChangeKind{}
	for _, f := range got.Files {
		found[f.Path] = f.Kind
	}
	if want == nil {
		want = map[string]sdk.ChangeKind{}
	}
	if !reflect.DeepEqual(found, want) || len(found) != len(got.Files) || got.Last != p.store.Last() {
		t.Errorf("since %d: got %+v, want %v", number, got, want)
	}
	return got.Last
}

func TestChanges_of_others_and_of_our_own_each_told_once(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a", "b": "b", "d/c": "c", "d/e": "e", "moved": "m"})
	start := p.since(t, 0, nil)
	if again := p.since(t, 0, nil); again != start {
		t.Errorf("nothing happened, and %d became %d", start, again)
	}
	p.write(t, "a", "aa")
	p.write(t, "new/x", "x")
	if err := errors.Join(os.Remove(filepath.Join(p.root, "b")), os.Rename(filepath.Join(p.root, "moved"), filepath.Join(p.root, "d/moved"))); err != nil {
		t.Fatal(err)
	}
	others := map[string]sdk.ChangeKind{"a": sdk.Changed, "new/x": sdk.Created, "b": sdk.Deleted, "moved": sdk.Deleted, "d/moved": sdk.Created}
	second := p.since(t, start, others)
	if second != start+1 {
		t.Errorf("one look gave the numbers %d to %d", start, second)
	}
	p.since(t, second, nil)

	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
		sdk.WriteFile("a", base("aa"), []byte("A")), sdk.DeleteFile("d/c", base("c")), sdk.RenameFile("d/e", base("e"), "f/e"), sdk.WriteFile("n", sdk.Absent, nil),
	})
	if err != nil || number != second+1 {
		t.Fatalf("got %d, %v", number, err)
	}
	own := map[string]sdk.ChangeKind{"a": sdk.Changed, "d/c": sdk.Deleted, "d/e": sdk.Deleted, "f/e": sdk.Created, "n": sdk.Created}
	if last := p.since(t, second, own); last != number {
		t.Errorf("our own write was found once more: %d became %d", number, last)
	}
	p.since(t, number, nil)
	for name, kind := range others {
		if _, ok := own[name]; !ok {
			own[name] = kind
		}
	}
	p.since(t, start, own)

	p.write(t, "a", "B") // others write what we wrote
	if err := os.Remove(filepath.Join(p.root, "n")); err != nil {
		t.Fatal(err)
	}
	p.write(t, "d/c", "again")
	p.since(t, number, map[string]sdk.ChangeKind{"a": sdk.Changed, "n": sdk.Deleted, "d/c": sdk.Created})
}

func TestChanges_our_write_between_two_looks_and_another_at_once(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a"})
	start := p.since(t, 0, nil)
	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("a"), []byte("b")), sdk.WriteFile("n", sdk.Absent, []byte("n"))})
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "a", "c")
	if err := os.Remove(filepath.Join(p.root, "n")); err != nil {
		t.Fatal(err)
	}
	p.since(t, number, map[string]sdk.ChangeKind{"a": sdk.Changed, "n": sdk.Deleted})
	p.since(t, start, map[string]sdk.ChangeKind{"a": sdk.Changed, "n": sdk.Deleted})
}

// Rewrites of the same size within one tick of the file system's clock leave no trace in what stat tells.
func TestChanges_rewritten_at_once(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "0"})
	last := p.since(t, 0, nil)
	for i := range 200 {
		p.write(t, "a", string(rune('a'+i%26)))
		last = p.since(t, last, map[string]sdk.ChangeKind{"a": sdk.Changed})
	}
	p.since(t, last, nil)
}

func TestChanges_numbers_from_before_the_first_look_or_elsewhere(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a"})
	before := p.store.Last()
	own, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("a"), []byte("b"))})
	if err != nil {
		t.Fatal(err)
	}
	for _, since := range []uint64{before, own, 99} {
		got, err := p.store.Changes(t.Context(), since)
		if err != nil || !reflect.DeepEqual(got, sdk.Changes{Reset: true, Last: own + 1}) {
			t.Errorf("since %d: got %+v, %v", since, got, err)
		}
	}
	p.since(t, own+1, nil)
}

func TestChanges_does_not_tell_of(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a", "sub/b": "b", ".gitignore": "build/\n", "build/x": "x"})
	start := p.since(t, 0, nil)
	for _, name := range []string{".git/HEAD", "sub/.git/x", ".serena/memories/m.md", "x.log", "sub/y.log", "build/y", "sub/build/z", ".serena-0123.tmp"} {
		p.write(t, name, "new")
	}
	if err := errors.Join(os.Symlink("..", filepath.Join(p.root, "up")), os.Symlink("sub", filepath.Join(p.root, "dir")), os.Symlink("nowhere", filepath.Join(p.root, "dangling")), os.Mkdir(filepath.Join(p.root, "empty"), 0o755)); err != nil {
		t.Fatal(err)
	}
	p.since(t, start, nil)
	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile(".serena/memories/m.md", base("new"), []byte("m"))})
	if err != nil || number != start+1 {
		t.Errorf("in the data folder: %d, %v", number, err)
	}
	p.since(t, start, nil)
	if number, err = p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("x.log", base("new"), []byte("l")), sdk.WriteFile("build/y", base("new"), []byte("l"))}); err != nil {
		t.Fatal(err)
	}
	ignored := map[string]sdk.ChangeKind{"x.log": sdk.Changed, "build/y": sdk.Changed}
	p.since(t, start, ignored)
	p.since(t, start, ignored)
	p.since(t, number, nil)
	p.write(t, ".gitignore", "build/\nsub/\n") // a file that comes to be ignored is not deleted
	p.since(t, number, map[string]sdk.ChangeKind{".gitignore": sdk.Changed})
}

func TestChanges_through_a_link_to_a_file(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a", "b": "b"})
	if err := os.Symlink("a", filepath.Join(p.root, "link")); err != nil {
		t.Fatal(err)
	}
	start := p.since(t, 0, nil)
	p.write(t, "a", "aa")
	next := p.since(t, start, map[string]sdk.ChangeKind{"a": sdk.Changed, "link": sdk.Changed})
	if err := errors.Join(os.Remove(filepath.Join(p.root, "link")), os.Symlink("b", filepath.Join(p.root, "link"))); err != nil {
		t.Fatal(err)
	}
	p.since(t, next, map[string]sdk.ChangeKind{"link": sdk.Changed})
}

func TestReport(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "a", "b": "b", "d/c": "c"})
	start := p.since(t, 0, nil)
	if got := p.store.Report("a", "no", "../x", ".git/y", ".serena/m"); got != start {
		t.Errorf("nothing changed: %d became %d", start, got)
	}
	p.write(t, "a", "aa")
	p.write(t, "n", "n")
	p.write(t, "x.log", "ignored")
	if err := os.Remove(filepath.Join(p.root, "b")); err != nil {
		t.Fatal(err)
	}
	number := p.store.Report("a", "n", filepath.Join(p.root, "b"), "x.log")
	if number != start+1 {
		t.Errorf("got %d after %d", number, start)
	}
	want := map[string]sdk.ChangeKind{"a": sdk.Changed, "n": sdk.Created, "b": sdk.Deleted, "x.log": sdk.Created}
	if last := p.since(t, start, want); last != number {
		t.Errorf("what was reported was found once more: %d became %d", number, last)
	}
	if got := p.store.Report("a", "n", "b"); got != number {
		t.Errorf("reported twice: %d became %d", number, got)
	}
	p.write(t, "d/c", "cc")
	if got := p.store.Report("d"); got != number+1 {
		t.Errorf("a folder: got %d after %d", got, number)
	}
	p.write(t, "d/c", "ccc")
	if got := p.store.Report(); got != number+2 {
		t.Errorf("everything: got %d after %d", got, number)
	}
	p.since(t, number, map[string]sdk.ChangeKind{"d/c": sdk.Changed})
}

func TestChanges_many_callers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"0": ""})
	start := p.since(t, 0, nil)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			name := string(rune('a' + i))
			if err := os.WriteFile(filepath.Join(p.root, name), nil, 0o644); err != nil {
				t.Error(err)
				return
			}
			got, err := p.store.Changes(t.Context(), start)
			if err != nil {
				t.Error(err)
			}
			for _, f := range got.Files {
				if f.Path == name {
					return
				}
			}
			t.Errorf("what was written before the call is not in the answer: %s in %+v", name, got)
		})
	}
	group.Wait()
}

func TestChanges_cancelled_and_gone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": ""})
	p.store.tree.Lock() // as a slow look would
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.store.Changes(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	p.store.tree.Unlock()
	p.since(t, 0, nil)
	if err := os.RemoveAll(p.root); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.Changes(t.Context(), 0); !sdk.IsKind(err, sdk.KindFileNotFound) {
		t.Errorf("the root is gone: %v", err)
	}
}

func BenchmarkChanges_1000_files_in_45_folders(b *testing.B) {
	root := b.TempDir()
	for i := range 1000 {
		path := filepath.Join(root, fmt.Sprintf("d%d/e%d/f%d.go", i%5, i/5%8, i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(path), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	for name, change := range map[string]func(i int) error{
		"idle":             func(int) error { return nil },
		"one file changed": func(i int) error { return os.WriteFile(filepath.Join(root, "d1/e1/new"), fmt.Append(nil, i), 0o644) },
		"scan":             nil,
	} {
		b.Run(name, func(b *testing.B) {
			s, err := Open(root, Options{Home: b.TempDir()})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if change == nil {
				s.watch.next = time.Now().Add(time.Hour)
			}
			for i := 0; b.Loop(); i++ {
				if change != nil {
					if err := change(i); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := s.Changes(b.Context(), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
