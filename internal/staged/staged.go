// Package staged knows the names of the files that the one writer makes beside those that it replaces. They are there for moments, or
// until the next write where a process was killed, and are no part of the project.
package staged

import "strings"

// A name is a random text between these.
const (
	Prefix = ".serena-"
	Suffix = ".tmp"
)

// Is reports whether a base name is one of them.
func Is(name string) bool {
	return len(name) > len(Prefix)+len(Suffix) && strings.HasPrefix(name, Prefix) && strings.HasSuffix(name, Suffix)
}
