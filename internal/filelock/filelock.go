// Package filelock takes locks on open files that other processes honour, too. A lock ends with the file's last descriptor,
// however its owner ends.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld reports that somebody else holds the lock: another process, or another open file of this one.
var ErrHeld = errors.New("another process holds the lock")

// Try takes the exclusive lock of an open file or returns ErrHeld at once. Closing the file gives it back.
func Try(file *os.File) error { return try(file) }
