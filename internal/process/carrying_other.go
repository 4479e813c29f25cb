//go:build !linux

package process

import "context"

// KillCarrying does nothing: the environment of another process can only be read on Linux.
func KillCarrying(context.Context, string, string) error { return nil }

// Family is what was below a process at one moment: not known here.
type Family struct{}

// FamilyOf knows nothing here.
func FamilyOf(int) Family { return Family{} }

// Kill does nothing.
func (Family) Kill() error { return nil }

// Carrying finds none here.
func Carrying(string) ([]int, error) { return nil, nil }
