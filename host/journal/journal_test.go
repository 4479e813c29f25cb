package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/filelock"
	"github.com/serena-go/serena/sdk"
)

func openLog(t *testing.T, s *Store, session string) *Log {
	t.Helper()
	l, err := s.Open(session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// odd are names that JSON cannot hold as they are.
const odd = "/p/r\xff\n\"oo\u2028t"

func entry(kept ...string) *Entry {
	e := &Entry{Method: "edit.x", Folders: []Name{odd}}
	for _, k := range kept {
		e.Steps = append(e.Steps, Step{Kind: "write", Path: odd, To: "/to", Before: "link to \xfe", After: "b", Mode: 0o100644, UID: 1, GID: 2, Prefix: 3, Suffix: 4, Kept: []byte(k)})
	}
	return e
}

func made(t *testing.T, l *Log, e *Entry) *Entry {
	t.Helper()
	if err := l.Begin(e); err != nil {
		t.Fatal(err)
	}
	if err := l.Done(e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestLog_gives_back_what_it_was_given(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir(), "p", time.Hour)
	l := openLog(t, s, "me")
	kept := []string{"\x00\xff\n", "", "d\np\n"}
	at := made(t, l, entry(kept...)).Time
	l.Close()
	l = openLog(t, s, "me")
	edits, dropped := l.Edits()
	if len(edits) != 1 || dropped || len(edits[0].Entries) != 1 {
		t.Fatalf("%+v, %v", edits, dropped)
	}
	e := edits[0].Entries[0]
	want := Step{Kind: "write", Path: odd, To: "/to", Before: "link to \xfe", After: "b", Mode: 0o100644, UID: 1, GID: 2, Prefix: 3, Suffix: 4, Length: 3}
	if got := e.Steps[0]; fmt.Sprint(got) != fmt.Sprint(want) || e.Folders[0] != odd || e.Method != "edit.x" || !e.Time.Equal(at) {
		t.Errorf("%+v", e)
	}
	got, err := l.Kept(e)
	for i, k := range kept {
		if err != nil || string(got[i]) != k {
			t.Errorf("%q, %v", got, err)
		}
	}
	if !s.Holds(e.Path()) || s.Holds(filepath.Join(l.Dir(), "lock")) || New(t.TempDir(), "p", time.Hour).Holds(e.Path()) {
		t.Error("whose entry is it?")
	}
}

// What was begun counts when it was settled as made, and only then; what is cut off never does.
func TestLog_after_its_process_was_killed(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir(), "p", time.Hour)
	l := openLog(t, s, "me")
	made(t, l, entry("first"))
	for range 3 {
		if err := l.Begin(entry("begun")); err != nil {
			t.Fatal(err)
		}
	}
	path := func(n int) string { return entryPath(l.Dir(), n) }
	for n, isMade := range map[int]bool{3: true, 4: false} {
		for range 2 {
			if err := Settle(path(n), isMade); err != nil {
				t.Error(err)
			}
		}
	}
	if err := Settle(path(99), true); err != nil {
		t.Errorf("of a journal that is gone: %v", err)
	}
	whole, err := os.ReadFile(path(1))
	if err != nil {
		t.Fatal(err)
	}
	for n, content := range map[int]string{5: "", 6: "d", 7: "d\n{", 8: "d\n{}\nmore than it says\n", 9: string(whole[:len(whole)-1]), 10: "x" + string(whole[1:])} {
		if err := os.WriteFile(path(n), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	l = openLog(t, s, "me")
	edits, _ := l.Edits()
	if len(edits) != 2 || edits[0].Entries[0].Number != 1 || edits[1].Entries[0].Number != 3 {
		t.Errorf("%+v", edits)
	}
	if e := made(t, l, entry("next")); e.Number != 4 {
		t.Errorf("the next one is number %d", e.Number)
	}
	if left, _ := filepath.Glob(filepath.Join(l.Dir(), "*"+entrySuffix)); len(left) != 3 {
		t.Errorf("left: %q", left)
	}
}

func TestLog_groups(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir(), "p", time.Hour)
	l := openLog(t, s, "me")
	if s.HasOpen() || l.CloseGroup() != nil {
		t.Error("there is none yet")
	}
	made(t, l, entry("single"))
	for want := 1; want <= 2; want++ {
		group, err := l.OpenGroup()
		if err != nil || group != want || l.Group() != want || !s.HasOpen() {
			t.Errorf("%d, %v", group, err)
		}
		if _, err := l.OpenGroup(); !sdk.IsKind(err, sdk.KindRuntime) {
			t.Errorf("nested: %v", err)
		}
		made(t, l, entry("a"))
		made(t, l, entry("b"))
		if err := l.CloseGroup(); err != nil || l.Group() != 0 || s.HasOpen() {
			t.Error(err)
		}
	}
	l.Close()
	l = openLog(t, s, "me")
	edits, _ := l.Edits()
	var sizes []int
	for _, e := range edits {
		sizes = append(sizes, len(e.Entries))
	}
	if !slices.Equal(sizes, []int{1, 2, 2}) {
		t.Errorf("%v", sizes)
	}
	if group, err := l.OpenGroup(); err != nil || group != 3 {
		t.Errorf("the next one is number %d, %v", group, err)
	}
}

func TestStore_orphans(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "no [pattern") // a name as any other
	s := New(home, "p", time.Hour)
	if s.HasOpen() {
		t.Error("a group is open where there is nothing")
	}
	if orphans, err := s.Orphans(); err != nil || len(orphans) > 0 {
		t.Errorf("%v, %v", orphans, err)
	}
	open, lives := openLog(t, s, "dead"), openLog(t, s, "lives")
	made(t, openLog(t, s, "without"), entry("a"))
	for _, l := range []*Log{open, lives} {
		if _, err := l.OpenGroup(); err != nil {
			t.Fatal(err)
		}
		made(t, l, entry("a"))
	}
	if !s.HasOpen() {
		t.Error("it is not seen that groups are open")
	}
	open.Close() // as the end of its process does
	orphans, err := s.Orphans()
	if err != nil || len(orphans) != 1 || orphans[0].Dir() != open.Dir() || orphans[0].Session() != "dead" {
		t.Fatalf("%v, %v", orphans, err)
	}
	if edits, _ := orphans[0].Edits(); len(edits) != 1 || !edits[0].Open {
		t.Errorf("%+v", edits)
	}
	if again, err := s.Orphans(); err != nil || len(again) > 0 {
		t.Errorf("while somebody has it: %v, %v", again, err)
	}
	orphans[0].Close()
	// A file that was not yet written when the machine ended.
	if err := os.WriteFile(filepath.Join(open.Dir(), openName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if l := openLog(t, s, "dead"); l.Group() != 0 || l.Dir() != open.Dir() {
		t.Errorf("%d, %s", l.Group(), l.Dir())
	}
}

func TestStore_hosts_with_one_id(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir(), "p", time.Hour)
	if s.Has("me") {
		t.Error("there is nothing yet")
	}
	first, second := openLog(t, s, "me"), openLog(t, s, "me")
	if first.Dir() == second.Dir() || !s.Has("me") || s.Has("you") {
		t.Error(first.Dir(), second.Dir())
	}
	if err := s.Remove(first); err != nil {
		t.Fatal(err)
	}
	if !first.Gone() || second.Gone() {
		t.Error("which is gone?")
	}
}

func TestStore_expire(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := New(home, "p", time.Hour)
	if err := s.Expire(t.Context(), time.Now()); err != nil {
		t.Error(err)
	}
	made(t, openLog(t, s, "held"), entry("a"))
	for _, project := range []string{"p", "q"} {
		l := openLog(t, New(home, project, time.Hour), "old")
		made(t, l, entry("a"))
		l.Close()
	}
	killed := openLog(t, New(home, "r", time.Hour), "in a transaction")
	if _, err := killed.OpenGroup(); err != nil {
		t.Fatal(err)
	}
	made(t, killed, entry("a"))
	killed.Close()
	if err := s.Expire(t.Context(), time.Now().Add(59*time.Minute)); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "undo", "*", "*")); len(left) != 4 {
		t.Errorf("too early: %q", left)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Expire(done, time.Now().Add(61*time.Minute)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.Expire(t.Context(), time.Now().Add(61*time.Minute)); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "undo", "*", "*")); len(left) != 2 || filepath.Base(left[0]) != key("held") || filepath.Base(left[1]) != key("in a transaction") {
		t.Errorf("left: %q", left)
	}
	if err := s.Expire(t.Context(), time.Now().Add(21*time.Hour)); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "undo", "*", "*")); len(left) != 1 || filepath.Base(left[0]) != key("held") {
		t.Errorf("after a long time: %q", left)
	}
	if lock, err := filelock.Own(filepath.Join(home, "undo", "p", key("held"))); !errors.Is(err, filelock.ErrHeld) {
		t.Error(lock, err)
	}
}
