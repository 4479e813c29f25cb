package client

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/serena-go/serena/internal/process"
)

// hung is a process that does not end although it is killed, as one that hangs in the kernel.
type hung struct{ done chan struct{} }

func (h hung) Pid() int              { return 1 << 30 }
func (h hung) Done() <-chan struct{} { return h.done }

func (h hung) Stop(context.Context, time.Duration) (process.ExitState, error) {
	return process.ExitState{}, process.ErrStillRunning
}

func TestStop_givesUpAProcessThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	serverIn, stdin := io.Pipe()
	stdout, serverOut := io.Pipe()
	defer serverIn.Close()
	defer serverOut.Close()
	c := &Client{cfg: Config{Name: "fake", Log: slog.New(slog.DiscardHandler)}, child: hung{make(chan struct{})}, tail: &stderrTail{}, ready: newReadiness("", ""),
		pipes: newPipes(stdin, stdout, func(string) {}), dead: make(chan struct{}), stopping: make(chan struct{})}
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(c.pipes))
	c.conn.Go(context.WithoutCancel(t.Context()), c.handle)
	go c.own(context.WithoutCancel(t.Context()))

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // for a server that says nothing
	defer cancel()
	c.kill(ctx) // as a failed start does
	select {
	case <-c.dead:
	case <-time.After(20 * time.Second):
		t.Fatal("its end is waited for")
	}
	if err := c.Death(); !errors.Is(err, ErrGone) || !errors.Is(err, process.ErrStillRunning) {
		t.Errorf("error %v", err)
	}
	if err := c.Call(t.Context(), "x", nil, nil); !errors.Is(err, ErrGone) {
		t.Errorf("a call afterwards: %v", err)
	}
}
