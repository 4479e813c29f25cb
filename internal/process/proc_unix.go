//go:build unix && !linux

package process

import (
	"errors"
	"syscall"
)

// Alive reports whether pid names a process. A zombie counts as alive here.
func Alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
