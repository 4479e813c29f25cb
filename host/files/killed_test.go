//go:build !windows

package files

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

func TestOpen_after_a_host_was_killed_in_the_middle(t *testing.T) {
	t.Parallel()
	for _, at := range manyPoints {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			order{Root: p.root, Home: p.home, Changes: manyChanges, StopAt: at}.startStopped(t)()
			if at != "stage 0" && !slices.ContainsFunc(p.entries(t), staged.Is) {
				t.Error("the child left nothing to clean up: the test proves nothing")
			}
			s := p.open(t)
			want := beforeMany
			if at == "sync 5" { // everything was done
				want = afterMany
			}
			p.checkTree(t, want)
			p.checkHome(t)
			if len(s.Notes()) != 0 {
				t.Errorf("notes are %q", s.Notes())
			}
		})
	}
}

// A host that has the project open already takes it back with its next look or write.
func TestStore_that_was_open_when_another_host_was_killed(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(s *Store) error{
		"changes": func(s *Store) error { _, err := s.Changes(t.Context(), 0); return err },
		"apply":   func(s *Store) error { _, err := s.Apply(t.Context(), Author{}, nil); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			kill := order{Root: p.root, Home: p.home, Changes: manyChanges, StopAt: "rename 3"}.startStopped(t)
			half := tree(t, p.root)
			if _, err := p.store.Changes(t.Context(), 0); err != nil {
				t.Error(err)
			}
			other := p.open(t)
			p.checkTree(t, half) // its writer lives: it is not ours to take back
			if len(other.Notes()) != 0 {
				t.Errorf("notes are %q", other.Notes())
			}
			kill()
			if err := next(p.store); err != nil {
				t.Error(err)
			}
			p.checkTree(t, beforeMany)
			p.checkHome(t)
		})
	}
}

func TestOpen_leaves_alone_what_somebody_changed_since(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	order{Root: p.root, Home: p.home, Changes: manyChanges, StopAt: "rename 4"}.startStopped(t)()
	p.write(t, "a.txt", "mine")         // was written, and is somebody's now
	p.write(t, "b.txt", "mine, too")    // was not written yet
	p.write(t, "c/d.txt", "back again") // was deleted
	s := p.open(t)
	want := map[string]string{"a.txt": "mine", "b.txt": "mine, too", "c/": "", "c/d.txt": "back again", "move.txt": "m", "stay.txt": "s"}
	p.checkTree(t, want)
	p.checkHome(t)
	if notes := s.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "a write of 5 files was interrupted") || !strings.Contains(notes[0], "except for a.txt, c/d.txt, which somebody changed since") {
		t.Errorf("notes are %q", notes)
	}
}

// Who makes by hand what the killed write would have made owns it: it stays, and the project's next write is not refused for it.
func TestOpen_leaves_alone_what_somebody_did_instead(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"stage 1", "stage 4", "rename 0", "rename 1"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			order{Root: p.root, Home: p.home, Changes: manyChanges, StopAt: at}.startStopped(t)()
			p.write(t, "b.txt", "B")
			p.write(t, "new/sub/n.txt", "N")
			if err := os.Remove(filepath.Join(p.root, "c/d.txt")); err != nil {
				t.Fatal(err)
			}
			s := p.open(t)
			if _, err := s.Apply(t.Context(), Author{}, nil); err != nil {
				t.Error(err)
			}
			p.checkTree(t, map[string]string{"a.txt": "a", "b.txt": "B", "c/": "", "move.txt": "m", "new/": "", "new/sub/": "", "new/sub/n.txt": "N", "stay.txt": "s"})
			p.checkHome(t)
		})
	}
}

// What was to be written under a name that the file system does not take is taken back, too.
func TestOpen_name_that_cannot_be(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"new/.serena-00.tmp": "N", "a": "a"})
	j := &intent{Version: intentVersion, Root: p.root, Folders: []string{filepath.Join(p.root, "new")}, Steps: []record{
		{Kind: kindWrite, Path: filepath.Join(p.root, "new", strings.Repeat("n", 256)), Temp: filepath.Join(p.root, "new/.serena-00.tmp"), Base: sdk.Absent, Next: base("N")},
		{Kind: kindMove, Path: filepath.Join(p.root, "a"), To: filepath.Join(p.root, "new", strings.Repeat("m", 256)), Base: base("a")},
	}}
	if err := p.store.writeIntent(j, true); err != nil {
		t.Fatal(err)
	}
	p.open(t)
	p.checkTree(t, map[string]string{"a": "a"})
	p.checkHome(t)
}

func TestOpen_half_a_rename_and_half_a_creation(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"old": "m", "a": "a"})
	// As if the writer had died between the new name and the end of the old one.
	temp := filepath.Join(p.root, ".serena-00.tmp")
	for from, to := range map[string]string{"old": "new", ".serena-00.tmp": "made"} {
		if from != "old" {
			p.write(t, from, "N")
		}
		if err := os.Link(filepath.Join(p.root, from), filepath.Join(p.root, to)); err != nil {
			t.Fatal(err)
		}
	}
	j := &intent{Version: intentVersion, Root: p.root, Steps: []record{
		{Kind: kindMove, Path: filepath.Join(p.root, "old"), To: filepath.Join(p.root, "new"), Base: base("m")},
		{Kind: kindWrite, Path: filepath.Join(p.root, "made"), Temp: temp, Base: sdk.Absent, Next: base("N")},
	}}
	if err := p.store.writeIntent(j, true); err != nil {
		t.Fatal(err)
	}
	p.open(t)
	p.checkTree(t, map[string]string{"new": "m", "made": "N", "a": "a"}) // all was done
	p.checkHome(t)

	p.write(t, "old", "m")
	if err := os.Remove(filepath.Join(p.root, "new")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(p.root, "old"), filepath.Join(p.root, "new")); err != nil {
		t.Fatal(err)
	}
	j.Steps[1] = record{Kind: kindWrite, Path: filepath.Join(p.root, "a"), Temp: temp, Kept: filepath.Join(p.root, ".serena-01.tmp"), Base: base("a"), Next: base("N")}
	p.write(t, ".serena-00.tmp", "N")
	if err := p.store.writeIntent(j, false); err != nil {
		t.Fatal(err)
	}
	p.open(t)
	p.checkTree(t, map[string]string{"old": "m", "made": "N", "a": "a"}) // the second was not
	p.checkHome(t)
}

// Names are bytes: a record must give back those that are not UTF-8.
func TestOpen_root_that_is_not_UTF8(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	p.root = filepath.Join(filepath.Dir(p.root), "r\xff\n\"oot")
	for name, content := range manyFiles {
		p.write(t, name, content)
	}
	s := p.open(t)
	s.fault = func(point string, i int) error {
		if point == "rename" && i == 4 {
			panic("dies here")
		}
		return nil
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = s.Apply(t.Context(), Author{}, manyChanges)
	}()
	p.open(t)
	p.checkTree(t, beforeMany)
	p.checkHome(t)
}

// A host that was killed while it removed what the finished write had needed.
func TestOpen_after_a_host_was_killed_while_cleaning(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	order{Root: p.root, Home: p.home, Changes: manyChanges, StopAt: "sync 5"}.startStopped(t)()
	j, err := p.store.readIntent()
	if err != nil || j == nil {
		t.Fatal(j, err)
	}
	for _, i := range []int{0, 2} { // in the order of cleaning
		if err := os.Remove(j.Steps[i].Kept); err != nil {
			t.Fatal(err)
		}
	}
	p.write(t, "c/d.txt", "somebody's")
	p.open(t)
	want := maps.Clone(afterMany)
	want["c/d.txt"] = "somebody's"
	p.checkTree(t, want)
	p.checkHome(t)
}

func TestOpen_records_that_make_no_sense(t *testing.T) {
	t.Parallel()
	for content, note := range map[string]string{
		`{"version":1,"ro`:                 "", // cut off: nothing was done yet
		``:                                 "",
		`{"version":2,"root":"\"/\""}`:     "was written by another version of serena",
		`{"version":1,"root":"\"/else\""}`: "was written by another version of serena",
		`{"version":1,"root":"/unquoted"}`: "was written by another version of serena",
		`{"version":1,"root":"\"ROOT\"","steps":[{"kind":"write","path":"\"ROOT/a\"","base":"\"\"","to":"\"\"","kept":"\"\"","temp":"\"ROOT/a\""}]}`: "which no writer stages",
	} {
		p := newPlace(t, map[string]string{"a": "a"})
		if err := os.MkdirAll(filepath.Dir(p.store.recordPath), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p.store.recordPath, []byte(strings.ReplaceAll(content, "ROOT", p.root)), 0o600); err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(p.open(t).Notes(), "\n")
		if (note == "") != (notes == "") || !strings.Contains(notes, note) {
			t.Errorf("%s: notes are %q, want %q", content, notes, note)
		}
		if note == "" {
			p.checkHome(t)
		}
		p.checkTree(t, map[string]string{"a": "a"})
	}
}
