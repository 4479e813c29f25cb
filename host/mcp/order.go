package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/serena-go/serena/host/session"
)

// order is the order in which the calls of a connection came. Edits run one after the other in it, so that a client may send several at
// once; what comes after an activation waits for it, and what came before stays where it was. A call that only reads waits for the
// edits before it, so that it sees what they wrote, but not for long: one of them may be a command that runs for minutes.
type order struct {
	now      func() session.Place // where the connection works while nothing is activated
	patience time.Duration        // of a read, with the edits before it

	mu        sync.Mutex // guards the fields below
	edits     []*turn
	activated *turn         // the activation that came last; nil: there was none
	entered   int           // calls that have their place in the order
	grown     chan struct{} // closed and replaced when entered grows
}

func newOrder(now func() session.Place) *order {
	return &order{now: now, patience: readPatience, grown: make(chan struct{})}
}

const readPatience = 3 * time.Second

// How a call is ordered.
const (
	reads = iota
	edits
	activates
)

// turn is a call's place in the order.
type turn struct {
	order  *order
	kind   int
	after  *turn         // the activation before
	behind []*turn       // of a read: the edits before it that were not over when it came
	ready  chan struct{} // closed when the turn of an edit has come
	over   chan struct{} // closed when an activation or an edit is over
	gaveUp bool          // it was cancelled before its turn; of an activation others look at it when it is over
	place  session.Place // where the call works, known when its turn has come; where an activation led when it is over
}

// enter takes the next place for a call of the kind; leave must be called when the call is over.
func (o *order) enter(kind int) *turn {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := &turn{order: o, kind: kind, after: o.activated}
	if t.after == nil {
		t.place = o.now()
	}
	switch kind {
	case reads:
		t.behind = slices.Clone(o.edits)
	case edits:
		t.ready, t.over = make(chan struct{}), make(chan struct{})
		if o.edits = append(o.edits, t); len(o.edits) == 1 {
			close(t.ready)
		}
	case activates:
		t.over = make(chan struct{})
		o.activated = t
	}
	o.count()
	return t
}

// wait waits for the turn; leave must be called even where it fails.
func (t *turn) wait(ctx context.Context) error {
	for before := t.after; before != nil; before = before.after {
		select {
		case <-before.over:
		case <-ctx.Done():
			return t.giveUp(ctx)
		}
		if !before.gaveUp {
			t.place = before.place
			break
		}
	}
	if t.kind == reads {
		return t.waitBehind(ctx)
	}
	if t.ready == nil {
		return nil
	}
	select {
	case <-t.ready:
		return nil
	case <-ctx.Done():
		return t.giveUp(ctx)
	}
}

// waitBehind waits for the edits before, within the order's patience.
func (t *turn) waitBehind(ctx context.Context) error {
	patience := time.NewTimer(t.order.patience)
	defer patience.Stop()
	for _, edit := range t.behind {
		select {
		case <-edit.over:
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return t.giveUp(ctx)
		}
	}
	return nil
}

func (t *turn) giveUp(ctx context.Context) error {
	t.gaveUp = true
	return ctx.Err()
}

// leave lets the next ones go on.
func (t *turn) leave() {
	o := t.order
	o.mu.Lock()
	defer o.mu.Unlock()
	switch t.kind {
	case activates:
		if !t.gaveUp {
			t.place, t.after = o.now(), nil
		}
		close(t.over)
	case edits:
		close(t.over)
		at := slices.Index(o.edits, t)
		o.edits = slices.Delete(o.edits, at, at+1)
		if at == 0 && len(o.edits) > 0 {
			close(o.edits[0].ready)
		}
	}
}

// pass counts a call that takes no place since it is refused.
func (o *order) pass() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count()
}

// count tells that a call has its place. o.mu is held.
func (o *order) count() {
	o.entered++
	close(o.grown)
	o.grown = make(chan struct{})
}

// await waits until n calls have their place, for the limit at the longest.
func (o *order) await(n int, limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		o.mu.Lock()
		entered, grown := o.entered, o.grown
		o.mu.Unlock()
		if entered >= n {
			return
		}
		select {
		case <-grown:
		case <-timer.C:
			return
		}
	}
}

// places is how many calls have their place.
func (o *order) places() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.entered
}
