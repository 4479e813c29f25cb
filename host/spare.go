package host

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/repl"
)

// spareDelay is how long after a spare was taken the next one is started: its start shall not compete with the cell that the first
// was taken for.
const spareDelay = 500 * time.Millisecond

// spare keeps one started Python that belongs to no session yet, so that a new session's first cell need not wait for a start. It
// stays until it is taken or the host ends; a spare that has died is replaced when it is noticed.
type spare struct {
	start func(ctx context.Context, configured string) (*repl.Runtime, error)
	log   hclog.Logger

	mu         sync.Mutex // guards the fields below
	configured string     // what interpreter the spare is of, as it is configured
	runtime    *repl.Runtime
	starting   chan struct{}      // closed when the start under way is over; nil: none is
	cancel     context.CancelFunc // of that start
	hurry      func()             // ends the delay of that start
	wanted     bool
	closed     bool
	work       sync.WaitGroup
}

// warm starts a spare of that interpreter in the background, unless there is one. From now on there shall be one. ctx gives values
// only: what it starts ends by close.
func (s *spare) warm(ctx context.Context, configured string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wanted = true
	s.renew(ctx, configured, 0)
}

// again starts the next one a little later, when a session of that interpreter has begun.
func (s *spare) again(ctx context.Context, configured string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wanted {
		s.renew(ctx, configured, spareDelay)
	}
}

// renew starts a spare after delay, in the place of one that has died or is of another interpreter. s.mu is held.
func (s *spare) renew(ctx context.Context, configured string, delay time.Duration) {
	if s.closed || s.starting != nil || s.runtime != nil && alive(s.runtime) && s.configured == configured {
		return
	}
	unfit := s.runtime
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	started, hurry := make(chan struct{}), make(chan struct{})
	s.runtime, s.configured, s.starting, s.cancel = nil, configured, started, cancel
	s.hurry = sync.OnceFunc(func() { close(hurry) })
	if delay == 0 {
		s.hurry()
	}
	s.work.Go(func() {
		defer cancel()
		if unfit != nil {
			s.end(ctx, unfit)
		}
		s.begin(ctx, configured, delay, started, hurry)
	})
}

func (s *spare) begin(ctx context.Context, configured string, delay time.Duration, started, hurry chan struct{}) {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-hurry:
	case <-ctx.Done():
	}
	var runtime *repl.Runtime
	err := ctx.Err()
	if err == nil {
		runtime, err = s.start(ctx, configured)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Debug("no spare Python", "error", err) // the first cell will say why
	}
	s.mu.Lock()
	s.starting = nil
	late := s.closed && runtime != nil
	if !late {
		s.runtime = runtime
	}
	close(started)
	s.mu.Unlock()
	if late {
		s.end(ctx, runtime)
	}
}

// take returns the spare if there is one of that interpreter, waiting for one that is being started; nil: there is none.
func (s *spare) take(ctx context.Context, configured string) *repl.Runtime {
	s.mu.Lock()
	starting := s.starting
	if s.configured != configured {
		s.mu.Unlock()
		return nil
	}
	if starting != nil {
		s.hurry()
	}
	s.mu.Unlock()
	if starting != nil {
		select {
		case <-starting:
		case <-ctx.Done():
			return nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runtime == nil || s.configured != configured || !alive(s.runtime) {
		return nil
	}
	taken := s.runtime
	s.runtime = nil
	return taken
}

// close ends the spare and what is being started.
func (s *spare) close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	if s.cancel != nil {
		s.cancel()
	}
	runtime := s.runtime
	s.runtime = nil
	s.mu.Unlock()
	if runtime != nil {
		s.end(ctx, runtime)
	}
	s.work.Wait() // a cancelled start ends its process at once
}

func (s *spare) end(ctx context.Context, r *repl.Runtime) {
	if err := r.Close(ctx); err != nil {
		s.log.Error("a spare Python is left", "error", err)
	}
}

func alive(r *repl.Runtime) bool {
	select {
	case <-r.Done():
		return false
	default:
		return true
	}
}
