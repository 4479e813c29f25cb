//go:build unix

package ignore

import (
	"errors"
	"syscall"
)

// isNotDir tells that a part of a path is a file where a folder is needed, so that the path cannot exist.
func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
