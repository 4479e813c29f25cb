package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

const (
	progressMethod = "notifications/progress"
	progressPause  = 100 * time.Millisecond // between two notifications of a call; mcp-go drops what comes faster than a client reads
	heartbeat      = 5 * time.Second        // without news, that a call is still at work is told
	flushLimit     = time.Second            // for the last notification to be written before the answer
)

// reporter sends a call's progress to a client that asked for it, at most ten times a second and never after the answer. The value is
// the time since the call began, in seconds: it must only grow, and a cell's calls each count in their own way. nil reports nothing.
type reporter struct {
	send  func(params map[string]any) (flush func())
	token mcp.ProgressToken
	begun time.Time

	mu    sync.Mutex // guards the fields below
	last  time.Time  // of the last notification
	flush func()     // waits until that is written
	beat  *time.Timer
	ended bool
}

// report is what the call of a cell tells; total is 0 where it is not known.
func (r *reporter) report(done, total float64, message string) {
	if r == nil {
		return
	}
	if total > 0 {
		of := fmt.Sprintf("%g of %g", done, total)
		if message == "" {
			message = of
		} else {
			message += " (" + of + ")"
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell(message)
}

// tell sends a notification unless the last one is too fresh. r.mu is held.
func (r *reporter) tell(message string) {
	now := time.Now()
	if r.ended || now.Sub(r.last) < progressPause {
		return
	}
	r.last = now
	params := map[string]any{"progressToken": r.token, "progress": math.Round(now.Sub(r.begun).Seconds()*1000) / 1000}
	if message != "" {
		params["message"] = message
	}
	r.flush = r.send(params)
}

func (r *reporter) alive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	if now := time.Now(); now.Sub(r.last) >= heartbeat {
		r.tell(fmt.Sprintf("running for %.0f s", now.Sub(r.begun).Seconds()))
	}
	r.beat.Reset(heartbeat)
}

// end lets nothing more out and waits until what was sent is written.
func (r *reporter) end() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.ended = true
	r.beat.Stop()
	flush := r.flush
	r.mu.Unlock()
	if flush != nil {
		flush()
	}
}

// newReporter makes the reporter of a call; nil when the client did not ask.
func (s *Server) newReporter(ctx context.Context, req mcp.CallToolRequest) *reporter {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return nil
	}
	return newReporter(req.Params.Meta.ProgressToken, func(params map[string]any) func() {
		return s.notices.queue(func() error {
			return server.ServerFromContext(ctx).SendNotificationToClient(ctx, progressMethod, params)
		})
	})
}

func newReporter(token mcp.ProgressToken, send func(map[string]any) func()) *reporter {
	r := &reporter{send: send, token: token, begun: time.Now()}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.beat = time.AfterFunc(heartbeat, r.alive)
	return r
}

// notices knows which progress notifications are written. mcp-go has another goroutine write them than the answers, so that one that is
// sent last could come after the answer. They are written in the order in which they are queued.
type notices struct {
	mu      sync.Mutex // guards the fields below
	queued  int
	written int
	change  chan struct{} // closed and replaced when written grows
}

// queue sends a notification; the function that it returns waits until it is written, for flushLimit at the longest.
func (n *notices) queue(send func() error) (flush func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if send() != nil {
		return nil // the client does not read, or cannot be told
	}
	n.queued++
	number := n.queued
	return func() { n.await(number) }
}

func (n *notices) await(number int) {
	limit := time.NewTimer(flushLimit)
	defer limit.Stop()
	for {
		n.mu.Lock()
		if n.change == nil {
			n.change = make(chan struct{})
		}
		change, written := n.change, n.written >= number
		n.mu.Unlock()
		if written {
			return
		}
		select {
		case <-change:
		case <-limit.C:
			return
		}
	}
}

func (n *notices) wrote() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.written++
	if n.change != nil {
		close(n.change)
		n.change = nil
	}
}

// writer counts the notifications in what is written to w, which gets one message a write.
func (n *notices) writer(w io.Writer) io.Writer { return noticedWriter{w, n} }

type noticedWriter struct {
	io.Writer
	notices *notices
}

// progressMark is only found in a message of that method: inside of a JSON text the quotes would be escaped.
var progressMark = []byte(`"method":"` + progressMethod + `"`)

func (w noticedWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if bytes.Contains(p[:min(len(p), 256)], progressMark) {
		w.notices.wrote() // also when it failed: it will not be written later
	}
	return n, err
}
