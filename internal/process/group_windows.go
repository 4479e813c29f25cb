package process

import (
	"errors"
	"os"
	"syscall"
)

func groupAttributes(base *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return base }

// signalGroup ends the process alone, whatever sig is: Windows has no polite signal for a process without a console, and a group
// would need a job object.
func signalGroup(c *Child, _ syscall.Signal) error {
	if err := c.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func endSignal(*os.ProcessState) syscall.Signal { return 0 }
