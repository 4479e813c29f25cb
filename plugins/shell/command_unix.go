//go:build unix

package shell

import (
	"os/exec"
	"syscall"
)

// commandFor makes the command in a session of its own: with the host's terminal within reach, a program that asks
// for a password would be stopped for ever.
func commandFor(command string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}
