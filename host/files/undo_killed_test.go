//go:build !windows

package files

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// ledgerPoints are all that a write which a journal is kept of can pass, up to those where the files are all done.
var ledgerPoints = append(append([]string{"ahead 0"}, manyPoints...), "mark 0", "drop 0", "finish 0")

func isDone(point string) bool {
	return slices.Index(ledgerPoints, point) >= slices.Index(ledgerPoints, "sync 5")
}

// Wherever a host is killed in an edit, the files and the journal tell the same.
func TestUndo_after_a_host_was_killed_in_an_edit(t *testing.T) {
	t.Parallel()
	for _, at := range ledgerPoints {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			order{Root: p.root, Home: p.home, Session: me.Session, Changes: manyChanges, StopAt: at}.startStopped(t)()
			p.store = p.open(t)
			if notes := p.store.Notes(); len(notes) > 0 {
				t.Errorf("notes are %q", notes)
			}
			if !isDone(at) {
				p.checkTree(t, beforeMany)
				if h := p.history(t); len(h) > 0 {
					t.Errorf("it can be taken back: %+v", h)
				}
				return
			}
			p.checkTree(t, afterMany)
			p.undo(t, 1)
			p.checkTree(t, beforeMany)
		})
	}
}

// The same in taking back, of an edit and of a transaction that stays open.
func TestUndo_that_was_killed(t *testing.T) {
	t.Parallel()
	var points []string
	probe := newPlace(t, manyFiles)
	probe.apply(t, me, manyChanges...)
	probe.store.fault = func(point string, i int) error {
		points = append(points, fmt.Sprint(point, " ", i))
		return nil
	}
	probe.undo(t, 1)
	if len(points) < 10 || points[len(points)-2] != "drop 0" {
		t.Fatalf("points are %q", points)
	}
	done := slices.IndexFunc(points, func(point string) bool { return strings.HasPrefix(point, "sync") })
	for i, at := range points {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			order{Root: p.root, Home: p.home, Session: me.Session, Earlier: [][]sdk.Change{manyChanges}, Undo: 1, StopAt: at}.startStopped(t)()
			p.store = p.open(t)
			if notes := p.store.Notes(); len(notes) > 0 {
				t.Errorf("notes are %q", notes)
			}
			if i < done {
				p.checkTree(t, afterMany)
				p.undo(t, 1)
			}
			p.checkTree(t, beforeMany)
			if h := p.history(t); len(h) > 0 {
				t.Errorf("more can be taken back: %+v", h)
			}
		})
	}
}

var earlierGroup = [][]sdk.Change{
	{sdk.WriteFile("stay.txt", base("s"), []byte("S"))},
	{sdk.WriteFile("stay.txt", base("S"), []byte("SS")), sdk.WriteFile("g/h", sdk.Absent, nil)},
}

// The next host that opens the project takes an open transaction back, whatever its host was doing when it was killed.
func TestTransaction_whose_host_was_killed(t *testing.T) {
	t.Parallel()
	for _, at := range append(slices.Clone(ledgerPoints), "end") {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			order{Root: p.root, Home: p.home, Session: me.Session, Open: true, Earlier: earlierGroup, Changes: manyChanges, StopAt: at}.startStopped(t)()
			p.store = p.open(t)
			p.checkTree(t, beforeMany)
			if notes := p.store.Notes(); len(notes) != 1 || !strings.HasPrefix(notes[0], `the session "me" was killed in a transaction, which was taken back: edit.test in stay.txt, g/h`) {
				t.Errorf("notes are %q", notes)
			}
			if h := p.history(t); len(h) > 0 {
				t.Errorf("more can be taken back: %+v", h)
			}
			if notes := p.open(t).Notes(); len(notes) > 0 {
				t.Errorf("the one after it is told %q", notes)
			}
		})
	}
}

// Never one whose owner lives, whoever opens or writes the project meanwhile.
func TestTransaction_whose_host_lives(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	kill := order{Root: p.root, Home: p.home, Session: me.Session, Open: true, Earlier: earlierGroup, Changes: manyChanges, StopAt: "end"}.startStopped(t)
	other := p.open(t)
	p.apply(t, me, sdk.WriteFile("mine", sdk.Absent, nil))
	want := maps.Clone(afterMany)
	maps.Copy(want, map[string]string{"stay.txt": "SS", "g/": "", "g/h": "", "mine": ""})
	p.checkTree(t, want)
	if notes := append(other.Notes(), p.store.Notes()...); len(notes) > 0 {
		t.Errorf("notes are %q", notes)
	}
	kill()
	// A host that has had the project open takes it back before it writes.
	p.apply(t, me, sdk.WriteFile("stay.txt", base("s"), []byte("mine")))
	want = maps.Clone(beforeMany)
	maps.Copy(want, map[string]string{"stay.txt": "mine", "mine": ""})
	p.checkTree(t, want)
	if notes := p.store.Notes(); len(notes) != 1 {
		t.Errorf("notes are %q", notes)
	}
	p.undo(t, 2)
	p.checkTree(t, beforeMany)
}

func TestTransaction_that_was_committed_before_its_host_was_killed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	order{Root: p.root, Home: p.home, Session: me.Session, Open: true, Earlier: append(slices.Clone(earlierGroup), manyChanges), Commit: true, StopAt: "end"}.startStopped(t)()
	p.store = p.open(t)
	if h := p.history(t); len(h) != 1 || h[0].Writes != 3 || h[0].Open {
		t.Errorf("%+v", h)
	}
	p.undo(t, 1)
	p.checkTree(t, beforeMany)
}

// A killed transaction whose files somebody changed since stays as a whole, and the note names the file.
func TestTransaction_whose_host_was_killed_and_whose_file_was_changed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	order{Root: p.root, Home: p.home, Session: me.Session, Open: true, Earlier: [][]sdk.Change{manyChanges}, StopAt: "end"}.startStopped(t)()
	p.write(t, "b.txt", "mine")
	p.store = p.open(t)
	want := maps.Clone(afterMany)
	want["b.txt"] = "mine"
	p.checkTree(t, want)
	if notes := p.store.Notes(); len(notes) != 1 || !strings.Contains(notes[0], "whose edits stay: somebody else changed b.txt after") {
		t.Errorf("notes are %q", notes)
	}
	if notes := p.open(t).Notes(); len(notes) > 0 {
		t.Errorf("the one after it is told %q", notes)
	}
	p.write(t, "b.txt", "B")
	p.undo(t, 1)
	p.checkTree(t, beforeMany)
}

// A disk that is full for what is replaced, but not for what replaces it.
func TestApply_full_disk_for_the_journal(t *testing.T) {
	t.Parallel()
	old := strings.Repeat("x", 1<<20)
	p := newPlace(t, map[string]string{"a": old})
	out, err := order{Root: p.root, Home: p.home, Session: me.Session, Changes: []sdk.Change{sdk.WriteFile("a", base(old), []byte("small"))}, FileLimit: 100_000}.command(t).Output()
	if err != nil || !strings.HasPrefix(string(out), "OSError|keep what is replaced in "+filepath.Join(p.home, "undo")) || !strings.Contains(string(out), "file too large; nothing was changed; free some space first") {
		t.Errorf("%q, %v", out, err)
	}
	p.checkTree(t, map[string]string{"a": old})
	if left, err := filepath.Glob(filepath.Join(p.home, "undo", "*", "*", "*.edit")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	if _, err := os.Stat(p.store.recordPath); err == nil {
		t.Error("the record is left")
	}
}

// endlessFiles all have the number of the last edit in them, except within a transaction, whose edits count a or b alone.
var endlessFiles = map[string]string{"a": "0", "b": "0", "c/d": "0"}

// endlessly makes edits until it is killed, and writes a line after each.
func endlessly(s *Store, session string) {
	write := func(names []string, from, to int) {
		var changes []sdk.Change
		for _, name := range names {
			changes = append(changes, sdk.WriteFile(name, base(fmt.Sprint(from)), []byte(fmt.Sprint(to))))
		}
		if _, err := s.Apply(context.Background(), Author{Session: session}, changes); err != nil {
			panic(err)
		}
		fmt.Println("ok")
	}
	for n := 0; ; n++ {
		if n%3 != 2 {
			write([]string{"a", "b", "c/d"}, n, n+1)
			continue
		}
		number, err := s.Begin(context.Background(), session)
		if err != nil {
			panic(err)
		}
		write([]string{"a"}, n, n+1)
		write([]string{"b", "c/d"}, n, n+1)
		if err := s.Commit(session, number); err != nil {
			panic(err)
		}
	}
}

// A host is killed at whatever point it has come to: all files are of one edit, and the journal has the way back to the first.
func TestUndo_after_a_host_was_killed_at_random(t *testing.T) {
	t.Parallel()
	for lines := range 16 {
		t.Run(fmt.Sprint(lines), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, endlessFiles)
			cmd := order{Root: p.root, Home: p.home, Session: me.Session, Endless: true}.command(t)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(out)
			for range lines + 1 {
				if line, err := in.ReadString('\n'); line != "ok\n" {
					t.Errorf("the child says %q, %v", line, err)
				}
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			p.store = p.open(t)
			got := tree(t, p.root)
			if got["a"] != got["b"] || got["b"] != got["c/d"] || len(got) != 4 {
				t.Errorf("the files are %q", got)
			}
			if n := fmt.Sprint(len(p.history(t))); n != got["a"] {
				t.Errorf("there are %s edits, the files are of number %s", n, got["a"])
			}
			if n := len(p.history(t)); n > 0 {
				p.undo(t, n)
			}
			p.checkTree(t, map[string]string{"a": "0", "b": "0", "c/": "", "c/d": "0"})
		})
	}
}
