package shell

import (
	"os/exec"
	"syscall"
)

// commandFor hands the command to cmd.exe as it is: with /S it takes away the outer quotes and nothing else.
func commandFor(command string) *exec.Cmd {
	cmd := exec.Command("cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd.exe /D /S /C "` + command + `"`, HideWindow: true}
	return cmd
}
