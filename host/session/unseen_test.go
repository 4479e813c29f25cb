package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/host/project"
)

// aside lists what was set aside below a home.
func aside(t *testing.T, home string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(home, "sessions", "*", "aside-*", "namespace.dill"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestVariablesThatWereNeverLoadedAreNotOverwritten lets a second server run under an id whose variables the first still holds, and
// end after it.
func TestVariablesThatWereNeverLoadedAreNotOverwritten(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := keeping(t, home)
	first.cell("a", "v = 1")
	first.snapshot("a")
	second := keeping(t, home)
	second.says(second.gives("a", "'v' in globals()", "False"), "not restored")
	second.cell("a", "w = 1")
	first.leave()
	second.leave()
	if got := aside(t, home); len(got) != 1 {
		t.Fatalf("set aside: %q", got)
	}
	third := keeping(t, home)
	third.says(third.gives("a", "w", "1"), "were never loaded here; they are set aside in "+filepath.Dir(aside(t, home)[0]))
	third.says(third.gives("a", "'v' in globals()", "False")) // told once
}

// TestASessionThatMovedDoesNotOverwriteWhatLiesThere takes a session of project A to project B, where its id has variables.
func TestASessionThatMovedDoesNotOverwriteWhatLiesThere(t *testing.T) {
	t.Parallel()
	home, elsewhere := t.TempDir(), Place{Project: &project.Project{Root: t.TempDir(), Name: "b"}}
	one := keeping(t, home)
	one.Get("a").Move(elsewhere)
	one.cell("a", "precious = 1")
	one.leave()
	two := keeping(t, home)
	two.cell("a", "mine = 2")
	two.Get("a").Move(elsewhere)
	two.cell("a", "mine = 3")
	two.snapshot("a")
	two.says(two.gives("a", "mine", "3"), "never loaded here")
	if got := aside(t, home); len(got) != 1 {
		t.Fatalf("set aside: %q", got)
	}
}

// TestAnEvictedSessionComesBackToItsOwnPlace evicts a session that had chosen a project.
func TestAnEvictedSessionComesBackToItsOwnPlace(t *testing.T) {
	t.Parallel()
	home, own := t.TempDir(), Place{Project: &project.Project{Root: t.TempDir(), Name: "b"}}
	k := keeping(t, home, func(s *Services) { s.Limits.Sessions = 1 })
	k.Get("a").Move(own)
	k.cell("a", "x = 1")
	k.cell("other", "1")
	if s := k.Get("a"); s.Place().Project != own.Project {
		t.Fatalf("it works in %+v", s.Place())
	}
	k.gives("a", "x", "1")
}

// TestTasksMayChangeVariablesAfterTheLastCell counts on between the idle snapshot and the end.
func TestTasksMayChangeVariablesAfterTheLastCell(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	one := keeping(t, home)
	one.cell("a", "import threading\nbox = [1]\ngo = threading.Event()\ndone = threading.Event()\n"+
		"def later():\n    go.wait(); box[0] = 2; done.set()\nthreading.Thread(target=later, daemon=True).start()")
	one.snapshot("a")
	s := one.Get("a")
	if s.changed {
		t.Fatal("the snapshot was not taken")
	}
	marker := filepath.Join(home, "go")
	one.cell("a", "import os, time\ndef watch(path=r'"+marker+"'):\n    while not os.path.exists(path): time.sleep(0.005)\n    go.set(); done.wait(); open(path + '2', 'w').close()\n"+
		"threading.Thread(target=watch, daemon=True).start()")
	one.snapshot("a")
	if err := os.WriteFile(marker, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for ctx := limited(t); ; {
		if _, err := os.Stat(marker + "2"); err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the thread never wrote")
		}
	}
	one.leave()
	keeping(t, home).gives("a", "box[0]", "2")
}

// TestANameThatCannotBeRestoredNowStaysOnDisk loses a module for one run.
func TestANameThatCannotBeRestoredNowStaysOnDisk(t *testing.T) {
	t.Parallel()
	home, module := t.TempDir(), filepath.Join(t.TempDir(), "gone_now.py")
	if err := os.WriteFile(module, []byte("class Thing:\n    pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := keeping(t, home)
	one.cell("a", "import sys\nsys.path.insert(0, r'"+filepath.Dir(module)+"')\nfrom gone_now import Thing\nthing = Thing()\nx = 1")
	one.leave()
	two := keeping(t, home)
	notes := two.gives("a", "x", "1")
	two.says(notes, "thing (", "; the snapshot stays in ")
	two.leave()
	if got := aside(t, home); len(got) != 1 || !strings.Contains(notes, filepath.Dir(got[0])) {
		t.Errorf("set aside: %q, told %q", got, notes)
	}
	keeping(t, home).gives("a", "x", "1")
}
