package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func setParentDeath(attr *syscall.SysProcAttr, sig syscall.Signal) {
	if sig != 0 {
		attr.Pdeathsig = sig
	}
}

// reap waits for c's end in two steps. While the leader is a zombie its number, hence the group's, cannot be given to anybody
// else: that is when the rest of the group is killed. Then it is reaped and struck from the table under the lock.
func reap(c *Child) (*os.ProcessState, error) {
	zombie := awaitZombie(c.pid)

	known.mu.Lock()
	defer known.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if zombie == nil {
		signalGroup(c, syscall.SIGKILL) // fails only for members that changed their user: not ours to kill
	}
	c.reaped = true
	ps, err := c.cmd.Process.Wait()
	known.forget(c)
	return ps, err
}

// awaitZombie blocks until the child pid has ended, and leaves it unreaped. An error means that something else reaped it.
func awaitZombie(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return err
		}
	}
}
