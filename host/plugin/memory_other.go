//go:build !linux

package plugin

import "errors"

// Memory is not known here.
func Memory(int) (int64, error) { return 0, errors.ErrUnsupported }
