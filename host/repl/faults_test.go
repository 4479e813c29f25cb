package repl

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/process"
)

// What cells do to their own runtime: it answers, and the next cell runs.
func TestFaults_of_cells_that_do_not_end_the_runtime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, value, stdout string }{
		"fork": {`import os
pid = os.fork()
if pid == 0:
    os._exit(7)
os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])`, "7", ""},
		"fork that falls through": {`import os
pid = os.fork()
if pid:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
(pid > 0, code)`, "(True, 1)", ""}, // the child has no name code
		"closed stdout":      {"import os\nos.close(1)\nprint('kept')\n1", "1", "kept\n"},
		"replaced s":         {"s = 5\ns", "5", ""},
		"replaced print":     {"import builtins\nbuiltins.print = None\n1", "1", ""},
		"replaced streams":   {"import sys\nsys.stdout = sys.stderr = sys.stdin = None\n1", "1", ""},
		"replaced SIGINT":    {"import signal\nsignal.signal(signal.SIGINT, lambda *_: None)\n1", "1", ""},
		"closed everything":  {"import gc, threading\ngc.disable()\nthreading.stack_size(0)\n1", "1", ""},
		"recursion":          {"import sys\nsys.setrecursionlimit(60)\n1", "1", ""},
		"an exiting cell":    {"import atexit\natexit.register(lambda: 1/0)\n1", "1", ""},
		"a wrong event loop": {"import asyncio\nasyncio.set_event_loop(asyncio.new_event_loop())\n1", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := start(t)
			result := run(t, r, c.code)
			if result.Value == nil || *result.Value != c.value {
				t.Errorf("%+v", result)
			}
			equal(t, "stdout", result.Stdout, c.stdout)
			equal(t, "the next cell", value(t, r, `s.fs.read_file("n.txt").lines[0]`), "1")
		})
	}
}

func TestFaults_a_cell_that_prints_two_hundred_megabytes(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	result := run(t, r, "line = 'x' * 99_999 + '\\n'\nfor _ in range(2000): print(line, end='')\n'done'")
	equal(t, "value", *result.Value, "done")
	equal(t, "characters", result.StdoutChars, 200_000_000)
	if len(result.Stdout) > 2*maxText+200 {
		t.Errorf("%d bytes are kept", len(result.Stdout))
	}
	shown := Shorten(result.Stdout, 1000, result.StdoutChars, "")
	contains(t, shown, "[… 199999000 of 200000000 characters are left out here …]")
	equal(t, "the next cell", value(t, r, "1 + 1"), "2")
}

func TestFaults_a_runtime_killed_while_it_waits_for_the_host(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	done := execute(limited(t), r, "print('before', flush=True)\ns.fs.block()", 0)
	await(t, "the call runs", b.entered)
	if err := r.child.KillGroup(); err != nil {
		t.Fatal(err)
	}
	o := await(t, "the cell ends", done)
	if !errors.Is(o.err, ErrGone) {
		t.Fatalf("err = %v", o.err)
	}
	contains(t, o.err.Error(), "ended during the cell (killed by signal: killed)")
	equal(t, "stdout", o.result.Stdout, "before\n")
	await(t, "the backend's ctx ends", b.cancelled)
}

// TestFaults_many_runtimes_at_once runs a cell with a call in each of fifty, and ends them all.
func TestFaults_many_runtimes_at_once(t *testing.T) {
	t.Parallel()
	found, err := python()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := Extract(sharedHome(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx := limited(t)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			b := newFakeBackend(t.TempDir())
			b.answer(func(context.Context, CallRequest) (api.Outcome, error) {
				return api.Outcome{Value: []byte(`"answer"`)}, nil
			})
			r, err := Start(ctx, Options{Interpreter: found, Dir: dir, Env: os.Environ(), Backend: b})
			if err != nil {
				t.Error(err)
				return
			}
			defer closeRuntime(t, r)
			for range 3 {
				result, err := r.Execute(ctx, "x = s.fs.echo(1)\nx", testLimit)
				if err != nil || result.Value == nil || *result.Value != "answer" {
					t.Errorf("%+v, %v", result, err)
				}
			}
		})
	}
	all.Wait()
}

func TestFaults_grandchildren_that_leave_the_group_do_not_hold_the_end(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	pid := value(t, r, "import subprocess\np = subprocess.Popen(['sleep', '2'], start_new_session=True)\nstr(p.pid)")
	_, err := r.Execute(limited(t), "import os; os._exit(1)", 0)
	if !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "exit code 1") {
		t.Errorf("err = %v", err)
	}
	eventually(t, "it ends by itself", func() bool { return !process.Alive(atoi(t, pid)) })
}
