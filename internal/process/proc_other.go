//go:build !linux

package process

import (
	"errors"
	"fmt"
)

// Stopped is not known here.
func Stopped(int) bool { return false }

// StartTime needs Linux.
func StartTime(pid int) (uint64, error) {
	return 0, fmt.Errorf("start time of process %d: %w", pid, errors.ErrUnsupported)
}

// Descendants needs Linux.
func Descendants(pid int) ([]int, error) {
	return nil, fmt.Errorf("descendants of process %d: %w", pid, errors.ErrUnsupported)
}

// ProportionalSetSize needs Linux.
func ProportionalSetSize(pid int) (int64, error) {
	return 0, fmt.Errorf("memory of process %d: %w", pid, errors.ErrUnsupported)
}
