package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cancel starts a cell, waits for a fact, cancels the MCP call and waits for its end.
func (c *client) cancel(code, what string, fact func() bool) {
	c.t.Helper()
	id, ch := c.begin(code)
	until(c.t, what, fact)
	c.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "enough"})
	select { // some kind of end: clients drop it
	case <-ch:
	case <-time.After(patience):
		c.t.Fatalf("%s: no end in %s after it was cancelled", code, patience)
	}
}

// TestCancelReachesTheLanguageServer cancels a call while gopls stands still, and reads what gopls was sent.
func TestCancelReachesTheLanguageServer(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	sent := filepath.Join(bin, "sent")
	real := filepath.Join(goplsDir, "gopls")
	script := fmt.Sprintf("#!/bin/sh\ncase $1 in version) exec %[1]s version;; esac\ntee -a %[2]s | %[1]s \"$@\"\n", real, sent)
	if err := os.WriteFile(filepath.Join(bin, "gopls"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	c := start(t, newProject(t), withEnv("PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")))
	const references = `len(s.lsp.find_referencing_symbols("Basket/Add", "box/box.go"))`
	c.gives(references, "2")
	gopls := c.running(real)
	c.signal(gopls, syscall.SIGSTOP)
	count := func(method string) int {
		data, err := os.ReadFile(sent)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(data), `"`+method+`"`)
	}
	asked := count("textDocument/references")
	c.cancel(references, "the request for references", func() bool { return count("textDocument/references") > asked })
	until(t, "$/cancelRequest", func() bool { return count("$/cancelRequest") == 1 })
	c.gives("1+1", "2")
	until(t, "the end of the call", func() bool { return c.logSays("call ends", "lsp.find_referencing_symbols", "error=") })
	c.signal(gopls, syscall.SIGCONT)
	c.gives(references, "2")
}

func TestCancelEndsAShellCommand(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	var sleeping int
	c.cancel(`s.shell.execute_shell_command("sleep 304; echo never")`, "the command", func() bool {
		for _, pid := range descendants(c.cmd.Process.Pid) {
			if commandLine(pid) == "sleep 304" {
				sleeping = pid
			}
		}
		return sleeping != 0
	})
	gone(t, []int{sleeping}, 3*time.Second)
	c.gives("1+1", "2")
}

// running finds the process whose program is path.
func (c *client) running(path string) int {
	c.t.Helper()
	var found int
	until(c.t, "a process "+path, func() bool {
		for _, pid := range descendants(c.cmd.Process.Pid) {
			if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && exe == path {
				found = pid
			}
		}
		return found != 0
	})
	return found
}
