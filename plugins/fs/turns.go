package fs

import (
	"context"
	"hash/maphash"
)

// turns lets calls that find their place by text edit a file one after the other: each reads what the one before has written. Edits by line
// numbers do not wait: what was written meanwhile makes them stale, as it should.
type turns struct {
	seed maphash.Seed
	free [64]chan struct{} // shared by the files of the same hash
}

var inTurn = newTurns()

func newTurns() *turns {
	t := &turns{seed: maphash.MakeSeed()}
	for i := range t.free {
		t.free[i] = make(chan struct{}, 1)
	}
	return t
}

// take waits for a file, a real path. It waits no longer than ctx.
func (t *turns) take(ctx context.Context, real string) (release func(), err error) {
	free := t.free[maphash.String(t.seed, real)%uint64(len(t.free))]
	select {
	case free <- struct{}{}:
		return func() { <-free }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
