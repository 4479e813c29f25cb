package process

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestStart_gives_the_child_none_of_our_streams(t *testing.T) {
	t.Parallel()
	report := filepath.Join(t.TempDir(), "report")
	c, err := Start(roleCommand("report streams", pongVar+"="+report), Options{Env: []string{"PROCESS_TEST_EXTRA=yes"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := wait(t, c); s.String() != "exit code 0" {
		t.Fatal(s)
	}
	got, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	want := "stdin: 0 <nil>\n0 /dev/null <nil>\n1 /dev/null <nil>\n2 /dev/null <nil>\nown group: true\nvariable: yes\n"
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestStart_refuses(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(*exec.Cmd)
		want   string
	}{
		"our stdin":       {func(c *exec.Cmd) { c.Stdin = os.Stdin }, "StdinPipe"},
		"our stdout":      {func(c *exec.Cmd) { c.Stdout = os.Stdout }, "/dev/stdout"},
		"our stderr":      {func(c *exec.Cmd) { c.Stdout = os.Stderr }, "/dev/stderr"},
		"a blocking read": {func(c *exec.Cmd) { c.Stdin = strings.NewReader("") }, "*strings.Reader"},
		"a context":       {func(c *exec.Cmd) { *c = *exec.CommandContext(t.Context(), "true") }, "exec.Command"},
	}
	for name, tc := range cases {
		cmd := exec.Command("true")
		tc.change(cmd)
		if c, err := Start(cmd, Options{}); c != nil || err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
	for name, want := range map[string]error{
		"no-such-program-anywhere":            exec.ErrNotFound,
		filepath.Join(t.TempDir(), "missing"): fs.ErrNotExist,
	} {
		cmd := exec.Command(name)
		cmd.Stdout = &strings.Builder{}
		if c, err := Start(cmd, Options{Lifeline: "X"}); c != nil || !errors.Is(err, want) {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

func TestWait_serves_many_and_obeys_its_context(t *testing.T) {
	t.Parallel()
	child := cast(t, "echo", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := child.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait: %v", err)
	}
	var waiters sync.WaitGroup
	for range 10 {
		waiters.Go(func() {
			if s, err := child.Wait(t.Context()); err != nil || s != (ExitState{}) {
				t.Errorf("Wait: %v, %v", s, err)
			}
		})
	}
	child.in.Close()
	waiters.Wait()
	if _, err := child.Wait(ctx); err != nil {
		t.Errorf("Wait after the end, with a context that ended too: %v", err)
	}
	if err := child.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("Signal after the end: %v", err)
	}
	if err := child.KillGroup(); err != nil {
		t.Errorf("KillGroup after the end: %v", err)
	}
	if _, err := StartTime(child.Pid()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the child is not reaped: %v", err)
	}
}

func TestKillGroup_reaches_grandchildren(t *testing.T) {
	t.Parallel()
	child := cast(t, "member", Options{})
	grandchild := child.mustNumber(t)
	if err := child.KillGroup(); err != nil {
		t.Fatal(err)
	}
	if s := wait(t, child.Child); s.Signal != syscall.SIGKILL || s.Code != -1 || s.String() != "killed by signal: killed" {
		t.Errorf("state %+v", s)
	}
	mustDie(t, grandchild)
}

func TestGroup_ends_with_its_leader(t *testing.T) {
	t.Parallel()
	child := cast(t, "member, exit 3", Options{})
	grandchild := child.mustNumber(t)
	if s := wait(t, child.Child); s != (ExitState{Code: 3}) {
		t.Errorf("state %+v", s)
	}
	mustDie(t, grandchild)
}

func TestStop(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	const grace = 150 * time.Millisecond
	cases := map[string]struct {
		role       string
		opts       Options
		ctx        context.Context
		grace      time.Duration
		want       syscall.Signal
		atLeast    time.Duration
		grandchild bool
	}{
		"polite":                {role: "block", grace: time.Hour, want: syscall.SIGTERM},
		"polite, own signal":    {role: "block", opts: Options{StopSignal: syscall.SIGHUP}, grace: time.Hour, want: syscall.SIGHUP},
		"polite to the group":   {role: "member", grace: time.Hour, want: syscall.SIGTERM, grandchild: true},
		"deaf":                  {role: "ignore SIGTERM", grace: grace, want: syscall.SIGKILL, atLeast: grace},
		"no grace":              {role: "block", want: syscall.SIGKILL},
		"deaf, context is over": {role: "ignore SIGTERM", ctx: gone, grace: time.Hour, want: syscall.SIGKILL},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			child := cast(t, c.role, c.opts)
			first := child.mustLine(t)
			ctx := c.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			began := time.Now()
			s, err := child.Stop(ctx, c.grace)
			took := time.Since(began)
			if err != nil || s.Signal != c.want {
				t.Errorf("Stop: %v, %v; want %v", s, err, c.want)
			}
			if took < c.atLeast || took > c.atLeast+killWait {
				t.Errorf("Stop took %v", took)
			}
			if c.grandchild {
				mustDie(t, atoi(t, first))
			}
			if again, err := child.Stop(ctx, time.Hour); again != s || err != nil {
				t.Errorf("second Stop: %v, %v", again, err)
			}
		})
	}
}

func TestGroupAttributes_keep_the_callers(t *testing.T) {
	t.Parallel()
	base := &syscall.SysProcAttr{Setsid: true, Pgid: 5}
	got := groupAttributes(base, syscall.SIGTERM)
	if !got.Setsid || got.Setpgid || got.Pgid != 0 || got.Pdeathsig != syscall.SIGTERM {
		t.Errorf("%+v", got)
	}
	if base.Pgid != 5 || base.Pdeathsig != 0 {
		t.Errorf("the caller's value was changed: %+v", base)
	}
	if got := groupAttributes(nil, 0); !got.Setpgid || got.Pdeathsig != 0 {
		t.Errorf("%+v", got)
	}
}
