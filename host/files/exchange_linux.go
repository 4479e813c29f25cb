package files

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange swaps what two names stand for, at once. errors.ErrUnsupported where the file system or the kernel cannot.
func exchange(a, b string) error {
	for {
		err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL), errors.Is(err, unix.EPERM):
			return errors.ErrUnsupported
		}
		return err
	}
}
