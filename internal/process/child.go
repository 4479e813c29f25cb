package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// ErrStillRunning reports that a child was sent SIGKILL and did not end in time: it hangs inside the kernel (a dead network
// mount, a debugger). Its end is still waited for in the background.
var ErrStillRunning = errors.New("process does not end although it was killed")

// killWait bounds the wait for a child after SIGKILL. It covers the reaping and Options.OutputGrace, nothing that a child can decide.
const killWait = 5 * time.Second

// ExitState says how a child ended.
type ExitState struct {
	Code   int            // exit code; -1 when a signal ended it or the code is unknown
	Signal syscall.Signal // the signal that ended it; 0 when it exited by itself

	// OutputErr is nil when the writers given for Stdout and Stderr got all of the output. ErrOutputCut: a descendant outside the
	// group held the pipe, or a writer blocked. Otherwise the writer's own error.
	OutputErr error
}

// String tells the state in words, such as "exit code 2" or "killed by signal: terminated".
func (s ExitState) String() string {
	if s.Signal != 0 {
		return "killed by signal: " + s.Signal.String()
	}
	return fmt.Sprintf("exit code %d", s.Code)
}

// Child is a started process and its group. Start makes it; all methods may be called from any goroutine and after its end.
// The goroutine that reaps it ends with it, so there is nothing a caller must release.
type Child struct {
	cmd     *exec.Cmd
	opts    Options
	pid     int // also the number of its group
	outputs outputs

	lifeline   *os.File // write end; nil without a lifeline
	lifelineFD int
	guard      *os.File // our share of the armed opening of our own lifeline; nil without
	armed      error

	mu     sync.Mutex // guards reaped; held while the group is signalled
	reaped bool       // the group's number may be somebody else's from here on

	done  chan struct{} // closed by own, after state is set
	state ExitState
}

// own reaps the child. It runs once, from Start until the child's end.
func (c *Child) own() {
	ps, err := reap(c)
	c.release()
	c.state = exitState(ps, err)
	c.state.OutputErr = c.outputs.finish(c.opts.OutputGrace)
	close(c.done)
}

func exitState(ps *os.ProcessState, err error) ExitState {
	if err != nil || ps == nil {
		return ExitState{Code: -1}
	}
	return ExitState{Code: ps.ExitCode(), Signal: endSignal(ps)}
}

// release gives up what is tied to the child's life.
func (c *Child) release() {
	c.Close()
	if c.guard != nil {
		c.guard.Close()
	}
}

// Pid is the process's number and that of its group. After Done the number may name another process.
func (c *Child) Pid() int { return c.pid }

// LifelineFD is the lifeline's number inside the child; 0 without Options.Lifeline.
func (c *Child) LifelineFD() int { return c.lifelineFD }

// Armed is nil when the kernel kills the group by itself at the end of our parent (Options.GroupLifeline); otherwise it is the reason
// why not, errors.ErrUnsupported when it was not asked for or the platform cannot.
func (c *Child) Armed() error { return c.armed }

// Done is closed when the child has ended, its group was killed, and its output is complete or given up.
func (c *Child) Done() <-chan struct{} { return c.done }

// Close cuts the lifeline: a child that watches it ends itself. It neither kills nor waits, and happens by itself at the child's end.
func (c *Child) Close() error {
	if c.lifeline == nil {
		return nil
	}
	if err := c.lifeline.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("cutting the lifeline of process %d: %w", c.pid, err)
	}
	return nil
}

// Wait returns the child's end, or ctx's error when that comes first, which leaves the child alone. Any number of callers may wait.
func (c *Child) Wait(ctx context.Context) (ExitState, error) {
	select {
	case <-c.done:
		return c.state, nil
	default:
	}
	select {
	case <-c.done:
		return c.state, nil
	case <-ctx.Done():
		return ExitState{}, fmt.Errorf("waiting for %s (pid %d): %w", c.cmd.Path, c.pid, ctx.Err())
	}
}

// Signal sends sig to the child alone. os.ErrProcessDone when it has ended.
func (c *Child) Signal(sig os.Signal) error { return c.cmd.Process.Signal(sig) }

// KillGroup sends SIGKILL to every process of the child's group and does not wait. When the leader has ended, its group has been
// killed already and this does nothing.
func (c *Child) KillGroup() error { return c.signalGroup(syscall.SIGKILL) }

func (c *Child) signalGroup(sig syscall.Signal) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reaped {
		return nil
	}
	if err := signalGroup(c, sig); err != nil {
		return fmt.Errorf("signalling group %d with %v: %w", c.pid, sig, err)
	}
	return nil
}

// Stop sends Options.StopSignal to the group, gives it grace to end, and kills the group. A grace of 0 kills at once; ctx's end
// skips the rest of the grace. It returns the child's end, or ErrStillRunning five seconds after the kill at the latest.
func (c *Child) Stop(ctx context.Context, grace time.Duration) (ExitState, error) {
	if grace > 0 && c.signalGroup(c.opts.StopSignal) == nil {
		polite := time.NewTimer(grace)
		defer polite.Stop()
		select {
		case <-c.done:
		case <-polite.C:
		case <-ctx.Done():
		}
	}
	killErr := c.KillGroup()
	last := time.NewTimer(killWait)
	defer last.Stop()
	select {
	case <-c.done:
		return c.state, nil
	case <-last.C:
		return ExitState{}, errors.Join(fmt.Errorf("stopping %s (pid %d): %w", c.cmd.Path, c.pid, ErrStillRunning), killErr)
	}
}
