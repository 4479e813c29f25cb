package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestEnd asks the server to end, by SIGTERM or by the end of its stdin: it does so with status 0 and without a word, also when
// its client does not read.
func TestEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ deaf, byStdin bool }{
		"SIGTERM":                         {},
		"SIGTERM, a deaf client":          {deaf: true},
		"the end of stdin":                {byStdin: true},
		"the end of stdin, a deaf client": {deaf: true, byStdin: true},
	} {
		deaf := c.deaf
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(binary, "start-mcp-server", "--agent-interface", "REPL", "--project", newProject(t))
			cmd.Env = environment(t.TempDir())
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			stdout, theirs, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdout.Close()
			defer theirs.Close()
			cmd.Stdout = theirs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			say := func(line string) {
				if _, err := stdin.Write([]byte(line + "\n")); err != nil {
					t.Fatal(err)
				}
			}
			say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
			answer := make([]byte, 1<<16)
			if _, err := stdout.Read(answer); err != nil {
				t.Fatal(err)
			}
			if deaf { // more than a pipe holds
				say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"serena_repl","arguments":{"session_id":"x","code":"'x' * 140000"}}}`)
				until(t, "a full pipe", func() bool { return waiting(t, stdout) >= 1<<16 })
			}
			family := append(descendants(cmd.Process.Pid), cmd.Process.Pid)
			begin := time.Now()
			if c.byStdin {
				err = stdin.Close()
			} else {
				err = cmd.Process.Signal(syscall.SIGTERM)
			}
			if err != nil {
				t.Fatal(err)
			}
			timer := time.AfterFunc(15*time.Second, func() { _ = cmd.Process.Kill() })
			err = cmd.Wait()
			if !timer.Stop() || err != nil {
				t.Errorf("after %s: %v", time.Since(begin), err)
			}
			if said := stderr.String(); said != "" && !deaf || strings.Contains(said, "canceled") {
				t.Errorf("stderr: %q", said)
			}
			gone(t, family, 3*time.Second)
		})
	}
}

// waiting tells how many bytes lie in a pipe.
func waiting(t *testing.T, pipe *os.File) int {
	t.Helper()
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
