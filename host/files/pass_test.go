//go:build !windows

package files

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

// pausedLook makes the next look at the files wait. begun is closed when it does, and release lets it go on.
func (p *place) pausedLook() (begun <-chan struct{}, release func()) {
	waits, goes := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.store.fault = func(point string, _ int) error {
		if point == "look" {
			once.Do(func() { close(waits); <-goes })
		}
		return nil
	}
	return waits, sync.OnceFunc(func() { close(goes) })
}

// answer is what a query in the background says.
func (p *place) answer(t *testing.T, since uint64) <-chan sdk.Changes {
	t.Helper()
	answers := make(chan sdk.Changes, 1)
	go func() {
		got, err := p.store.Changes(t.Context(), since)
		if err != nil {
			t.Errorf("since %d: %v", since, err)
		}
		answers <- got
	}()
	return answers
}

// fact waits for a channel with a deadline.
func fact[T any](t *testing.T, ch <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(30 * time.Second):
		t.Errorf("no end: %s", what) // not Fatal: also called where the test does not run
	}
	return v
}

func TestPass_a_write_does_not_wait_for_a_long_look_and_is_told_once(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} {
		p := newPlace(t, map[string]string{"a": "1", "b": "1", "c": "1"})
		var start uint64
		if !first {
			start = p.since(t, 0, nil)
			p.write(t, "c", "2")
		}
		begun, release := p.pausedLook()
		defer release()
		answer := p.answer(t, start)
		fact(t, begun, "the look begins")
		number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
			sdk.WriteFile("a", base("1"), []byte("2")), sdk.DeleteFile("b", base("1")), sdk.WriteFile("n", sdk.Absent, nil),
		})
		if err != nil {
			t.Fatal(err)
		}
		release()
		got := fact(t, answer, "the query")
		if first {
			p.since(t, got.Last, nil)
			continue
		}
		want := []sdk.FileChange{{Path: "a", Kind: sdk.Changed}, {Path: "b", Kind: sdk.Deleted}, {Path: "n", Kind: sdk.Created}, {Path: "c", Kind: sdk.Changed}}
		if fmt.Sprint(got.Files) != fmt.Sprint(want) || got.Last != number+1 {
			t.Errorf("got %+v after %d, want %v", got, number, want)
		}
		p.since(t, number, map[string]sdk.ChangeKind{"c": sdk.Changed})
		p.since(t, got.Last, nil)
	}
}

// A look in the middle of a write that is taken back afterwards sees what never was.
func TestPass_half_a_write_is_no_change(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1", "b": "1", "z": "1"})
	p.store.watch.next = time.Now().Add(time.Hour) // so that the look sees all files
	start := p.since(t, 0, nil)
	p.write(t, "z", "2")
	begun, failing, looked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.store.fault = func(point string, i int) error {
		switch {
		case point == "look":
			close(begun)
			fact(t, failing, "the write comes to its third file")
		case point == "looked":
			close(looked)
		case point == "rename" && i == 2:
			close(failing)
			fact(t, looked, "the look ends")
			return errors.New("the disk breaks")
		}
		return nil
	}
	answer := p.answer(t, start)
	fact(t, begun, "the look begins")
	_, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
		sdk.WriteFile("n", sdk.Absent, nil), sdk.WriteFile("a", base("1"), []byte("2")), sdk.DeleteFile("b", base("1")),
	})
	if err == nil {
		t.Error("the write succeeds")
	}
	if got := fact(t, answer, "the query"); fmt.Sprint(got.Files) != fmt.Sprint([]sdk.FileChange{{Path: "z", Kind: sdk.Changed}}) {
		t.Errorf("only z was changed, and the query says %+v", got)
	}
	p.store.fault = nil
	p.since(t, start, map[string]sdk.ChangeKind{"z": sdk.Changed})
}

func TestStores_of_one_root_see_each_other(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1"})
	other := &place{root: p.root, home: p.home, store: p.open(t)}
	mine, theirs := p.since(t, 0, nil), other.since(t, 0, nil)
	for i := range 20 {
		name := fmt.Sprint("f", i)
		if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile(name, sdk.Absent, nil), sdk.WriteFile("a", base(fmt.Sprint(i+1)), []byte(fmt.Sprint(i+2)))}); err != nil {
			t.Fatal(err)
		}
		want := map[string]sdk.ChangeKind{name: sdk.Created, "a": sdk.Changed}
		mine, theirs = p.since(t, mine, want), other.since(t, theirs, want)
	}
}

func TestStores_of_two_worktrees(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	files := map[string]string{"a": "1"}
	for i := range 1500 {
		files[fmt.Sprintf("d%d/f%d", i%40, i)] = "1"
	}
	p := newPlace(t, files)
	git(p.root, "init", "-q", "-b", "main")
	git(p.root, "add", "-A")
	git(p.root, "commit", "-q", "-m", "one")
	tree := filepath.Join(filepath.Dir(p.root), "tree")
	git(p.root, "worktree", "add", "-q", "-b", "side", tree)
	other := &place{root: tree, home: p.home}
	other.store = other.open(t)
	mine, theirs := p.since(t, 0, nil), other.since(t, 0, nil)

	git(tree, "rm", "-rq", "d0", "d1", "d2")
	other.write(t, "a", "2")
	other.write(t, "new/x", "")
	git(tree, "add", "-A")
	git(tree, "commit", "-q", "-m", "two")
	want := map[string]sdk.ChangeKind{"a": sdk.Changed, "new/x": sdk.Created}
	back := map[string]sdk.ChangeKind{"a": sdk.Changed, "new/x": sdk.Deleted}
	for name := range files {
		if dir := filepath.Dir(name); dir == "d0" || dir == "d1" || dir == "d2" {
			want[name], back[name] = sdk.Deleted, sdk.Created
		}
	}
	p.since(t, mine, nil)
	theirs = other.since(t, theirs, want)
	git(tree, "checkout", "-q", "--detach", "main")
	theirs = other.since(t, theirs, back)
	git(p.root, "merge", "-q", "side")
	mine = p.since(t, mine, want)
	other.since(t, theirs, nil)
	git(p.root, "checkout", "-q", "--orphan", "empty")
	git(p.root, "rm", "-rfq", ".")
	gone := map[string]sdk.ChangeKind{"a": sdk.Deleted, "new/x": sdk.Deleted}
	for name := range files {
		if name != "a" && want[name] != sdk.Deleted {
			gone[name] = sdk.Deleted
		}
	}
	mine = p.since(t, mine, gone)
	git(p.root, "checkout", "-q", "main")
	for name := range gone {
		gone[name] = sdk.Created
	}
	p.since(t, mine, gone)
}
