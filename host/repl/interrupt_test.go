package repl

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// outcome is what Execute returned on another goroutine.
type outcome struct {
	result Result
	err    error
}

func execute(ctx context.Context, r *Runtime, code string, timeout time.Duration) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		result, err := r.Execute(ctx, code, timeout)
		done <- outcome{result, err}
	}()
	return done
}

func await[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-limited(t).Done():
		t.Fatalf("in vain: %s", what)
		panic("unreachable")
	}
}

func TestExecute_cancelled_context_ends_a_blocking_call(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"sync":   "x = 1\ns.fs.block()",
		"async":  "x = 1\nawait s.aio.fs.block()",
		"render": "x = 1\ns.fs.read_file('n.txt')",
		"gather": "x = 1\nimport asyncio\nawait asyncio.gather(s.aio.fs.block(), s.aio.fs.block())",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, b := start(t)
			b.rendersForEver = true
			ctx, cancel := context.WithCancel(limited(t))
			done := execute(ctx, r, code, 0)
			await(t, "the call runs", b.entered)
			cancel()
			await(t, "the backend's ctx ends", b.cancelled)
			o := await(t, "the cell ends", done)
			if !errors.Is(o.err, context.Canceled) || errors.Is(o.err, ErrGone) {
				t.Errorf("err = %v", o.err)
			}
			equal(t, "interrupted", o.result.Interrupted, true)
			equal(t, "failure", o.result.Failure.Name, "KeyboardInterrupt")
			equal(t, "x", value(t, r, "x"), "1")
		})
	}
}

func TestExecute_timeout_keeps_the_session(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	run(t, r, "x = 20")
	result, err := r.Execute(limited(t), "print('before')\nwhile True: pass", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "stdout", result.Stdout, "before\n")
	equal(t, "name", result.Failure.Name, "TimeoutError")
	contains(t, result.Failure.Text(), "while True: pass", "the cell ran longer than 1 s", "repl_cell_timeout", "variables are kept")
	equal(t, "x", value(t, r, "x"), "20")
}

func TestExecute_a_cell_that_catches_the_interrupt_of_its_timeout_has_its_value(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	run(t, r, "import time") // the limit shall not run out while bindings are fetched
	result, err := r.Execute(limited(t), "try:\n    while True: time.sleep(0.01)\nexcept KeyboardInterrupt:\n    v = 'saved'\nv", time.Second)
	if err != nil || result.Failure != nil || result.Value == nil {
		t.Fatalf("%+v, %v", result, err)
	}
	equal(t, "value", *result.Value, "saved")
	equal(t, "interrupted", result.Interrupted, true)
}

func TestExecute_timeout_of_a_cell_that_cannot_be_interrupted_kills_it(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	pid := r.child.Pid()
	run(t, r, "import signal") // the limit shall not run out while bindings are fetched
	begun := time.Now()
	result, err := r.Execute(limited(t), "signal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('deaf', flush=True)\nwhile True: pass", time.Second)
	if took := time.Since(begun); took < time.Second+interruptGrace || took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !errors.Is(err, ErrGone) || !sdk.IsKind(err, sdk.KindTimeout) {
		t.Fatalf("err = %v", err)
	}
	contains(t, err.Error(), "ran longer than 1 s", "repl_cell_timeout", "the next cell starts a new Python")
	equal(t, "stdout", result.Stdout, "deaf\n")
	await(t, "Done", r.Done())
	equal(t, "alive", process.Alive(pid), false)
	if _, err := r.Execute(limited(t), "1", 0); !errors.Is(err, ErrGone) {
		t.Errorf("a later cell: %v", err)
	}
}

func TestExecute_cells_wait_for_each_other_as_long_as_their_context_allows(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	first, stop := context.WithCancel(limited(t))
	done := execute(first, r, "s.fs.block()", 0)
	await(t, "the call runs", b.entered)

	cancelled, cancel := context.WithCancel(t.Context())
	waiting := execute(cancelled, r, "never = 1", 0)
	cancel()
	o := await(t, "the waiting one gives up", waiting)
	if !errors.Is(o.err, context.Canceled) {
		t.Errorf("err = %v", o.err)
	}
	second := execute(limited(t), r, "'second'", 0)
	stop()
	await(t, "the first ends", done)
	o = await(t, "the second runs", second)
	if o.err != nil || o.result.Value == nil || *o.result.Value != "second" {
		t.Errorf("%+v, %v", o.result, o.err)
	}
	equal(t, "never", failure(t, r, "never").Name, "NameError")
}

func TestRuntime_death_in_a_cell_is_told_and_output_kept(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ code, state string }{
		"exit":   {"print('out')\ns.fs.echo(1)\nimport os; os._exit(7)", "exit code 7"},
		"signal": {"print('out')\ns.fs.echo(1)\nimport os; os.kill(os.getpid(), 9)", "killed"},
		"stream": {"print('out')\ns.fs.echo(1)\nimport os; os.closerange(3, 100)\nimport threading; threading.Event().wait(60)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := start(t)
			result, err := r.Execute(limited(t), c.code, 0)
			if !errors.Is(err, ErrGone) || !sdk.IsKind(err, sdk.KindConnection) {
				t.Fatalf("err = %v", err)
			}
			contains(t, err.Error(), "ended during the cell", c.state, "the next cell starts a new Python")
			equal(t, "stdout", result.Stdout, "out\n")
			await(t, "Done", r.Done())
			equal(t, "Err", r.Err().Error(), err.Error())
		})
	}
}

func TestRuntime_children_of_cells_end_with_it(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	pid := value(t, r, "import subprocess\nstr(subprocess.Popen(['sleep', '300']).pid)")
	closeRuntime(t, r)
	eventually(t, "the child is gone", func() bool { return !process.Alive(atoi(t, pid)) })
}

func TestClose_interrupts_a_cell_and_cancels_its_calls(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	done := execute(limited(t), r, "s.fs.block()", 0)
	await(t, "the call runs", b.entered)
	begun := time.Now()
	closeRuntime(t, r)
	if took := time.Since(begun); took > closeGrace {
		t.Errorf("it took %v", took)
	}
	await(t, "the backend's ctx ends", b.cancelled)
	if o := await(t, "Execute returns", done); o.err == nil && o.result.Failure == nil {
		t.Errorf("%+v", o.result)
	}
	if err := r.Err(); !errors.Is(err, ErrGone) || !strings.Contains(err.Error(), "was closed") {
		t.Errorf("Err = %v", err)
	}
	closeRuntime(t, r) // again
}

func TestClose_kills_what_does_not_leave(t *testing.T) {
	t.Parallel()
	r, _ := start(t)
	done := execute(limited(t), r, "import signal, os\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nopen('deaf', 'w').close()\nwhile True: pass", 0)
	root := r.backend.(*fakeBackend).root
	eventually(t, "the cell is deaf", func() bool { _, err := os.Stat(root + "/deaf"); return err == nil })
	closeRuntime(t, r)
	if o := await(t, "Execute returns", done); !errors.Is(o.err, ErrGone) {
		t.Errorf("err = %v", o.err)
	}
}

func TestRequests_fail_without_harm(t *testing.T) {
	t.Parallel()
	r, b := start(t)
	equal(t, "unknown op", value(t, r, `import rlm.repl
(await rlm.repl.host_request({"op": "dance"}))["error"]["message"]`), "the host answers what `s` asks, and there is no op \"dance\"")
	equal(t, "other shape", value(t, r, `(await rlm.repl.host_request({"op": [1]}))["status"]`), "error")
	b.mu.Lock()
	b.calls = func(context.Context, CallRequest) (api.Outcome, error) {
		return api.Outcome{Value: []byte("{no json")}, nil
	}
	b.mu.Unlock()
	e := failure(t, r, "s.fs.echo(1)")
	contains(t, e.Text(), "RuntimeError", "the answer has no JSON form")
	b.mu.Lock()
	b.calls = func(context.Context, CallRequest) (api.Outcome, error) {
		return api.Outcome{Value: []byte("\"a\xffb\"")}, nil
	}
	b.mu.Unlock()
	equal(t, "bytes that are no text", value(t, r, "s.fs.echo(1)"), "a\uFFFDb")
}
