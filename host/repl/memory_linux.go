package repl

import "golang.org/x/sys/unix"

// limitMemory bounds the address space of a process that has just been started. It can raise the bound no more.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil)
}
