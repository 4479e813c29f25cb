package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/host/session/snapshots"
)

const testLimit = time.Minute

// python is found once for all tests.
var python = sync.OnceValues(func() (repl.Interpreter, error) {
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	return repl.FindPython(ctx, repl.FindOptions{Env: os.Environ()})
})

// kept is a host's sessions with real runtimes, whose variables are kept below home.
type kept struct {
	*Registry
	t      *testing.T
	home   string
	starts atomic.Int32
}

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

// keeping makes a registry; its end comes with the test's, or earlier by leave.
func keeping(t *testing.T, home string, change ...func(*Services)) *kept {
	t.Helper()
	found, err := python()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := repl.Extract(home)
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{t: t, home: home}
	s := services()
	s.CellTimeout = func(*project.Project) time.Duration { return testLimit }
	s.Snapshots = snapshots.New(home, 24*time.Hour)
	s.Limits.SnapshotAfter = time.Hour // never by itself, unless the test changes it
	s.StartRuntime = func(ctx context.Context, _ *project.Project, b repl.Backend) (*repl.Runtime, error) {
		k.starts.Add(1)
		return repl.Start(ctx, repl.Options{Interpreter: found, Dir: dir, Env: os.Environ(), Backend: b})
	}
	for _, f := range change {
		f(s)
	}
	k.Registry = NewRegistry(s, Place{Project: &project.Project{Root: home, Name: "p"}})
	t.Cleanup(k.leave)
	return k
}

func (k *kept) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), testLimit) // the test's is done
	defer cancel()
	k.Close(ctx)
}

// cell runs a cell that must succeed, and returns its value and its notes.
func (k *kept) cell(id, code string) (value, notes string) {
	k.t.Helper()
	r, err := k.Execute(limited(k.t), id, code, nil)
	if err != nil {
		k.t.Fatalf("%s: %v", code, err)
	}
	if r.Failure != nil {
		k.t.Fatalf("%s: %s", code, r.Failure.Text())
	}
	if r.Value != nil {
		value = *r.Value
	}
	return value, strings.Join(r.Notes, "\n")
}

func (k *kept) gives(id, code, want string) (notes string) {
	k.t.Helper()
	value, notes := k.cell(id, code)
	if value != want {
		k.t.Errorf("%s: %q, want %q (notes %q)", code, value, want, notes)
	}
	return notes
}

// dies runs a cell that ends Python.
func (k *kept) dies(id, code string) string {
	k.t.Helper()
	_, err := k.Execute(limited(k.t), id, code, nil)
	if !errors.Is(err, repl.ErrGone) {
		k.t.Fatalf("%s: %v", code, err)
	}
	return err.Error()
}

func (k *kept) says(text string, parts ...string) {
	k.t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			k.t.Errorf("%q does not say %q", text, p)
		}
	}
}

// snapshot has a session's variables kept now.
func (k *kept) snapshot(id string) {
	k.t.Helper()
	k.Get(id).keepIdle()
	if k.Get(id).changed {
		k.t.Fatal("the variables were not kept")
	}
}

const variables = `x = 20
def f(v): return v * x
class C:
    def g(self): return f(2)
c = C()
import socket
sock = socket.socket()
half = (i for i in [1])`

func TestASessionComesBackInAnotherHost(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one := keeping(t, home)
	one.cell("a", variables)
	one.cell("b", "x = 'of b'")
	one.leave()

	two := keeping(t, home)
	notes := two.gives("a", "(x, f(3), c.g())", "(20, 60, 40)")
	two.says(notes, "variables restored from the snapshot of ", "could not be kept: half (TypeError: cannot pickle 'generator' object); sock (TypeError: cannot pickle 'socket' object)")
	if strings.Contains(notes, "\n") {
		t.Errorf("more than one line: %q", notes)
	}
	two.gives("a", "x = 30; f(1)", "30") // the function sees the present globals
	if notes := two.gives("a", "1", "1"); notes != "" {
		t.Errorf("told again: %q", notes)
	}
	two.gives("b", "x", "of b")
	if notes := two.gives("c", "'x' in globals()", "False"); notes != "" {
		t.Errorf("a new session: %q", notes)
	}
}

func TestTheProjectBelongsToTheKey(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one := keeping(t, home)
	elsewhere := Place{Project: &project.Project{Root: t.TempDir(), Name: "q"}}
	one.cell("a", "x = 1")
	one.Get("a").Move(elsewhere)
	one.leave()
	two := keeping(t, home)
	two.gives("a", "'x' in globals()", "False")
	three := keeping(t, home)
	three.Move(elsewhere)
	three.gives("a", "x", "1")
}

func TestEvictionKeepsTheVariables(t *testing.T) {
	t.Parallel()
	k := keeping(t, t.TempDir(), func(s *Services) { s.Limits.Sessions = 1 })
	k.cell("a", "x = 1")
	k.cell("b", "x = 2") // a makes room
	k.says(k.gives("a", "x", "1"), "variables restored")
	k.gives("b", "x", "2")
}

func TestAnIdleSessionIsKeptAndACellStopsThat(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	k := keeping(t, home, func(s *Services) { s.Limits.SnapshotAfter = 20 * time.Millisecond })
	k.cell("a", "x = 1")
	payload := func() []string {
		found, _ := filepath.Glob(filepath.Join(home, "sessions", "*", "[0-9]*", "namespace.dill"))
		return found
	}
	until(t, "the snapshot", func() bool { return len(payload()) == 1 })
	before := payload()[0]

	// Its pickling goes on until it is interrupted.
	k.cell("a", `import pathlib, time
class Slow:
    def __reduce__(self):
        pathlib.Path(marker).touch()
        while True: time.sleep(0.001)
marker = `+"'"+filepath.Join(home, "marker")+"'"+`
slow = Slow()`)
	until(t, "the second snapshot is under way", func() bool { _, err := os.Stat(filepath.Join(home, "marker")); return err == nil })
	begun := time.Now()
	k.gives("a", "del slow; x", "1")
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("the cell waited %v for a snapshot", took)
	}
	until(t, "the third snapshot", func() bool { p := payload(); return len(p) == 1 && p[0] != before })
	if n := k.starts.Load(); n != 1 {
		t.Errorf("%d runtimes", n)
	}
}

func TestADeadRuntimeIsAnAnswer(t *testing.T) {
	t.Parallel()
	k := keeping(t, t.TempDir())
	k.cell("a", "x = 1; y = 2")
	text := k.dies("a", "import os; os._exit(3)")
	k.says(text, "ended during the cell (exit code 3)", "the next cell starts a new Python", "The variables of the session are lost: x, y")
	if notes := k.gives("a", "'x' in globals()", "False"); notes != "" {
		t.Errorf("told twice: %q", notes)
	}

	k.cell("a", "x = 3; import socket; sock = socket.socket()")
	k.snapshot("a")
	k.cell("a", "z = 4; x = 5")
	text = k.dies("a", "import os; os._exit(3)")
	k.says(text, "Its variables will be those of the snapshot of ", "these were newer or could not be kept: sock, z")
	k.says(k.gives("a", "x", "3"), "variables restored from the snapshot of ", "could not be kept: sock (")
	k.gives("a", "'z' in globals()", "False")
	if n := k.starts.Load(); n != 3 {
		t.Errorf("%d runtimes, want 3", n)
	}
}

func TestARuntimeThatDiesBetweenCellsIsANote(t *testing.T) {
	t.Parallel()
	k := keeping(t, t.TempDir())
	pid, _ := k.cell("a", "import os; x = 1; os.getpid()")
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	rt := k.Get("a").runtime
	until(t, "the names are known", func() bool { return len(rt.LastNames()) == 2 })
	python, err := os.FindProcess(n)
	if err != nil {
		t.Fatal(err)
	}
	if err := python.Kill(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-rt.Done():
	case <-limited(t).Done():
		t.Fatal("Python lives")
	}
	k.says(k.gives("a", "'x' in globals()", "False"), "between two cells the session's Python ended (killed by signal: killed)", "are lost: os, x")
}

func TestARuntimeKilledInMidSnapshotLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one := keeping(t, home)
	one.cell("a", "x = 1")
	one.snapshot("a")
	one.cell("a", `import os
class Killer:
    def __reduce__(self): os._exit(9)
x = 2
k = Killer()`)
	s := one.Get("a")
	s.keepIdle()
	if !ended(s.runtime) || !s.changed {
		t.Fatal("Python lives")
	}
	one.says(one.gives("a", "x", "1"), "variables restored from the snapshot of ", "Python ended during a snapshot", "newer or could not be kept: Killer, k, os")
	one.leave()
	keeping(t, home).gives("a", "x", "1")
}

func TestASnapshotThatKillsIsSetAside(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one := keeping(t, home)
	one.cell("a", `import os
class Bomb:
    def __reduce__(self): return (os._exit, (5,))
x = 1
b = Bomb()`)
	one.leave()
	two := keeping(t, home)
	two.says(two.gives("a", "'x' in globals()", "False"), "could not be restored", "ended during a restore (exit code 5)")
	two.cell("a", "x = 2")
	two.leave()
	keeping(t, home).gives("a", "x", "2")
	if found, _ := filepath.Glob(filepath.Join(home, "sessions", "*", "aside-*", "namespace.dill")); len(found) != 1 {
		t.Errorf("set aside: %v", found)
	}
}

func TestTwoHostsDoNotShareASession(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := keeping(t, home)
	first.cell("a", "x = 1")
	first.snapshot("a")
	second := keeping(t, home)
	second.says(second.gives("a", "'x' in globals()", "False"), "not restored", "another serena process holds")
	second.cell("a", "x = 2")
	second.leave() // keeps nothing over the first's
	first.gives("a", "x", "1")
	first.leave()
	keeping(t, home).gives("a", "x", "1")
}

func TestACancelledRevivalIsTriedAgain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one := keeping(t, home)
	one.cell("a", `import pathlib, time
marker = pathlib.Path(`+"'"+filepath.Join(home, "marker")+"'"+`)
def slow(marker):
    import time
    if not marker.exists():
        marker.touch()
        while True: time.sleep(0.001)
    return 'late'
class Slow:
    def __reduce__(self): return (slow, (marker,))
x = 1
late = Slow()`)
	one.leave()
	two := keeping(t, home)
	ctx, cancel := context.WithCancel(limited(t))
	done := make(chan error, 1)
	go func() {
		_, err := two.Execute(ctx, "a", "x", nil)
		done <- err
	}()
	until(t, "the restore is under way", func() bool { _, err := os.Stat(filepath.Join(home, "marker")); return err == nil })
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	case <-limited(t).Done():
		t.Fatal("the cancelled cell does not end")
	}
	two.gives("a", "(x, late)", "(1, 'late')")
}

func TestCloseInterruptsACellAndStaysWithinItsTime(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	k := keeping(t, home)
	k.cell("a", "x = 1")
	done := make(chan error, 1)
	go func() {
		_, err := k.Execute(limited(t), "a", "x = 2\nopen('running', 'w').close()\nwhile True: pass", nil)
		done <- err
	}()
	until(t, "the cell runs", func() bool { _, err := os.Stat(filepath.Join(home, "running")); return err == nil })
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	k.Close(ctx)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the cell: %v", err)
	}
	keeping(t, home).gives("a", "x", "2")
}

// until waits for a fact.
func until(t *testing.T, what string, fact func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx := limited(t)
	for !fact() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
