package lsp

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// kill ends a server from outside, as a user or the kernel may.
func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
}

// alive reports whether a process is there. A server is our own child and is reaped, so a dead one has no number.
func alive(t *testing.T, pid int) bool {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
