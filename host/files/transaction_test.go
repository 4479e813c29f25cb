//go:build !windows

package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/sdk"
)

func (p *place) begin(t *testing.T) int {
	t.Helper()
	number, err := p.store.Begin(t.Context(), me.Session)
	if err != nil {
		t.Fatal(err)
	}
	return number
}

func (p *place) history(t *testing.T) []Edit {
	t.Helper()
	edits, _, err := p.store.Edits(t.Context(), me.Session)
	if err != nil {
		t.Fatal(err)
	}
	return edits
}

// inGroup is a transaction in which one write builds on the other.
func (p *place) inGroup(t *testing.T) {
	t.Helper()
	p.apply(t, me, manyChanges...)
	p.apply(t, me, sdk.WriteFile("a.txt", base("A"), []byte("AA")), sdk.DeleteFile("new/sub/n.txt", base("N")), sdk.RenameFile("other/moved.txt", base("m"), "again.txt"))
	p.apply(t, me, sdk.WriteFile("again.txt", base("m"), []byte("mm")), sdk.WriteFile("c/d.txt", sdk.Absent, []byte("D")))
	p.apply(t, me, sdk.WriteFile("move.txt", sdk.Absent, []byte("another")), sdk.RenameFile("b.txt", base("B"), "other/b.txt"))
}

var afterGroup = map[string]string{
	"a.txt": "AA", "c/": "", "c/d.txt": "D", "new/": "", "new/sub/": "", "other/": "", "other/b.txt": "B", "again.txt": "mm", "move.txt": "another", "stay.txt": "s",
}

func TestTransaction_is_one_edit(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	p.apply(t, me, sdk.WriteFile("stay.txt", base("s"), []byte("S")))
	number := p.begin(t)
	p.inGroup(t)
	if h := p.history(t); len(h) != 2 || !h[1].Open || h[1].Writes != 4 {
		t.Errorf("inside: %+v", h)
	}
	if _, err := p.store.Undo(t.Context(), me.Session, 1); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "rollback()") {
		t.Errorf("undo inside: %v", err)
	}
	if _, err := p.store.Begin(t.Context(), me.Session); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "cannot be nested") {
		t.Errorf("one inside another: %v", err)
	}
	if other, err := p.store.Begin(t.Context(), "you"); err != nil || p.store.Commit("you", other) != nil {
		t.Errorf("another session's: %v", err)
	}
	if err := p.store.Commit(me.Session, number); err != nil {
		t.Fatal(err)
	}
	if h := p.history(t); len(h) != 2 || h[1].Open || !h[1].Transaction || h[0].Transaction {
		t.Errorf("after it: %+v", h)
	}
	want := afterGroup
	want["stay.txt"] = "S"
	p.checkTree(t, want)
	for _, late := range []error{
		p.store.Commit(me.Session, number),
		func() error { _, err := p.store.RollBack(t.Context(), me.Session, number); return err }(),
		p.store.Fail(t.Context(), me.Session, number),
		p.store.Commit("nobody", number),
	} {
		if !sdk.IsKind(late, sdk.KindRuntime) || !strings.Contains(late.Error(), "is over") {
			t.Errorf("%v", late)
		}
	}
	p.undo(t, 1)
	want = map[string]string{"a.txt": "a", "b.txt": "b", "c/": "", "c/d.txt": "d", "move.txt": "m", "stay.txt": "S"}
	p.checkTree(t, want)
	p.undo(t, 1)
	p.checkTree(t, beforeMany)
}

func TestTransaction_rolled_back(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	before := modes(t, p.root)
	number := p.begin(t)
	p.inGroup(t)
	taken, err := p.store.RollBack(t.Context(), me.Session, number)
	if err != nil || taken.Writes != 4 || !slices.Contains(taken.Files, "again.txt") {
		t.Errorf("%+v, %v", taken, err)
	}
	p.checkTree(t, beforeMany)
	if got := modes(t, p.root); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("modes are %v, want %v", got, before)
	}
	p.apply(t, me, sdk.WriteFile("a.txt", base("a"), []byte("b"))) // it goes on
	if err := p.store.Fail(t.Context(), me.Session, number); err != nil {
		t.Error(err)
	}
	p.checkTree(t, beforeMany)
	if h := p.history(t); len(h) != 0 {
		t.Errorf("after it: %+v", h)
	}
	if err := p.store.Commit(me.Session, p.begin(t)); err != nil || len(p.history(t)) != 0 {
		t.Errorf("an empty one: %v, %+v", err, p.history(t))
	}
}

// What somebody writes between two of its edits is not the transaction's to take away.
func TestTransaction_somebody_wrote_between(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1", "b": "1"})
	number := p.begin(t)
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")), sdk.WriteFile("b", base("1"), []byte("2")))
	p.write(t, "a", "mine")
	p.apply(t, me, sdk.WriteFile("a", base("mine"), []byte("3")))
	if _, err := p.store.RollBack(t.Context(), me.Session, number); !sdk.IsKind(err, sdk.KindStale) || !strings.HasPrefix(err.Error(), "somebody else changed a after") {
		t.Errorf("%v", err)
	}
	p.checkTree(t, map[string]string{"a": "3", "b": "2"})
	if h := p.history(t); len(h) != 1 || !h[0].Open {
		t.Errorf("it is still %+v", h)
	}
	note, err := p.store.Abandon(t.Context(), me.Session)
	if err != nil || !strings.HasPrefix(note, "a transaction was left open; its edits stay: somebody else changed a after") {
		t.Errorf("%q, %v", note, err)
	}
	p.checkTree(t, map[string]string{"a": "3", "b": "2"})
	if h := p.history(t); len(h) != 1 || h[0].Open {
		t.Errorf("then it is %+v", h)
	}
}

func TestTransaction_ends_with_its_session(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Store) (string, error){
		"abandoned": func(s *Store) (string, error) { return s.Abandon(t.Context(), me.Session) },
		"ended":     func(s *Store) (string, error) { return s.EndSession(t.Context(), me.Session, false) },
		"forgotten": func(s *Store) (string, error) { return s.EndSession(t.Context(), me.Session, true) },
		"closed":    func(s *Store) (string, error) { s.Close(); return "edit.test in a.txt", nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			p.begin(t)
			p.inGroup(t)
			note, err := end(p.store)
			if err != nil || !strings.Contains(note, "edit.test in a.txt") {
				t.Errorf("%q, %v", note, err)
			}
			p.checkTree(t, beforeMany)
			next := p.open(t)
			if len(next.Notes()) > 0 {
				t.Errorf("the next one is told %q", next.Notes())
			}
			if note, err := next.EndSession(t.Context(), "nobody", true); note != "" || err != nil {
				t.Errorf("%q, %v", note, err)
			}
		})
	}
}

func TestTransaction_is_refused_beyond_what_is_kept_and_never_cut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "0", "b": "b"})
	p.apply(t, me, sdk.WriteFile("b", base("b"), []byte("before")))
	number := p.begin(t)
	for i := range journal.MaxEdits {
		p.apply(t, me, sdk.WriteFile("a", base(fmt.Sprint(i)), []byte(fmt.Sprint(i+1))))
	}
	_, err := p.store.Apply(t.Context(), me, []sdk.Change{sdk.WriteFile("a", base("200"), []byte("201"))})
	if !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "holds 200 edits already") {
		t.Errorf("%v", err)
	}
	p.checkTree(t, map[string]string{"a": "200", "b": "before"})
	if _, err := p.store.RollBack(t.Context(), me.Session, number); err != nil {
		t.Fatal(err)
	}
	p.checkTree(t, map[string]string{"a": "0", "b": "before"})

	large := slices.Repeat([]byte("x"), journal.MaxBytes)
	p.apply(t, me, sdk.WriteFile("large", sdk.Absent, large))
	_, err = p.store.Apply(t.Context(), me, []sdk.Change{sdk.WriteFile("large", sdk.BaseOf(large), nil), sdk.WriteFile("n", sdk.Absent, nil)})
	if !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "more than the 64 MiB") {
		t.Errorf("%v", err)
	}
	if err := p.store.Fail(t.Context(), me.Session, number); err != nil {
		t.Fatal(err)
	}
	p.checkTree(t, map[string]string{"a": "0", "b": "before"})
	if h := p.history(t); len(h) != 1 || h[0].Files[0] != "b" {
		t.Errorf("what was before it: %+v", h)
	}
}

// In a transaction a file can become a folder, and the other way.
func TestTransaction_files_and_folders_of_one_name(t *testing.T) {
	t.Parallel()
	for name, foreign := range map[string]string{"alone": "", "with somebody's file": "x/mine"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"x": "file", "y/z": "deep"})
			before := tree(t, p.root)
			number := p.begin(t)
			p.apply(t, me, sdk.DeleteFile("x", base("file")), sdk.DeleteFile("y/z", base("deep")))
			p.apply(t, me, sdk.WriteFile("x/y/z", sdk.Absent, []byte("1")))
			p.apply(t, me, sdk.RenameFile("x/y/z", base("1"), "x/y/w"))
			want := before
			if foreign != "" {
				p.write(t, foreign, "mine")
				want = tree(t, p.root)
			}
			err := p.store.Fail(t.Context(), me.Session, number)
			if (err != nil) != (foreign != "") || err != nil && !sdk.IsKind(err, sdk.KindStale) {
				t.Errorf("%v", err)
			}
			p.checkTree(t, want)
		})
	}
}

// A failure anywhere leaves the edits as they were, to be taken back by the next try.
func TestTransaction_rollback_that_fails_anywhere_changes_nothing(t *testing.T) {
	t.Parallel()
	var points []string
	probe := newPlace(t, manyFiles)
	number := probe.begin(t)
	probe.inGroup(t)
	probe.store.fault = func(point string, i int) error {
		points = append(points, fmt.Sprint(point, " ", i))
		return nil
	}
	if _, err := probe.store.RollBack(t.Context(), me.Session, number); err != nil {
		t.Fatal(err)
	}
	for _, at := range points[:slices.Index(points, "drop 0")] {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			number := p.begin(t)
			p.inGroup(t)
			before := tree(t, p.root)
			broken := errors.New("broken")
			p.store.fault = func(point string, i int) error {
				if fmt.Sprint(point, " ", i) == at {
					return broken
				}
				return nil
			}
			if _, err := p.store.RollBack(t.Context(), me.Session, number); !errors.Is(err, broken) {
				t.Errorf("%v", err)
			}
			p.checkTree(t, before)
			p.store.fault = nil
			if err := p.store.Fail(t.Context(), me.Session, number); err != nil {
				t.Errorf("then: %v", err)
			}
			p.checkTree(t, beforeMany)
			if left, err := filepath.Glob(filepath.Join(p.home, "undo", "*", "*", "*")); err != nil || len(left) != 1 {
				t.Errorf("left: %q, %v", left, err)
			}
		})
	}
}

// Somebody cleared the home: what was before cannot be taken back, what comes can.
func TestJournal_that_was_removed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1"})
	number := p.begin(t)
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")))
	if err := os.RemoveAll(filepath.Join(p.home, "undo")); err != nil {
		t.Fatal(err)
	}
	if err := p.store.Commit(me.Session, number); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "is over") {
		t.Errorf("%v", err)
	}
	p.apply(t, me, sdk.WriteFile("a", base("2"), []byte("3")))
	p.undo(t, 1)
	p.checkTree(t, map[string]string{"a": "2"})
}
