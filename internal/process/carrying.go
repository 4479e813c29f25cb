package process

import (
	"crypto/rand"
	"os"
)

// Environment variables that tie processes to who is answerable for them: their descendants inherit them, so that those which
// left their group, their session and their parents can still be found. See KillCarrying.
const (
	MarkVariable  = "SERENA_HOST_MARK" // of all that a host has started
	OwnerVariable = "SERENA_OWNER"     // of one child of a host and all below it
)

// Mark gives the processes that this one starts from now on a mark of their own. Call it once, before the first.
func Mark() error { return os.Setenv(MarkVariable, rand.Text()) }

// MarkEntry is the mark as it stands in the environment; empty without one.
func MarkEntry() string {
	if mark := os.Getenv(MarkVariable); mark != "" {
		return MarkVariable + "=" + mark
	}
	return ""
}

// NewOwnerEntry makes an owner, to be added to the environment of one child.
func NewOwnerEntry() string { return OwnerVariable + "=" + rand.Text() }
