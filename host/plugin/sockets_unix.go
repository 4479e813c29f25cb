//go:build unix

package plugin

import (
	"os"

	"golang.org/x/sys/unix"
)

const shortBase = "/tmp"

// tryLock takes the lock of an open file, which lasts until it is closed or the process ends.
func tryLock(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
