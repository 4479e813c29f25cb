package files

import (
	"context"
	"sync"
	"time"
)

// scanWait bounds one pass, whatever its callers' limits are.
const scanWait = 2 * time.Minute

// scanner lets concurrent callers share passes. A caller needs one that begins after its call, so it waits for the next while
// one runs.
type scanner struct {
	mu      sync.Mutex // guards the fields below
	running *scan
	next    *scan
	group   sync.WaitGroup
}

type scan struct {
	done chan struct{} // closed at the end
	err  error         // valid then
}

// stop closes the channel so that no scan begins afterwards.
func (c *scanner) stop(closed chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(closed)
}

// scanned returns after a scan that began after the call.
func (s *Store) scanned(ctx context.Context) error {
	c := &s.scans
	c.mu.Lock()
	if s.isClosed() {
		c.mu.Unlock()
		return errClosed
	}
	mine := &scan{done: make(chan struct{})}
	switch {
	case c.running == nil:
		c.running = mine
		c.group.Add(1)
		go s.scanLoop(context.WithoutCancel(ctx)) // shared: it must not end with the one who began it
	case c.next == nil:
		c.next = mine
	default:
		mine = c.next
	}
	c.mu.Unlock()
	select {
	case <-mine.done:
		return mine.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scanLoop scans until nobody waits.
func (s *Store) scanLoop(ctx context.Context) {
	defer s.scans.group.Done()
	c := &s.scans
	for {
		limited, cancel := context.WithTimeout(ctx, scanWait)
		err := s.pass(limited)
		cancel()
		c.mu.Lock()
		c.running.err = err
		close(c.running.done)
		c.running, c.next = c.next, nil
		more := c.running != nil
		c.mu.Unlock()
		if !more {
			break
		}
	}
	if s.verified.begin() {
		limited, cancel := context.WithTimeout(ctx, scanWait)
		defer cancel()
		s.verify(limited)
	}
}
