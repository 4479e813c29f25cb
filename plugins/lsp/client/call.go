package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/serena-go/serena/internal/process"
)

// ErrGone reports that the server ended before it answered. Start it again and ask once more; the error's text has its exit code
// and the end of its stderr.
var ErrGone = errors.New("the language server ended")

// ErrTimeout reports a server that did not answer within Config.RequestTimeout. It lives on, and may be busy loading.
var ErrTimeout = errors.New("the language server did not answer in time")

// ResponseError is a server's refusal of a request.
type ResponseError struct {
	Server  string
	Method  string
	Code    int
	Message string
	Logged  string // the last error that the server logged meanwhile or shortly before; often the cause

	since time.Time // when such an error was logged at the earliest
}

func (e *ResponseError) Error() string {
	text := fmt.Sprintf("%s refused %s: %s (code %d)", e.Server, e.Method, e.Message, e.Code)
	if e.Logged != "" {
		text += "; it logged: " + e.Logged
	}
	return text
}

// Codes by which a server says that the state it answers for has just changed: ask again.
const (
	contentModified = -32801
	serverCancelled = -32802
	staleAttempts   = 4
	stalePause      = 200 * time.Millisecond
)

// lookBack is how long before a request an error may have been logged that is taken for the cause of its refusal: servers often find it when
// a document is opened.
const lookBack = 30 * time.Second

// Call sends a request and waits for its answer, which it decodes into result (nil: dropped). When ctx or the request's
// own deadline ends first, the server is told by $/cancelRequest and its late answer is dropped. The error is ctx's, a *ResponseError, or
// wraps ErrTimeout or ErrGone.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	for attempt := 1; ; attempt++ {
		err := c.callOnce(ctx, method, params, result)
		var refused *ResponseError
		if attempt == staleAttempts || !errors.As(err, &refused) || refused.Code != contentModified && refused.Code != serverCancelled {
			return err
		}
		pause := time.NewTimer(stalePause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return ctx.Err()
		}
	}
}

func (c *Client) callOnce(ctx context.Context, method string, params, result any) error {
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("the parameters of %s cannot be sent: %w", method, err)
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.cfg.RequestTimeout > 0 {
		limited, cancel = context.WithTimeout(ctx, c.cfg.RequestTimeout)
	}
	defer cancel()
	defer c.watchStandstill(ctx)()
	began := time.Now().Add(-lookBack)
	var answer json.RawMessage
	id, err := c.conn.Call(limited, method, raw, &answer)
	if err != nil {
		return c.failure(ctx, limited, method, id, began, err)
	}
	if result == nil || len(answer) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("%s answered %s with something unexpected: %w", c.cfg.Name, method, err)
	}
	return nil
}

// standstill is how long a request waits until a server that stands still (SIGSTOP, a debugger) is taken for gone.
const standstill = 20 * time.Second

// watchStandstill kills a server that stands still while a request waits for it: it would not answer, and a fresh one will. The
// function it returns ends the watch.
func (c *Client) watchStandstill(ctx context.Context) (end func()) {
	watched, cancel := context.WithCancel(ctx)
	var look func()
	look = func() {
		if watched.Err() != nil {
			return
		}
		if !process.Stopped(c.child.Pid()) {
			time.AfterFunc(standstill, look)
			return
		}
		c.cfg.Log.Warn("the language server stands still and is ended", "server", c.cfg.Name)
		_, _ = c.child.Stop(watched, 0) // its owner sees how it ended
	}
	timer := time.AfterFunc(standstill, look)
	return func() {
		cancel()
		timer.Stop()
	}
}

// failure turns a failed call into one of Call's errors.
func (c *Client) failure(ctx, limited context.Context, method string, id jsonrpc2.ID, began time.Time, err error) error {
	// The server's own refusals come as they are; what the library finds wrong on this side is wrapped or one of its sentinels.
	if refused, ok := err.(*jsonrpc2.Error); ok && refused != jsonrpc2.ErrParse && refused != jsonrpc2.ErrInvalidRequest {
		return &ResponseError{Server: c.cfg.Name, Method: method, Code: int(refused.Code), Message: refused.Message, Logged: c.complaints.since(began), since: began}
	}
	if limited.Err() != nil {
		if number, ok := id.Number(); ok {
			_ = c.Notify("$/cancelRequest", map[string]any{"id": number}) // a server that is gone has nothing to cancel
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%w: %s had %s for %s%s", ErrTimeout, c.cfg.Name, c.cfg.RequestTimeout, method, c.lastWords())
	}
	// The connection is broken. The process's end tells why.
	select {
	case <-c.dead:
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.Death()
}

// explainLimit bounds the wait for an error that a server logs when it has refused already: it does both at the same time.
const explainLimit = 2 * time.Second

// Explain adds the error that the server logs to a refusal that came without one, for which it waits a little. Other errors are returned
// as they are.
func (c *Client) Explain(ctx context.Context, err error) error {
	var refused *ResponseError
	if !errors.As(err, &refused) || refused.Logged != "" {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, explainLimit)
	defer cancel()
	explained := *refused
	explained.Logged = c.complaints.wait(limited, c.dead, refused.since)
	return &explained
}

// Death says how the server ended; it wraps ErrGone. It may be called when Dead is closed.
func (c *Client) Death() error {
	select {
	case <-c.stopping:
		return fmt.Errorf("%w: %s was stopped", ErrGone, c.cfg.Name)
	default:
	}
	if c.givenUp != nil {
		return fmt.Errorf("%w: %s was given up: %w", ErrGone, c.cfg.Name, c.givenUp)
	}
	return fmt.Errorf("%w: %s, %s%s", ErrGone, c.cfg.Name, c.state, c.lastWords())
}

func (c *Client) lastWords() string {
	if text := c.tail.String(); text != "" {
		return "; the end of its stderr:\n" + text
	}
	return "; it wrote nothing to stderr"
}

// Notify sends a notification; it does not wait until the server has read it. The error wraps ErrGone.
func (c *Client) Notify(method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return fmt.Errorf("the parameters of %s cannot be sent: %w", method, err)
	}
	if err := c.conn.Notify(context.Background(), method, raw); err != nil { // queued: there is nothing to cancel
		return fmt.Errorf("%w: %s: %w", ErrGone, c.cfg.Name, err)
	}
	return nil
}

// encode marshals params; nil stays nil, so that the message has no such member.
func encode(params any) (any, error) {
	if params == nil {
		return nil, nil
	}
	raw, err := json.Marshal(params)
	return json.RawMessage(raw), err
}
