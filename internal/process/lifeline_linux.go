package process

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// ArmLifeline makes the kernel send SIGKILL to process group pgid as soon as the last write end of the lifeline fd is closed: no process
// of ours need run, or be able to run, at that moment. Closing the result disarms. fd itself stays as it is and may be watched.
//
// What is armed is a fresh opening of the pipe, and it lasts only while some living process has it open. If the arming process alone
// holds it and is killed first, the group is unguarded from then on. Options.GroupLifeline therefore lets the child inherit the
// opening: the group then carries its own guard, and it fires too when the killed process is reaped by a parent that used Start.
//
// Nobody may ever write to the pipe: a write would kill the group just the same. Do not arm the caller's own group when the
// caller has anything to clear up at the end. ErrLifelineLost: the parent is gone already, nothing was killed.
func ArmLifeline(fd, pgid int) (io.Closer, error) {
	opened, err := reopenLifeline(fd)
	if err != nil {
		return nil, err
	}
	opening := &armedOpening{fd: opened}
	if err := arm(opened, fd, pgid); err != nil {
		opening.Close()
		return nil, err
	}
	return opening, nil
}

// armedOpening is no *os.File, because one that its owner forgets is closed by the garbage collector, which would disarm.
type armedOpening struct {
	fd     int
	closed atomic.Bool
}

func (o *armedOpening) Close() error {
	if o.closed.Swap(true) {
		return os.ErrClosed
	}
	return unix.Close(o.fd)
}

// reopenLifeline opens the pipe behind fd once more. Owner, signal and O_ASYNC belong to an opening, and each group needs its own.
func reopenLifeline(fd int) (opened int, err error) {
	path := "/proc/self/fd/" + strconv.Itoa(fd)
	// O_NONBLOCK because the open would wait for a writer if the parent were gone.
	opened, err = unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("opening the lifeline once more through %s: %w", path, err)
	}
	// Blocking from here on, so that an os.File of it stays out of the poller: nobody reads it.
	if _, err := unix.FcntlInt(uintptr(opened), unix.F_SETFL, 0); err != nil {
		unix.Close(opened)
		return 0, fmt.Errorf("preparing the lifeline's opening: %w", err)
	}
	return opened, nil
}

// arm ties opened to the group; fd is the inherited descriptor. The kernel remembers the group itself, not its number, so a later group of
// the same number is safe.
func arm(opened, fd, pgid int) error {
	if pgid <= 1 {
		return fmt.Errorf("arming the lifeline for group %d: not a group of one's own", pgid)
	}
	for _, step := range []struct {
		name     string
		cmd, arg int
	}{
		{"F_SETOWN", unix.F_SETOWN, -pgid},
		{"F_SETSIG", unix.F_SETSIG, int(unix.SIGKILL)},
		{"O_ASYNC", unix.F_SETFL, unix.O_ASYNC},
	} {
		if _, err := unix.FcntlInt(uintptr(opened), step.cmd, step.arg); err != nil {
			return fmt.Errorf("arming the lifeline for group %d (%s): %w", pgid, step.name, err)
		}
	}
	// A parent that ended before the last step sends no signal. Only the inherited descriptor tells: an opening made
	// after the last writer left does not report the hang-up.
	state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	if _, err := unix.Poll(state, 0); err == nil && state[0].Revents&unix.POLLHUP != 0 {
		return ErrLifelineLost
	}
	return nil
}
