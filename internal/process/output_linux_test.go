package process

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func runRole(t *testing.T, role string, stdout, stderr io.Writer, opts Options) ExitState {
	t.Helper()
	cmd := roleCommand(role)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	c, err := Start(cmd, opts)
	if err != nil {
		t.Fatal(err)
	}
	return wait(t, c)
}

func TestOutput_is_complete(t *testing.T) {
	t.Parallel()
	var stdout, stderr, numbers strings.Builder
	for i := range 100 {
		fmt.Fprintln(&numbers, i)
	}
	if s := runRole(t, "print", &stdout, &stderr, Options{}); s != (ExitState{}) {
		t.Error(s)
	}
	line := strings.Repeat("x", 10<<10-1) + "\n"
	if stdout.String() != strings.Repeat(line, 100) {
		t.Errorf("stdout has %d bytes", stdout.Len())
	}
	if stderr.String() != numbers.String() {
		t.Errorf("stderr is %q", stderr.String())
	}
}

func TestOutput_of_both_streams_in_one_writer_keeps_its_order(t *testing.T) {
	t.Parallel()
	var both, want bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&want, "%s\n%d\n", strings.Repeat("x", 10<<10-1), i)
	}
	if s := runRole(t, "print", &both, &both, Options{}); s != (ExitState{}) {
		t.Error(s)
	}
	if !bytes.Equal(both.Bytes(), want.Bytes()) {
		t.Errorf("%d bytes, want %d in their order", both.Len(), want.Len())
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutput_to_a_broken_writer_does_not_block_the_child(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	s := runRole(t, "print", brokenWriter{broken}, nil, Options{})
	if s.Code != 0 || s.Signal != 0 || !errors.Is(s.OutputErr, broken) {
		t.Errorf("%+v", s)
	}
}

func TestOutput_held_by_a_process_that_left_the_group(t *testing.T) {
	t.Parallel()
	var pid, held bytes.Buffer
	s := runRole(t, "daemonize", &pid, &held, Options{OutputGrace: 50 * time.Millisecond})
	killLater(t, atoi(t, strings.TrimSpace(pid.String())))
	if s.Code != 0 || !errors.Is(s.OutputErr, ErrOutputCut) {
		t.Errorf("%+v", s)
	}
}

type stuckWriter chan struct{}

func (w stuckWriter) Write(p []byte) (int, error) { <-w; return len(p), nil }

func TestOutput_to_a_stuck_writer_does_not_hide_the_end(t *testing.T) {
	t.Parallel()
	stuck := make(stuckWriter)
	cmd := exec.Command("echo", "hello")
	cmd.Stdout = stuck
	c, err := Start(cmd, Options{OutputGrace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if s := wait(t, c); s.Code != 0 || !errors.Is(s.OutputErr, ErrOutputCut) {
		t.Errorf("%+v", s)
	}
	close(stuck)
}
