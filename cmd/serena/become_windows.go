package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// become runs a program in the place of this process, which cannot be replaced here, and ends with its status.
func become(argv, environment []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = environment, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("%s cannot be run: %w", argv[0], err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}
