//go:build !linux

package repl

import "errors"

func limitMemory(int, int64) error { return errors.ErrUnsupported }
