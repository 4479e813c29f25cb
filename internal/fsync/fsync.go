// Package fsync makes what was written survive the machine's end.
package fsync

// Folder makes the names in a folder durable. Where the system cannot, it does nothing.
func Folder(path string) error { return syncFolder(path) }
