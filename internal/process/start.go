package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// ErrLifelineLost reports that the process at the other end of a lifeline is gone already.
// Nothing may be started any more: clear up and exit.
var ErrLifelineLost = errors.New("the parent at the other end of the lifeline is gone")

// Options say how a child is tied to this process. The zero value ties it by its group alone.
type Options struct {
	// Env holds "NAME=value" entries added to cmd.Env; a later entry wins. As in os/exec a nil cmd.Env means this process's
	// environment, so an allow-list goes into cmd.Env, not here.
	Env []string

	// ParentDeath is sent to the child (not to its group) by the kernel when this process ends. 0: none. Linux only, ignored
	// elsewhere. It is lost when the child executes a set-user-id program.
	ParentDeath syscall.Signal

	// Lifeline names the environment variable that tells the child the number of its lifeline's read end (3, or the first after
	// cmd.ExtraFiles). Empty: no lifeline. The write end lives in Child and is never written to.
	Lifeline string

	// GroupLifeline is the descriptor of this process's own lifeline (see LifelineFromEnv); 0: none. The child inherits a
	// fresh opening of it, armed like ArmLifeline for the child's group, so that the kernel kills the group when our parent ends,
	// although we may be dead or stuck by then, and when our parent has reaped us, for that cuts our lifeline. Linux only, ignored
	// elsewhere; Child.Armed tells whether it worked.
	GroupLifeline int

	// StopSignal is the polite signal of Stop, sent to the group. 0 means SIGTERM.
	StopSignal syscall.Signal

	// OutputGrace bounds the wait for the rest of the output once the child has ended, for a descendant outside the group may
	// hold the pipe. 0 means one second. It concerns only streams whose writer is no *os.File.
	OutputGrace time.Duration
}

// Start starts cmd as the leader of a new process group and takes over its end: do not call cmd.Wait or cmd.Process.Wait.
//
// A nil Stdin, Stdout or Stderr means /dev/null. Stdin may be an *os.File (cmd.StdinPipe makes one); Stdout and Stderr may be any
// writer, which is fed until the child has ended and must not block for ever. With cmd.StdoutPipe the caller reads to EOF and
// closes. This process's own standard streams are refused, and so is exec.CommandContext: Stop and KillGroup end a child.
//
// ErrLifelineLost is returned when Options.GroupLifeline shows that our own parent is gone; the child is killed then.
func Start(cmd *exec.Cmd, opts Options) (*Child, error) {
	if err := checkCommand(cmd); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	if err := checkOptions(opts); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	c := &Child{cmd: cmd, opts: opts, done: make(chan struct{})}
	if c.opts.StopSignal == 0 {
		c.opts.StopSignal = syscall.SIGTERM
	}
	if c.opts.OutputGrace == 0 {
		c.opts.OutputGrace = time.Second
	}

	childEnds, err := c.prepare()
	if err == nil {
		err = c.launch()
	}
	for _, f := range childEnds {
		f.Close()
	}
	if err != nil {
		c.release()
		c.outputs.abandon()
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}

	c.outputs.copy()
	go c.own()
	if errors.Is(c.armed, ErrLifelineLost) {
		c.KillGroup()
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, c.armed)
	}
	return c, nil
}

func checkCommand(cmd *exec.Cmd) error {
	switch {
	case cmd.Cancel != nil:
		return errors.New("the command is bound to a context; make it with exec.Command and end it with Stop or KillGroup")
	case cmd.Stdin == os.Stdin:
		return errors.New("the child would read this process's stdin; leave Stdin nil or use StdinPipe")
	}
	for name, w := range map[string]any{"Stdout": cmd.Stdout, "Stderr": cmd.Stderr} {
		if w == any(os.Stdout) || w == any(os.Stderr) {
			return fmt.Errorf("the child would write to this process's own %s; leave %s nil or give it a writer",
				w.(*os.File).Name(), name)
		}
	}
	if _, isFile := cmd.Stdin.(*os.File); cmd.Stdin != nil && !isFile {
		return fmt.Errorf("stdin is a %T, which may block for ever; use StdinPipe and write to it", cmd.Stdin)
	}
	return nil
}

// prepare makes the pipes. The files it returns belong in the child only and are closed here after the fork.
func (c *Child) prepare() (childEnds []*os.File, err error) {
	childEnds, err = c.outputs.attach(c.cmd)
	if err != nil {
		return childEnds, err
	}
	c.cmd.Env = append(c.cmd.Environ(), c.opts.Env...)
	c.cmd.SysProcAttr = groupAttributes(c.cmd.SysProcAttr, c.opts.ParentDeath)

	if c.opts.Lifeline != "" {
		r, w, err := os.Pipe()
		if err != nil {
			return childEnds, fmt.Errorf("making the lifeline: %w", err)
		}
		c.lifeline = w
		childEnds = append(childEnds, r)
		c.lifelineFD = c.passFile(r)
		c.cmd.Env = append(c.cmd.Env, fmt.Sprintf("%s=%d", c.opts.Lifeline, c.lifelineFD))
	}

	c.armed = errors.ErrUnsupported
	if c.opts.GroupLifeline != 0 {
		// A failure leaves the child without this one of its guards; that is Armed's to tell, not a reason to refuse work.
		var opened int
		if opened, c.armed = reopenLifeline(c.opts.GroupLifeline); c.armed == nil {
			c.guard = os.NewFile(uintptr(opened), "armed lifeline")
			c.passFile(c.guard)
		}
	}
	return childEnds, nil
}

// passFile gives f to the child and returns the number it will have there.
func (c *Child) passFile(f *os.File) int {
	c.cmd.ExtraFiles = append(c.cmd.ExtraFiles, f)
	return 2 + len(c.cmd.ExtraFiles)
}

// launch forks, and enters the child in the table before anybody can sweep.
func (c *Child) launch() error {
	known.mu.Lock()
	defer known.mu.Unlock()
	if err := known.thread.start(c.cmd); err != nil {
		return err
	}
	c.pid = c.cmd.Process.Pid
	known.children[c.pid] = c
	if c.guard != nil {
		c.armed = arm(int(c.guard.Fd()), c.opts.GroupLifeline, c.pid)
	}
	return nil
}
