//go:build !linux

package process

import (
	"errors"
	"fmt"
	"io"
)

// ArmLifeline needs Linux; use WatchLifeline and KillGroup.
func ArmLifeline(fd, pgid int) (io.Closer, error) {
	return nil, fmt.Errorf("arming a lifeline for group %d: %w", pgid, errors.ErrUnsupported)
}

func reopenLifeline(int) (int, error) { return 0, errors.ErrUnsupported }

func arm(int, int, int) error { return errors.ErrUnsupported }
