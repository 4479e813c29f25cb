//go:build unix

package fs

import (
	"syscall"
)

// openFile is a file that is read once, from start to end. Package os would watch it for readiness, which regular files do not
// know, at two more system calls each.
type openFile int

// openToRead never waits, not even if a pipe has taken the place of a file.
func openToRead(path string) (openFile, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
		if err != syscall.EINTR {
			return openFile(fd), err
		}
	}
}

// read returns 0 at the end.
func (f openFile) read(to []byte) (int, error) {
	for {
		n, err := syscall.Read(int(f), to)
		if err != syscall.EINTR {
			return n, err
		}
	}
}

func (f openFile) size() (int64, error) {
	var stat syscall.Stat_t
	err := syscall.Fstat(int(f), &stat)
	return stat.Size, err
}

func (f openFile) close() { _ = syscall.Close(int(f)) }
