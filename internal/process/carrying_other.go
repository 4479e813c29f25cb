//go:build !linux

package process

import "context"

// KillCarrying does nothing: the environment of another process can only be read on Linux.
func KillCarrying(context.Context, string, string) error { return nil }
