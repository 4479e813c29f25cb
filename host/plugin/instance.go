package plugin

import (
	"context"
	"errors"
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
	now     func() time.Time

	mu       sync.Mutex // guards the fields below
	spec     Spec
	state    State
	worker   *worker // while Running
	previous *worker // the last one that ended: cleared before the next starts
	starting *flight // while Starting
	abort    context.CancelCauseFunc
	crashes  crashLog
	starts   int
	lastEnd  string
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

// ready returns a running process that knows the projects. Opening one is no call that could take effect twice, so a process that ends
// meanwhile is replaced, once.
func (i *instance) ready(ctx context.Context, projects ...*project.Project) (*worker, error) {
	for again := true; ; again = false {
		w, err := i.acquire(ctx)
		for n := 0; err == nil && n < len(projects); n++ {
			if projects[n] != nil {
				err = w.open(ctx, projects[n])
			}
		}
		if err == nil || !again || !errors.Is(err, ErrGone) {
			return w, err
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
		return nil, nil, sdk.Errorf(sdk.KindRuntime, "plugin %s: %w (%d times within %s) and stays down until %s, or until it is restarted; its last end: %s",
			i.spec.Name, ErrDown, crashLimit, crashWindow, until.Format(time.TimeOnly), i.lastEnd)
	}
	f := newFlight()
	// Detached: the start serves every caller, and its process outlives them all.
	start, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	i.state, i.starting, i.abort = Starting, f, abort
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
	w, f := i.worker, i.starting
	i.worker = nil
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
}

// restart ends the process, once it has started, and forgets the crashes.
func (i *instance) restart(ctx context.Context) {
	i.mu.Lock()
	i.crashes = crashLog{}
	f := i.starting
	i.mu.Unlock()
	if f != nil {
		_ = f.wait(ctx) // its error is its callers' affair
	}
	i.mu.Lock()
	w := i.worker
	if w != nil {
		i.worker, i.previous, i.state, i.lastEnd = nil, w, Gone, "it was restarted"
	}
	i.mu.Unlock()
	if w != nil {
		w.stop(ctx)
	}
}

func (i *instance) status() Status {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := Status{Name: i.spec.Name, State: i.state, Starts: i.starts, LastEnd: i.lastEnd}
	if _, down := i.crashes.downUntil(i.now()); down && i.state == Gone {
		s.State = Down
	}
	if i.worker != nil {
		s.Pid = i.worker.child.Pid()
	}
	return s
}
