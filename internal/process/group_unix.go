//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// groupAttributes returns a copy of base that starts a new process group.
func groupAttributes(base *syscall.SysProcAttr, parentDeath syscall.Signal) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{}
	if base != nil {
		*attr = *base
	}
	// A new session is a new group already, and its leader may not ask for one.
	attr.Setpgid, attr.Pgid = !attr.Setsid, 0
	setParentDeath(attr, parentDeath)
	return attr
}

// signalGroup signals c's group. The caller has made sure that the group is still c's.
func signalGroup(c *Child, sig syscall.Signal) error {
	if err := syscall.Kill(-c.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func endSignal(ps *os.ProcessState) syscall.Signal {
	if status, ok := ps.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}
