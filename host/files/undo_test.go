//go:build !windows

package files

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

var me = Author{Session: "me", Method: "edit.test"}

func (p *place) apply(t *testing.T, author Author, changes ...sdk.Change) {
	t.Helper()
	if _, err := p.store.Apply(t.Context(), author, changes); err != nil {
		t.Fatal(err)
	}
}

func (p *place) undo(t *testing.T, steps int) []Edit {
	t.Helper()
	edits, err := p.store.Undo(t.Context(), me.Session, steps)
	if err != nil {
		t.Fatal(err)
	}
	return edits
}

// modes is every name below a folder with its type and mode.
func modes(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for path, st := range stamps(t, dir) {
		all[path] = fmt.Sprintf("%o", st.mode)
	}
	return all
}

func TestUndo_puts_back_every_kind_of_change(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"edit.txt": "one\r\ntwo\rthree\n", "whole.bin": "\xff\x00\xfe", "sh/run.sh": "#!/bin/sh\n", "move.txt": "m", "target": "t", "stay": "s",
	})
	for name, mode := range map[string]os.FileMode{"sh/run.sh": 0o751, "edit.txt": 0o600, "whole.bin": 0o640} {
		if err := os.Chmod(filepath.Join(p.root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"link", "link2"} {
		if err := os.Symlink("target", filepath.Join(p.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	before, beforeModes := tree(t, p.root), modes(t, p.root)
	p.apply(t, me, sdk.EditFile("edit.txt", base("one\r\ntwo\rthree\n"), edit(5, 8, "2"), edit(14, 14, "four")))
	p.apply(t, me,
		sdk.WriteFile("whole.bin", base("\xff\x00\xfe"), []byte("text")), sdk.DeleteFile("sh/run.sh", base("#!/bin/sh\n")),
		sdk.DeleteFile("link", base("t")), sdk.RenameFile("move.txt", base("m"), "a/b/moved.txt"),
		sdk.WriteFile("n/e/w.txt", sdk.Absent, []byte("new")), sdk.WriteFile("empty", sdk.Absent, nil),
	)
	p.apply(t, me, sdk.RenameFile("link2", base("t"), "link3"))
	if err := os.Remove(filepath.Join(p.root, "sh")); err != nil { // the folder comes back with its file
		t.Fatal(err)
	}
	edits, dropped, err := p.store.Edits(t.Context(), me.Session)
	if err != nil || dropped || len(edits) != 3 {
		t.Fatalf("%+v, %v, %v", edits, dropped, err)
	}
	if got, want := strings.Join(edits[1].Files, " "), "whole.bin sh/run.sh link move.txt a/b/moved.txt n/e/w.txt empty"; got != want || edits[1].Transaction || edits[1].Writes != 1 || edits[1].Methods[0] != "edit.test" {
		t.Errorf("%+v, want files %q", edits[1], want)
	}
	if got := p.undo(t, 1); len(got) != 1 || strings.Join(got[0].Files, " ") != "link2 link3" {
		t.Errorf("undone: %+v", got)
	}
	p.undo(t, 1)
	p.undo(t, 1)
	p.checkTree(t, before)
	if got := modes(t, p.root); !maps.Equal(got, beforeModes) {
		t.Errorf("modes are %v, want %v", got, beforeModes)
	}
	if _, err := p.store.Undo(t.Context(), me.Session, 1); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "no edit") {
		t.Errorf("one more: %v", err)
	}
}

func TestUndo_of_a_memory_outside_the_project(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	memory := filepath.Join(p.home, "memories", "global", "note.md")
	p.apply(t, me, sdk.WriteFile(memory, sdk.Absent, []byte("a")))
	p.apply(t, me, sdk.WriteFile(memory, base("a"), []byte("b")))
	edits, _, err := p.store.Edits(t.Context(), me.Session)
	if err != nil || len(edits) != 2 || !slices.Equal(edits[1].Files, []string{memory}) {
		t.Errorf("%+v, %v", edits, err)
	}
	p.undo(t, 1)
	if got, err := os.ReadFile(memory); err != nil || string(got) != "a" {
		t.Errorf("%q, %v", got, err)
	}
	p.undo(t, 1)
	if exists(filepath.Dir(memory)) {
		t.Error("the folder that was made is left")
	}
}

func TestUndo_refuses_what_somebody_changed_since(t *testing.T) {
	t.Parallel()
	remove := func(name string) func(*testing.T, *place) {
		return func(t *testing.T, p *place) {
			if err := os.RemoveAll(filepath.Join(p.root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put := func(name, content string) func(*testing.T, *place) {
		return func(t *testing.T, p *place) { p.write(t, name, content) }
	}
	for name, c := range map[string]struct {
		act  func(*testing.T, *place)
		told string
	}{
		"written":                    {put("a.txt", "mine"), "a.txt"},
		"removed":                    {remove("a.txt"), "a.txt"},
		"a new file was written":     {put("new/sub/n.txt", "mine"), "new/sub/n.txt"},
		"a new file was removed":     {remove("new/sub/n.txt"), "new/sub/n.txt"},
		"its folder was removed":     {remove("new"), "new/sub/n.txt"},
		"created at the old place":   {put("c/d.txt", "mine"), "c/d.txt"},
		"created with the same text": {put("c/d.txt", "d"), "c/d.txt"},
		"created at the old name":    {put("move.txt", "mine"), "move.txt"},
		"the moved file was written": {put("other/moved.txt", "mine"), "other/moved.txt"},
		"a folder is there now": {func(t *testing.T, p *place) {
			put("c/d.txt/x", "")(t, p)
		}, "c/d.txt"},
		"a link is there now": {func(t *testing.T, p *place) {
			remove("a.txt")(t, p)
			if err := os.Symlink("b.txt", filepath.Join(p.root, "a.txt")); err != nil {
				t.Fatal(err)
			}
		}, "a.txt"},
		"its folder is a link now": {func(t *testing.T, p *place) {
			if err := os.Rename(filepath.Join(p.root, "other"), filepath.Join(p.root, "moved-away")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("moved-away", filepath.Join(p.root, "other")); err != nil {
				t.Fatal(err)
			}
		}, "other/moved.txt"},
		"two of them": {func(t *testing.T, p *place) {
			put("b.txt", "mine")(t, p)
			put("a.txt", "mine")(t, p)
		}, "a.txt, b.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			p.apply(t, me, manyChanges...)
			c.act(t, p)
			before := tree(t, p.root)
			_, err := p.store.Undo(t.Context(), me.Session, 1)
			if !sdk.IsKind(err, sdk.KindStale) || !strings.HasPrefix(err.Error(), "somebody else changed "+c.told+" after edit.test at ") {
				t.Errorf("%v", err)
			}
			p.checkTree(t, before)
			if edits, _, err := p.store.Edits(t.Context(), me.Session); err != nil || len(edits) != 1 {
				t.Errorf("the journal has %+v, %v", edits, err)
			}
		})
	}
}

// What is outside now was inside when it was written: the folder was replaced by a link that leads out.
func TestUndo_never_leaves_the_project(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"dir/a": "old"})
	outside := t.TempDir()
	p.apply(t, me, sdk.WriteFile("dir/a", base("old"), []byte("new")))
	if err := os.WriteFile(filepath.Join(outside, "a"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(p.root, "dir")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(p.root, "dir")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.Undo(t.Context(), me.Session, 1); err == nil {
		t.Error("it was undone")
	}
	if got, err := os.ReadFile(filepath.Join(outside, "a")); err != nil || string(got) != "new" {
		t.Errorf("outside there is %q, %v", got, err)
	}
}

func TestUndo_of_several_is_all_or_none(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1", "b": "1"})
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")))
	p.apply(t, me, sdk.WriteFile("b", base("1"), []byte("2")))
	p.apply(t, me, sdk.RenameFile("b", base("2"), "c"))
	p.write(t, "a", "mine")
	for steps, want := range map[int]string{0: "steps is 0", -1: "at least 1", 4: "has 3 edits", 3: "undo(steps=2) takes back the edits after it"} {
		if _, err := p.store.Undo(t.Context(), me.Session, steps); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d steps: %v", steps, err)
		}
		p.checkTree(t, map[string]string{"a": "mine", "c": "2"})
	}
	p.undo(t, 2)
	p.checkTree(t, map[string]string{"a": "mine", "b": "1"})
}

func TestUndo_is_of_the_own_session(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1", "b": "1"})
	you := Author{Session: "you"}
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")))
	p.apply(t, you, sdk.WriteFile("b", base("1"), []byte("2")))
	p.apply(t, Author{}, sdk.WriteFile("c", sdk.Absent, []byte("nobody's")))
	if _, err := p.store.Undo(t.Context(), "somebody", 1); !sdk.IsKind(err, sdk.KindRuntime) {
		t.Errorf("a session without edits: %v", err)
	}
	if _, err := p.store.Undo(t.Context(), "", 1); !sdk.IsKind(err, sdk.KindRuntime) {
		t.Errorf("no session: %v", err)
	}
	p.undo(t, 1)
	p.checkTree(t, map[string]string{"a": "1", "b": "2", "c": "nobody's"})
	p.apply(t, me, sdk.WriteFile("b", base("2"), []byte("3")))
	if _, err := p.store.Undo(t.Context(), you.Session, 1); !sdk.IsKind(err, sdk.KindStale) {
		t.Errorf("a file that another session has changed since: %v", err)
	}
	p.undo(t, 1)
	if _, err := p.store.Undo(t.Context(), you.Session, 1); err != nil { // it is as it was left
		t.Error(err)
	}
	p.checkTree(t, map[string]string{"a": "1", "b": "1", "c": "nobody's"})
}

// A session that returns, in another host too, can take back what it did before; hosts that have the same id at once each have their own.
func TestUndo_after_the_session_has_moved(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1", "b": "1"})
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")))
	other := p.open(t)
	if _, err := other.Apply(t.Context(), me, []sdk.Change{sdk.WriteFile("b", base("1"), []byte("2"))}); err != nil {
		t.Fatal(err)
	}
	if edits, _, err := other.Edits(t.Context(), me.Session); err != nil || len(edits) != 1 || edits[0].Files[0] != "b" {
		t.Errorf("the other host's: %+v, %v", edits, err)
	}
	if note, err := p.store.EndSession(t.Context(), me.Session, false); note != "" || err != nil {
		t.Errorf("%q, %v", note, err)
	}
	p.undo(t, 1) // takes it over again
	p.checkTree(t, map[string]string{"a": "1", "b": "2"})
	p.store.Close()
	other.Close()
	p.store = p.open(t)
	if edits, _, err := p.store.Edits(t.Context(), me.Session); err != nil || len(edits) != 0 {
		t.Errorf("after all hosts have ended, the first one's: %+v, %v", edits, err)
	}
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("3")))
	if _, err := p.store.EndSession(t.Context(), me.Session, true); err != nil {
		t.Fatal(err)
	}
	if edits, _, err := p.store.Edits(t.Context(), me.Session); err != nil || len(edits) != 0 {
		t.Errorf("after it was to be forgotten: %+v, %v", edits, err)
	}
}

// What is taken back is a change like any other, for those who ask what changed.
func TestUndo_is_told_as_a_change(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1", "old": "o"})
	if _, err := p.store.Changes(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")), sdk.RenameFile("old", base("o"), "new"), sdk.WriteFile("n", sdk.Absent, nil))
	before := p.store.Last()
	p.undo(t, 1)
	if p.store.Last() != before+1 {
		t.Errorf("%d after %d", p.store.Last(), before)
	}
	changes, err := p.store.Changes(t.Context(), before)
	want := []sdk.FileChange{{Path: "a", Kind: sdk.Changed}, {Path: "n", Kind: sdk.Deleted}, {Path: "new", Kind: sdk.Deleted}, {Path: "old", Kind: sdk.Created}}
	if err != nil || changes.Reset || !slices.Equal(changes.Files, want) {
		t.Errorf("%+v, %v", changes, err)
	}
}
