package process

import (
	"context"
	"maps"
	"slices"
	"time"
)

// sweepLimit bounds SweepOrphans and KillDescendants when their context has no deadline. Processes die in milliseconds; what still
// stands after this hangs in the kernel or belongs to another user.
const sweepLimit = 10 * time.Second

// untilNone repeats pass, with growing pauses, until nothing is left or ctx ends; lastErr is the last pass's. A pass holds
// the spawn lock for its own length only, as owners need it to reap.
func untilNone(ctx context.Context, pass func() (left []int, err error)) (left []int, lastErr error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, sweepLimit)
		defer cancel()
	}
	pause := time.Millisecond
	for {
		left, lastErr = pass()
		if len(left) == 0 {
			return nil, lastErr
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
			pause = min(2*pause, 20*time.Millisecond)
		case <-ctx.Done():
			timer.Stop()
			return left, lastErr
		}
	}
}

// killKnown kills the groups of all known children and returns their pids. An adopted one is its starter's to end.
func killKnown() (left []int) {
	known.mu.Lock()
	children := slices.Collect(maps.Values(known.children))
	known.mu.Unlock()
	for _, c := range children {
		if c != nil {
			c.KillGroup()
			left = append(left, c.pid)
		}
	}
	return left
}
