//go:build !windows

package main

import (
	"fmt"
	"syscall"
)

// become replaces this process by a program.
func become(argv, environment []string) error {
	return fmt.Errorf("%s cannot be run: %w", argv[0], syscall.Exec(argv[0], argv, environment))
}
