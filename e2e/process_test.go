package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/process"
)

// descendants lists the living processes below pid, itself left out.
func descendants(pid int) []int {
	pids, err := process.Descendants(pid)
	if err != nil {
		panic(err) // no /proc: these tests need Linux
	}
	return pids
}

// commandLine is the argument list of a process, its words joined by blanks.
func commandLine(pid int) string {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	return string(bytes.ReplaceAll(bytes.TrimRight(data, "\x00"), []byte{0}, []byte{' '}))
}

// member finds the one descendant of the server whose command line ends in suffix.
func (c *client) member(suffix string) int {
	c.t.Helper()
	var found []int
	until(c.t, "a process "+suffix, func() bool {
		found = found[:0]
		for _, pid := range descendants(c.cmd.Process.Pid) {
			if strings.HasSuffix(commandLine(pid), suffix) {
				found = append(found, pid)
			}
		}
		return len(found) == 1
	})
	return found[0]
}

func (c *client) signal(pid int, s syscall.Signal) {
	c.t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		c.t.Fatalf("signal %v to %d (%s): %v", s, pid, commandLine(pid), err)
	}
}

// gone waits until none of the processes lives.
func gone(t *testing.T, pids []int, limit time.Duration) {
	t.Helper()
	deadline := time.Now().Add(limit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var left []string
		for _, pid := range pids {
			if process.Alive(pid) {
				left = append(left, strconv.Itoa(pid)+" "+commandLine(pid))
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left after %s: %q", limit, left)
			return
		}
		<-tick.C
	}
}

// until waits for a fact.
func until(t *testing.T, what string, fact func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s", patience, what)
		}
		<-tick.C
	}
}

// logSays reports whether the server's log has a line that contains all of the words.
func (c *client) logSays(words ...string) bool {
	logs, _ := filepath.Glob(filepath.Join(c.home, "logs", "*", "mcp_*.txt"))
	for _, path := range logs {
		data, _ := os.ReadFile(path)
	line:
		for line := range strings.Lines(string(data)) {
			for _, w := range words {
				if !strings.Contains(line, w) {
					continue line
				}
			}
			return true
		}
	}
	return false
}
