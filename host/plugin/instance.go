package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

// State is where a plugin is in its life.
type State string

// States. Down is told apart from Gone only by time: see crashLog.
const (
	Idle     State = "idle"     // never started
	Starting State = "starting" //
	Running  State = "running"  //
	Gone     State = "gone"     // its process ended or did not start; the next call starts one
	Down     State = "down"     // it crashed too often and is not started for a while
	Stopped  State = "stopped"  // the Manager was stopped
)

// instance is one plugin through all of its processes.
type instance struct {
	options *Options
	sockets func() (string, error)
	changed func() // told of each change of what status tells; does not block
	now     func() time.Time

	mu        sync.Mutex // guards the fields below
	spec      Spec
	state     State
	worker    *worker // while Running
	previous  *worker // the last one that ended: cleared before the next starts
	starting  *flight // while Starting
	abort     context.CancelCauseFunc
	crashes   crashLog
	starts    int
	lastEnd   string
	lastFault string
	uses      int         // callers between enter and leave
	idle      *time.Timer // runs while a process has nothing to do
}

// enter keeps the process from being stopped as idle until leave.
func (i *instance) enter() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.uses++
	if i.idle != nil {
		i.idle.Stop()
	}
}

func (i *instance) leave() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.uses--
	if i.uses > 0 || i.state != Running || i.options.IdleAfter <= 0 || i.spec.Manifest.LongLived {
		return
	}
	w := i.worker
	i.idle = time.AfterFunc(i.options.IdleAfter, func() { i.stopIdle(w) })
}

// stopIdle stops a process that nobody has used for a while. A caller that comes meanwhile gets a fresh one.
func (i *instance) stopIdle(w *worker) {
	i.mu.Lock()
	if i.uses > 0 || i.state != Running || i.worker != w {
		i.mu.Unlock()
		return
	}
	i.state, i.worker, i.previous, i.lastEnd = Idle, nil, w, fmt.Sprintf("it was stopped after %s without a call", i.options.IdleAfter)
	i.mu.Unlock()
	i.changed()
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit) // nobody waits for it
	defer cancel()
	w.stop(ctx)
}

// acquire returns a running process, starting one if there is none.
func (i *instance) acquire(ctx context.Context) (*worker, error) {
	for {
		w, f, err := i.present(ctx)
		switch {
		case err != nil:
			return nil, err
		case f != nil:
			if err := f.wait(ctx); err != nil {
				return nil, err
			}
		case w.alive():
			return w, nil
		default: // it has ended and the owner is about to say so
			select {
			case <-w.left:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// ready returns a running process that knows the project (nil: none), until the caller calls leave. Opening it is no call that could take
// effect twice, so a process that ends meanwhile is replaced, once.
func (i *instance) ready(ctx context.Context, p *project.Project) (w *worker, leave func(), err error) {
	for again := true; ; again = false {
		w, err = i.acquire(ctx)
		if err != nil || p == nil {
			return w, func() {}, err
		}
		o, err := w.open(ctx, p)
		if err == nil {
			return w, func() { w.leave(p.ID, o) }, nil
		}
		if !again || !errors.Is(err, ErrGone) {
			i.mu.Lock()
			i.lastFault = err.Error()
			i.mu.Unlock()
			i.changed()
			return w, func() {}, err
		}
	}
}

// present returns the process, or the start that is under way and that it begins if need be.
func (i *instance) present(ctx context.Context) (*worker, *flight, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	switch i.state {
	case Running:
		return i.worker, nil, nil
	case Starting:
		return nil, i.starting, nil
	case Stopped:
		return nil, nil, ErrStopped
	}
	if until, down := i.crashes.downUntil(i.now()); down {
		return nil, nil, sdk.Errorf(sdk.KindRuntime, "plugin %s: %w (%d times within %s) and stays down until %s; its last end: %s",
			i.spec.Name, ErrDown, crashLimit, crashWindow, until.Format(time.TimeOnly), i.lastEnd)
	}
	f := newFlight()
	// Detached: the start serves every caller, and its process outlives them all.
	start, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	i.state, i.starting, i.abort = Starting, f, abort
	i.changed()
	go i.start(start, f, i.spec, i.previous, i.crashes.pause(i.now()))
	return nil, f, nil
}

// start runs one start; it ends with it.
func (i *instance) start(ctx context.Context, f *flight, spec Spec, previous *worker, pause time.Duration) {
	w, err := i.launchAfter(ctx, spec, previous, pause)
	i.mu.Lock()
	abandoned := i.state == Stopped
	i.starting, i.abort = nil, nil
	i.starts++
	switch {
	case abandoned:
	case err != nil:
		i.state, i.lastEnd = Gone, err.Error()
		if !errors.Is(err, ErrChanged) { // nothing was run
			i.crashes.add(i.now())
		}
	default:
		i.state, i.worker = Running, w
	}
	i.mu.Unlock()
	i.changed()
	if w != nil {
		i.options.Log.Debug("plugin started", "plugin", spec.Name, "pid", w.child.Pid())
		go w.own(func(how string, asked bool) { i.ended(w, how, asked) })
	}
	if abandoned && w != nil {
		w.stop(ctx)
		err = ErrStopped
	}
	f.land(err)
}

// launchAfter launches a process once the pause is over and the previous one has been cleared away.
func (i *instance) launchAfter(ctx context.Context, spec Spec, previous *worker, pause time.Duration) (*worker, error) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if previous != nil {
		select {
		case <-previous.cleared:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	sockets, err := i.sockets()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, i.options.StartTimeout)
	defer cancel()
	return launch(ctx, spec, i.options, sockets)
}

// ended records the end of a process.
func (i *instance) ended(w *worker, how string, asked bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.worker != w {
		return // it was stopped
	}
	i.worker, i.previous, i.lastEnd = nil, w, how
	i.changed()
	if i.state == Running {
		i.state = Gone
	}
	if asked {
		return
	}
	i.crashes.add(i.now())
	i.options.Log.Warn("plugin ended by itself", "plugin", i.spec.Name, "pid", w.child.Pid(), "how", how)
}

// end ends the process, or gives up the start that is under way, for good.
func (i *instance) end(ctx context.Context) {
	i.mu.Lock()
	i.state = Stopped
	w, f, previous := i.worker, i.starting, i.previous
	i.worker = nil
	if i.idle != nil {
		i.idle.Stop()
	}
	if f != nil {
		i.abort(ErrStopped)
	}
	i.mu.Unlock()
	if f != nil {
		_ = f.wait(ctx) // its error is its callers' affair
	}
	if w != nil {
		w.stop(ctx)
	}
	if previous != nil { // one that was idle may be about to end
		select {
		case <-previous.cleared:
		case <-ctx.Done():
		}
	}
}

func (i *instance) status() Status {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := Status{Name: i.spec.Name, Path: i.spec.Path, State: i.state, Starts: i.starts, LastEnd: i.lastEnd, LastFault: i.lastFault}
	if _, down := i.crashes.downUntil(i.now()); down && i.state == Gone {
		s.State = Down
	}
	if i.worker != nil {
		s.Pid = i.worker.child.Pid()
	}
	return s
}
