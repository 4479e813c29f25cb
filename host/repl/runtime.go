package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// Deadlines of a runtime's life.
const (
	interruptGrace = 2 * time.Second // from an interrupt to the end of the cell
	closeGrace     = 2 * time.Second // from the shutdown request to the end of the process
	drainLimit     = time.Second     // for what a process that has ended left in its pipe
	exitLimit      = time.Second     // for a process that closed its stream to end by itself
	killLimit      = 8 * time.Second // from a kill to the end; more than internal/process needs
)

// ErrGone reports that the Python process has ended: nothing runs in this Runtime any more. Start another one.
var ErrGone = errors.New("the next cell starts a new Python")

// Runtime is one Python process with one namespace. Its methods may be called concurrently.
type Runtime struct {
	child  *process.Child
	owner  string // the entry in the environment of the process and all that it starts
	stdin  *os.File
	stdout *os.File
	out    *outbox
	stderr tail
	log    hclog.Logger

	turn  chan struct{} // holds a token while a cell or another request is under way
	ready chan event    // gets the first ready frame
	dead  chan struct{} // closed when the process has ended and all its frames are handled
	idle  chan struct{} // closed when, after that, every goroutine has ended
	work  sync.WaitGroup

	mu        sync.Mutex                 // guards the fields below
	collected *collector                 // what has arrived since the last done
	cell      *cell                      // the one that runs; nil between cells
	ask       *ask                       // the other request that is under way
	cells     int                        // requests so far: their ids are made of it
	names     []string                   // after the last cell, as far as told
	python    string                     // version, from the ready frame
	backend   Backend                    // nil until Attach
	requests  map[int]context.CancelFunc // requests of the runtime under way, by call number
	contexts  map[int]entered            // context managers between enter and exit, by the number of the call that entered
	closing   bool
	exit      string // how the process ended, in words
	err       error  // the same for callers; set before dead is closed
}

// cell is an execute request under way.
type cell struct {
	id   string
	done chan Result // gets one result
}

// ask is a request other than execute that is under way.
type ask struct {
	id      string
	kind    string
	failure string     // of its error frame
	done    chan event // gets its done frame
}

// Attach gives a runtime that was started without a Backend the one that answers its cells. It is called once, before the first
// cell.
func (r *Runtime) Attach(b Backend) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.backend = b
}

func (r *Runtime) attached() Backend {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.backend
}

// Python is the version of the interpreter, such as "3.11.7".
func (r *Runtime) Python() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.python
}

// Done is closed when the process has ended.
func (r *Runtime) Done() <-chan struct{} { return r.dead }

// Idle is closed when, after Done, no call of its cells is under way any more.
func (r *Runtime) Idle() <-chan struct{} { return r.idle }

// Err tells how the process ended; nil while it lives. It wraps ErrGone.
func (r *Runtime) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close ends the process: a running cell is interrupted, the runtime is asked to leave, and after two seconds, or when ctx is done, its
// whole group is killed. Afterwards nothing of it is left; an error tells what could not be ended in time.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closing = true
	running := r.running()
	r.mu.Unlock()
	if running != "" {
		r.sendInterrupt(running)
	}
	family := r.family()
	r.send(map[string]any{"type": "shutdown"})
	r.out.close()

	grace := time.NewTimer(closeGrace)
	defer grace.Stop()
	select {
	case <-r.dead:
	case <-grace.C:
	case <-ctx.Done():
	}
	if err := r.kill(); err != nil {
		return err
	}
	r.endFamily(family)
	last := time.NewTimer(killLimit)
	defer last.Stop()
	select {
	case <-r.idle:
		return nil
	case <-last.C:
		return errors.New("closing the REPL: a request of a cell is still being worked on although it was cancelled")
	}
}

// running is the id of what is under way, empty when nothing is. r.mu is held.
func (r *Runtime) running() string {
	switch {
	case r.cell != nil:
		return r.cell.id
	case r.ask != nil:
		return r.ask.id
	}
	return ""
}

// kill ends the process and its group, if that has not happened yet, and waits for the end.
func (r *Runtime) kill() error {
	select {
	case <-r.dead:
		return nil
	default:
	}
	family := r.family()
	defer r.endFamily(family)
	killErr := r.child.KillGroup()
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	select {
	case <-r.dead:
		return nil
	case <-limit.C:
		return errors.Join(fmt.Errorf("ending Python (pid %d): %w", r.child.Pid(), process.ErrStillRunning), killErr)
	}
}

// family is what is below Python now; nothing if it has ended, for its number may be somebody else's then.
func (r *Runtime) family() process.Family {
	found := process.FamilyOf(r.child.Pid())
	select {
	case <-r.child.Done():
		var none process.Family
		return none
	default:
		return found
	}
}

// endFamily ends what was below Python, also what has an environment of its own and left its group.
func (r *Runtime) endFamily(family process.Family) {
	if err := family.Kill(); err != nil {
		r.log.Warn("processes of a session are left", "error", err)
	}
}

// read handles frames until the stream ends, and then brings the runtime to its end. It runs once.
func (r *Runtime) read(lifetime context.Context) {
	ctx, cancelRequests := context.WithCancel(lifetime)
	frames := newFrameReader(r.stdout)
	for {
		e, err := frames.next()
		var tooLong *oversized
		switch {
		case err == nil:
			r.handle(ctx, e)
			continue
		case errors.As(err, &tooLong):
			r.handleOversized(tooLong)
			continue
		case isBadLine(err):
			r.log.Warn("the Python runtime sent a line that is no frame", "error", err)
			continue
		}
		break
	}
	cancelRequests()
	state := r.awaitExit(lifetime)
	r.stdin.Close()
	r.stdout.Close()
	r.mu.Lock()
	r.exit, r.err = state, r.ending(state)
	r.mu.Unlock()
	r.log.Debug("Python ended", "pid", r.child.Pid(), "state", state, "stderr", r.stderr.String())
	close(r.dead)
	r.abandonAll(lifetime)
}

// awaitExit waits for the end of a process whose stream has ended, and enforces it: without the stream it is of no use.
func (r *Runtime) awaitExit(lifetime context.Context) string {
	limit := time.NewTimer(exitLimit)
	defer limit.Stop()
	select {
	case <-r.child.Done():
	case <-limit.C:
		_ = r.child.KillGroup() // it may have ended this moment
	}
	last := time.NewTimer(killLimit)
	defer last.Stop()
	select {
	case <-r.child.Done():
		state, _ := r.child.Wait(lifetime) // returns at once: the child is done
		return state.String()
	case <-last.C:
		return process.ErrStillRunning.Error()
	}
}

// ending is the error that says how the process ended. r.mu is held.
func (r *Runtime) ending(state string) error {
	if r.closing {
		return sdk.Errorf(sdk.KindConnection, "the session's Python was closed; %w", ErrGone)
	}
	during := ""
	switch {
	case r.cell != nil:
		during = " during the cell"
	case r.ask != nil:
		during = " during a " + r.ask.kind
	}
	return sdk.Errorf(sdk.KindConnection, "the session's Python ended%s (%s); %w", during, r.withLastWords(state), ErrGone)
}

// withLastWords adds what the process wrote to its own stderr, which it does only when something is badly wrong.
func (r *Runtime) withLastWords(state string) string {
	if said := strings.TrimSpace(r.stderr.String()); said != "" {
		return state + ", its last words: " + said
	}
	return state
}

// sweep ends what cells have started and what left Python's group, when Python itself has ended.
func (r *Runtime) sweep(lifetime context.Context) {
	<-r.child.Done()
	ctx, cancel := context.WithTimeout(lifetime, killLimit)
	defer cancel()
	if err := process.KillCarrying(ctx, r.owner, ""); err != nil {
		r.log.Warn("processes of a session are left", "error", err)
	}
}

// cutOff bounds the reading of a stream whose process has ended: a process outside its group may still hold the pipe.
func (r *Runtime) cutOff() {
	<-r.child.Done()
	_ = r.stdout.SetReadDeadline(time.Now().Add(drainLimit)) // fails only if it is closed
}
