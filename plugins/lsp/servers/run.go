package servers

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/serena-go/serena/internal/process"
)

// keptOutput is how much of a program's output is kept, from its end.
const keptOutput = 8 << 10

// run runs a program to its end and returns what it wrote. ctx's end kills it with all it started.
func (in *Installer) run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	out := &tail{}
	cmd.Stdout, cmd.Stderr = out, out
	child, err := process.Start(cmd, process.Options{ParentDeath: syscall.SIGKILL, GroupLifeline: in.lifeline})
	if err != nil {
		return "", err
	}
	state, err := child.Wait(ctx)
	if err != nil {
		_, stopErr := child.Stop(ctx, 0)
		if stopErr != nil {
			return out.String(), stopErr
		}
		return out.String(), err
	}
	if state.Code != 0 {
		text := strings.TrimSpace(out.String())
		if text == "" {
			return "", fmt.Errorf("%s", state)
		}
		return text, fmt.Errorf("%s: %s", state, text)
	}
	return out.String(), nil
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - keptOutput; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.ToValidUTF8(t.buf, []byte("?")))
}
