package ignore

import (
	"context"
	"sync"
)

// ahead reads directories before the visits come to them, in about the order in which they will.
type ahead struct {
	w  *walk
	wg sync.WaitGroup

	mu      sync.Mutex
	change  sync.Cond
	stack   []*listing // to be read; the next one last
	held    int        // entries that were read ahead and not yet come to
	stopped bool
}

// reading is where a listing is on its way.
type reading struct {
	claimed bool          // somebody reads it, or nobody will
	done    chan struct{} // closed when it is read; made when it is offered
}

// mostHeld bounds the entries that wait in memory.
const mostHeld = 20_000

func startAhead(w *walk, readers int) *ahead {
	a := &ahead{w: w}
	a.change.L = &a.mu
	for range readers {
		a.wg.Go(a.run)
	}
	return a
}

// stop ends the readers and waits for them.
func (a *ahead) stop() {
	a.mu.Lock()
	a.stopped = true
	a.mu.Unlock()
	a.change.Broadcast()
	a.wg.Wait()
}

func (a *ahead) run() {
	for {
		l := a.take()
		if l == nil {
			return
		}
		a.w.read(l)
		a.mu.Lock()
		a.held += len(l.entries)
		a.mu.Unlock()
		a.offer(l)
		close(l.ahead.done)
	}
}

// take waits for a listing to read; nil if there will be none.
func (a *ahead) take() *listing {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		if a.stopped {
			return nil
		}
		if n := len(a.stack); n > 0 && a.held < mostHeld {
			l := a.stack[n-1]
			a.stack = a.stack[:n-1]
			if !l.ahead.claimed {
				l.ahead.claimed = true
				return l
			}
			continue
		}
		a.change.Wait()
	}
}

// offer lets the directories of a listing be read.
func (a *ahead) offer(l *listing) {
	a.mu.Lock()
	n := 0
	for i := len(l.entries) - 1; i >= 0; i-- {
		if below := l.entries[i].below; below != nil {
			below.ahead.done = make(chan struct{})
			a.stack = append(a.stack, below)
			n++
		}
	}
	a.mu.Unlock()
	if n > 0 {
		a.change.Broadcast()
	}
}

// await has a listing read: here, unless somebody else is at it.
func (a *ahead) await(l *listing) error {
	a.mu.Lock()
	mine := !l.ahead.claimed
	l.ahead.claimed = true
	a.mu.Unlock()
	if mine {
		a.w.read(l)
		a.offer(l)
		return nil
	}
	select {
	case <-l.ahead.done:
	case <-a.w.ctx.Done():
		return context.Cause(a.w.ctx)
	}
	a.come(l)
	return nil
}

// come makes room for what else can be read ahead.
func (a *ahead) come(l *listing) {
	a.mu.Lock()
	a.held -= len(l.entries)
	a.mu.Unlock()
	a.change.Broadcast()
}

// drop says that nobody wants a listing.
func (a *ahead) drop(l *listing) {
	a.mu.Lock()
	mine := !l.ahead.claimed
	l.ahead.claimed = true
	a.mu.Unlock()
	if mine {
		return
	}
	<-l.ahead.done
	a.come(l)
}
