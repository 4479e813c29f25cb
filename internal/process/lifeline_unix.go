//go:build unix

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

func checkOptions(Options) error { return nil }

// takePipe checks that fd is a pipe and keeps it from our own children.
func takePipe(fd int) error {
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return errors.New("it is another kind of file")
	}
	syscall.CloseOnExec(fd)
	return nil
}

// WatchLifeline calls onLost once, from its own goroutine, when the parent at the other end of fd is gone: by EOF, or by an error, which
// counts as a loss because no later one would be noticed. It takes fd over and marks it close-on-exec. Closing the result ends
// the watch without a call; a process that may yet pass fd as Options.GroupLifeline keeps it open.
func WatchLifeline(fd int, onLost func()) (io.Closer, error) {
	syscall.CloseOnExec(fd)
	// Not blocking, so that the runtime's poller waits for it and not a thread, and Close interrupts the read.
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("watching the lifeline on descriptor %d: %w", fd, err)
	}
	pipe := os.NewFile(uintptr(fd), "lifeline")
	go func() {
		if _, err := io.Copy(io.Discard, pipe); !errors.Is(err, os.ErrClosed) {
			onLost()
		}
	}()
	return pipe, nil
}
