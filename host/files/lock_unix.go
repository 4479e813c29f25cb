//go:build !windows

package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockNow takes the exclusive lock or returns errLocked at once.
func lockNow(file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EWOULDBLOCK):
			return errLocked
		}
		return err
	}
}
