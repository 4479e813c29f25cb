package repl

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

func snapshotIn(dir string) SnapshotOptions {
	return SnapshotOptions{Path: filepath.Join(dir, "p.dill"), ManifestPath: filepath.Join(dir, "m.json")}
}

func TestNames_and_the_last_names(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	run(t, r, "b = 1; a = 2; _c = 3")
	names, err := r.Names(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "names", strings.Join(names, " "), "a b") // s is the host's
	run(t, r, "del a")
	eventually(t, "the last names come by themselves", func() bool { return slices.Equal(r.LastNames(), []string{"b"}) })
}

func TestSnapshot_and_restore_in_another_process(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, _ := start(t)
	run(t, one, "import socket\nx = 20\nbig = b'b' * 5000\nk = socket.socket()\ndef f(): return x + len(s.fs.read_file('n.txt'))")
	o := snapshotIn(dir)
	o.MaxVariableBytes = 4000
	taken, err := one.Snapshot(limited(t), o)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "saved", strings.Join(taken.Saved, " "), "f socket x")
	if len(taken.Skipped) != 2 || taken.Skipped[0].Name != "big" || taken.Skipped[1].Name != "k" || taken.Bytes == 0 {
		t.Errorf("%+v", taken)
	}
	two, _ := start(t)
	restored, err := two.Restore(limited(t), o.Path)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "restored", strings.Join(restored.Names, " "), "f socket x")
	equal(t, "failed", len(restored.Failed), 0)
	equal(t, "f()", value(t, two, "f()"), "23") // before it, s is bound to the present host

	restored, err = two.Restore(limited(t), filepath.Join(dir, "none"))
	if err != nil || len(restored.Names) != 0 {
		t.Errorf("a file that is not there: %+v, %v", restored, err)
	}
	if err := os.WriteFile(o.Path, []byte("rubbish"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err = two.Restore(limited(t), o.Path); !errors.Is(err, ErrRefused) {
		t.Errorf("rubbish: %v", err)
	}
	equal(t, "kept", value(t, two, "x"), "20")
	o.ManifestPath = filepath.Join(dir, "none", "m.json")
	if _, err = two.Snapshot(limited(t), o); !errors.Is(err, ErrRefused) {
		t.Errorf("no folder: %v", err)
	}
}

// slowly pickles until it is interrupted, and makes the marker file when it begins.
const slowly = `import pathlib, time
class Slow:
    def __reduce__(self):
        pathlib.Path('marker').touch()
        while True: time.sleep(0.001)
x, slow = 1, Slow()`

func TestSnapshot_is_interrupted_by_its_context_and_leaves_the_old_files(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	o := snapshotIn(t.TempDir())
	run(t, r, "x = 1")
	if _, err := r.Snapshot(limited(t), o); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	run(t, r, slowly)
	ctx, cancel := context.WithCancel(limited(t))
	done := make(chan error, 1)
	go func() {
		_, err := r.Snapshot(ctx, o)
		done <- err
	}()
	eventually(t, "it pickles", func() bool { _, err := os.Stat(filepath.Join(b.Root(), "marker")); return err == nil })
	waiting := execute(limited(t), r, "x", 0) // waits for its turn
	cancel()
	if err := await(t, "the snapshot ends", done); !errors.Is(err, context.Canceled) || errors.Is(err, ErrGone) {
		t.Errorf("err = %v", err)
	}
	if o := await(t, "the cell runs", waiting); o.err != nil || *o.result.Value != "1" {
		t.Errorf("%+v, %v", o.result, o.err)
	}
	after, err := os.ReadFile(o.Path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the old file is gone: %v", err)
	}
}

func TestSnapshot_that_cannot_be_interrupted_costs_the_process(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	run(t, r, strings.Replace(slowly, "while True: time.sleep(0.001)", "while True:\n            try:\n                while True: time.sleep(0.001)\n            except BaseException: pass", 1))
	o := snapshotIn(t.TempDir())
	o.Grace = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(limited(t))
	done := make(chan error, 1)
	go func() {
		_, err := r.Snapshot(ctx, o)
		done <- err
	}()
	eventually(t, "it pickles", func() bool { _, err := os.Stat(filepath.Join(b.Root(), "marker")); return err == nil })
	cancel()
	if err := await(t, "the snapshot ends", done); !errors.Is(err, ErrGone) || !sdk.IsKind(err, sdk.KindConnection) {
		t.Errorf("err = %v", err)
	}
	await(t, "Done", r.Done())
}

func TestSnapshot_of_a_process_that_dies_of_it(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	o := snapshotIn(t.TempDir())
	run(t, r, "import os\nclass K:\n    def __reduce__(self): os._exit(4)\nk = K()")
	_, err := r.Snapshot(limited(t), o)
	if !errors.Is(err, ErrGone) {
		t.Fatalf("err = %v", err)
	}
	contains(t, err.Error(), "ended during a snapshot (exit code 4)")
	if _, err := os.Stat(o.Path); !os.IsNotExist(err) {
		t.Errorf("a file is there: %v", err)
	}
	if _, err := r.Names(limited(t)); !errors.Is(err, ErrGone) {
		t.Errorf("names of a dead one: %v", err)
	}
}

func TestAttach_after_the_start(t *testing.T) {
	t.Parallel()
	var late *fakeBackend
	r, b := start(t, func(o *Options) {
		late = o.Backend.(*fakeBackend)
		o.Backend = nil
	})
	r.Attach(late)
	equal(t, "a call", value(t, r, `s.fs.read_file("n.txt").lines[2]`), "3")
	equal(t, "root", value(t, r, "import os; os.getcwd()"), b.Root())
}

func TestMemory_is_limited(t *testing.T) {
	t.Parallel()
	r, _ := start(t, func(o *Options) { o.MemoryLimit = 1 << 30 })
	equal(t, "limit", value(t, r, "import resource; resource.getrlimit(resource.RLIMIT_AS)"), "(1073741824, 1073741824)")
	equal(t, "too much", failure(t, r, "x = bytearray(2 << 30)").Name, "MemoryError")
	equal(t, "and on", value(t, r, "1 + 1"), "2")
}

// TestFindPython_in_a_virtual_environment names a real one by its folder, and imports what is installed there.
func TestFindPython_in_a_virtual_environment(t *testing.T) {
	t.Parallel()
	base, err := python()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.CommandContext(limited(t), base.Path, "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packages, err := filepath.Glob(filepath.Join(folder, "lib", "python3*", "site-packages"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("%v, %v", packages, err)
	}
	if err := os.WriteFile(filepath.Join(packages[0], "only_here.py"), []byte("answer = 42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, configured := range map[string]string{"folder": folder, "interpreter": filepath.Join(folder, "bin", "python3")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := FindPython(limited(t), FindOptions{Configured: configured, Env: os.Environ(), Home: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			r, _ := start(t, func(o *Options) { o.Interpreter = found })
			equal(t, "installed there", value(t, r, "import only_here; only_here.answer"), "42")
			equal(t, "prefix", value(t, r, "import sys; sys.prefix"), folder)
			if _, err := r.Snapshot(limited(t), snapshotIn(t.TempDir())); err != nil {
				t.Errorf("a snapshot without dill installed: %v", err)
			}
		})
	}
}

func TestShorten_keeps_both_ends_and_tells_the_total(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text         string
		limit, total int
		hint, want   string
	}{
		"fits":            {"abc", 3, 0, "h", "abc"},
		"fits in runes":   {"äöü", 3, 0, "h", "äöü"},
		"too long":        {"abcdefgh", 5, 0, "in `_`", "abc\n[… 3 of 8 characters are left out here; in `_` …]\ngh"},
		"whole runes":     {"äöüßé", 3, 0, "", "äö\n[… 2 of 5 characters are left out here …]\né"},
		"shortened once":  {"abcdefgh", 5, 1000, "", "abc\n[… 995 of 1000 characters are left out here …]\ngh"},
		"short with note": {"ab", 5, 1000, "", "ab"},
		"limit of one":    {"abc", 1, 0, "", "a\n[… 2 of 3 characters are left out here …]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			equal(t, "text", Shorten(c.text, c.limit, c.total, c.hint), c.want)
		})
	}
}
