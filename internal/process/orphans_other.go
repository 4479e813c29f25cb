//go:build !linux

package process

import (
	"context"
	"fmt"
)

// BecomeSubreaper does nothing: only Linux hands orphans to another process than the first.
func BecomeSubreaper() error { return nil }

// ReapOrphans waits for ctx's end: nothing is inherited here.
func ReapOrphans(ctx context.Context) { <-ctx.Done() }

// SweepOrphans does nothing: nothing is inherited here.
func SweepOrphans(context.Context) ([]int, error) { return nil, nil }

// KillDescendants kills the groups of all known children and waits for their end. Descendants that left these groups are not found.
// Without a deadline in ctx it gives up after ten seconds.
func KillDescendants(ctx context.Context) error {
	left, _ := untilNone(ctx, func() ([]int, error) { return killKnown(), nil })
	if len(left) > 0 {
		return fmt.Errorf("children left %v: %w", left, ErrStillRunning)
	}
	return nil
}
