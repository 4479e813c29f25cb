package fs

import (
	"context"
	"hash/maphash"
	"sync"

	"github.com/serena-go/serena/sdk"
)

// turns lets the calls of a project that find their places by text edit a file one after the other: each reads what the one before has written. Edits by line
// numbers do not wait: what was written meanwhile makes them stale, as it should.
type turns struct {
	seed maphash.Seed
	free [64]chan struct{} // shared by the files of the same hash
}

var allTurns sync.Map // root of a project → *turns; as many as there are projects

func turnsOf(p *sdk.Project) *turns {
	t, ok := allTurns.Load(p.Root)
	if !ok {
		t, _ = allTurns.LoadOrStore(p.Root, newTurns())
	}
	return t.(*turns)
}

func newTurns() *turns {
	t := &turns{seed: maphash.MakeSeed()}
	for i := range t.free {
		t.free[i] = make(chan struct{}, 1)
	}
	return t
}

// takeAll waits for all files.
func (t *turns) takeAll(ctx context.Context) (release func(), err error) {
	taken := 0
	release = func() {
		for _, free := range t.free[:taken] {
			<-free
		}
	}
	for _, free := range t.free { // in one order, so that nobody waits in a circle
		select {
		case free <- struct{}{}:
			taken++
		case <-ctx.Done():
			release()
			return nil, context.Cause(ctx)
		}
	}
	return release, nil
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
