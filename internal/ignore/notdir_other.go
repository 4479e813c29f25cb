//go:build !unix

package ignore

// isNotDir: other systems report such a path as not existing.
func isNotDir(error) bool { return false }
