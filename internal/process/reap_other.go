//go:build !linux

package process

import (
	"os"
	"syscall"
)

// reap waits for c's end and kills the rest of its group at once. Between the two the group's number is free if no member lives,
// but systems hand out numbers in a cycle: it is not given again within microseconds.
func reap(c *Child) (*os.ProcessState, error) {
	ps, err := c.cmd.Process.Wait()

	known.mu.Lock()
	defer known.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		signalGroup(c, syscall.SIGKILL)
	}
	c.reaped = true
	known.forget(c)
	return ps, err
}
