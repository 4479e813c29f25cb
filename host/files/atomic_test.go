//go:build !windows

package files

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

// manyFiles and manyChanges are a write of every kind; afterMany is the tree when all of it is done.
var (
	manyFiles   = map[string]string{"a.txt": "a", "b.txt": "b", "c/d.txt": "d", "move.txt": "m", "stay.txt": "s"}
	manyChanges = []sdk.Change{
		sdk.EditFile("a.txt", base("a"), edit(0, 1, "A")),
		sdk.WriteFile("new/sub/n.txt", sdk.Absent, []byte("N")),
		sdk.DeleteFile("c/d.txt", base("d")),
		sdk.RenameFile("move.txt", base("m"), "other/moved.txt"),
		sdk.WriteFile("b.txt", base("b"), []byte("B")),
	}
	beforeMany = map[string]string{"a.txt": "a", "b.txt": "b", "c/": "", "c/d.txt": "d", "move.txt": "m", "stay.txt": "s"}
	afterMany  = map[string]string{
		"a.txt": "A", "b.txt": "B", "c/": "", "new/": "", "new/sub/": "", "new/sub/n.txt": "N", "other/": "", "other/moved.txt": "m", "stay.txt": "s",
	}
)

// manyPoints are the points that manyChanges pass, in this order.
var manyPoints = []string{
	"stage 0", "stage 1", "stage 4", "rename 0", "keep 0", "replace 0", "rename 1", "rename 2", "rename 3", "rename 4", "keep 4", "replace 4", "sync 5",
}

func TestApply_passes_the_points(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	var got []string
	p.store.fault = func(point string, i int) error {
		got = append(got, fmt.Sprint(point, " ", i))
		return nil
	}
	if _, err := p.store.Apply(t.Context(), Author{}, manyChanges); err != nil {
		t.Fatal(err)
	}
	p.checkTree(t, afterMany)
	if strings.Join(got, ",") != strings.Join(manyPoints, ",") {
		t.Errorf("points are %q", got)
	}
}

func TestApply_that_fails_anywhere_changes_nothing(t *testing.T) {
	t.Parallel()
	for _, at := range manyPoints {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			first, err := p.store.Changes(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			broken := errors.New("broken")
			p.store.fault = func(point string, i int) error {
				if fmt.Sprint(point, " ", i) == at {
					return broken
				}
				return nil
			}
			if number, err := p.store.Apply(t.Context(), Author{}, manyChanges); !errors.Is(err, broken) || number != 0 {
				t.Errorf("got %d, %v", number, err)
			}
			p.checkTree(t, beforeMany)
			p.checkHome(t)
			if after, err := p.store.Changes(t.Context(), first.Last); err != nil || after.Last != first.Last || after.Reset || len(after.Files) != 0 {
				t.Errorf("changes are told: %+v, %v", after, err)
			}
			p.store.fault = nil
			if _, err := p.store.Apply(t.Context(), Author{}, manyChanges); err != nil {
				t.Errorf("the next write: %v", err)
			}
			p.checkTree(t, afterMany)
		})
	}
}

func TestApply_somebody_changes_a_file_meanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at   string
		does func(p *place) error
		kind string
		want map[string]string
	}{
		"before the renames": {"stage 4", func(p *place) error { return os.WriteFile(filepath.Join(p.root, "b.txt"), []byte("other"), 0o644) }, sdk.KindStale, map[string]string{"b.txt": "other"}},
		"in between":         {"rename 3", func(p *place) error { return os.WriteFile(filepath.Join(p.root, "b.txt"), []byte("other"), 0o644) }, sdk.KindStale, map[string]string{"b.txt": "other"}},
		"removed":            {"rename 3", func(p *place) error { return os.Remove(filepath.Join(p.root, "b.txt")) }, sdk.KindFileNotFound, map[string]string{"b.txt": ""}},
		"created": {"rename 1", func(p *place) error {
			return os.WriteFile(filepath.Join(p.root, "new/sub/n.txt"), []byte("mine"), 0o644)
		}, sdk.KindStale, map[string]string{"new/": "", "new/sub/": "", "new/sub/n.txt": "mine"}},
		"taken target": {"rename 3", func(p *place) error {
			return os.WriteFile(filepath.Join(p.root, "other/moved.txt"), []byte("mine"), 0o644)
		}, sdk.KindStale, map[string]string{"other/": "", "other/moved.txt": "mine"}},
		"what was written": {"rename 4", func(p *place) error {
			return errors.Join(os.WriteFile(filepath.Join(p.root, "a.txt"), []byte("other"), 0o644), os.Remove(filepath.Join(p.root, "b.txt")))
		}, sdk.KindFileNotFound, map[string]string{"a.txt": "other", "b.txt": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			p.store.fault = func(point string, i int) error {
				if fmt.Sprint(point, " ", i) == c.at {
					if err := c.does(p); err != nil {
						t.Error(err)
					}
				}
				return nil
			}
			_, err := p.store.Apply(t.Context(), Author{}, manyChanges)
			if !sdk.IsKind(err, c.kind) {
				t.Errorf("got %v, want a %s", err, c.kind)
			}
			if name == "what was written" && !strings.Contains(fmt.Sprint(err), "a.txt was changed by somebody else meanwhile and is left as it is") {
				t.Errorf("the error does not name the file: %v", err)
			}
			want := maps.Clone(beforeMany)
			for file, content := range c.want {
				if want[file] = content; content == "" && !strings.HasSuffix(file, "/") {
					delete(want, file)
				}
			}
			p.checkTree(t, want)
			p.checkHome(t)
		})
	}
}

func TestApply_taking_back_fails_and_is_repeated(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	p.store.fault = func(point string, i int) error {
		if point != "rename" || i != 4 {
			return nil
		}
		// What was a.txt is not where it was kept.
		for _, entry := range p.entries(t) {
			if staged.Is(entry) && holds(p, entry, "a") {
				return errors.Join(os.Rename(filepath.Join(p.root, entry), filepath.Join(p.home, "hidden")), errors.New("broken"))
			}
		}
		return errors.New("nothing is kept")
	}
	_, err := p.store.Apply(t.Context(), Author{}, manyChanges)
	if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(err.Error(), "it is tried again by the next write") {
		t.Fatalf("got %v", err)
	}
	p.store.fault = nil
	if _, err := p.store.Apply(t.Context(), Author{}, manyChanges); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("the next write, while it still cannot be: %v", err)
	}
	j, err := p.store.readIntent()
	if err != nil || j == nil {
		t.Fatalf("the record is gone: %v", err)
	}
	if err := os.Rename(filepath.Join(p.home, "hidden"), j.Steps[0].Kept); err != nil {
		t.Fatal(err)
	}
	again := p.open(t)
	p.checkTree(t, beforeMany)
	p.checkHome(t)
	if len(again.Notes()) != 0 {
		t.Errorf("notes are %q", again.Notes())
	}
}

func (p *place) entries(t *testing.T) []string {
	t.Helper()
	list, err := os.ReadDir(p.root)
	if err != nil {
		t.Error(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func holds(p *place, name, content string) bool {
	data, err := os.ReadFile(filepath.Join(p.root, name))
	return err == nil && string(data) == content
}
