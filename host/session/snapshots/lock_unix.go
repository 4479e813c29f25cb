//go:build !windows

package snapshots

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockNow takes the exclusive lock or returns ErrHeld at once.
func lockNow(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		}
		return err
	}
}
