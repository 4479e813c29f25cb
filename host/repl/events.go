package repl

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// handle takes one frame. It runs on the reader's goroutine and does not block.
func (r *Runtime) handle(ctx context.Context, e event) {
	if e.Event == "host_request" {
		r.handleRequest(ctx, e.id(), e.Data)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ofCell := r.cell != nil && e.id() == r.cell.id
	ofAsk := r.ask != nil && e.id() == r.ask.id
	switch {
	case e.Event == "ready":
		select {
		case r.ready <- e:
		default: // it comes once; another one is nobody's
		}
	case e.Event == "stdout":
		r.collected.stdout.add(e.Text)
	case e.Event == "stderr":
		r.collected.stderr.add(e.Text)
	case e.Event == "display":
		if err := r.collected.display(e.Data); err != nil {
			r.collected.note("a display was dropped: %v", err)
		}
	case e.Event == "result" && ofCell:
		r.collected.value = &e.Text
	case e.Event == "error" && ofCell:
		r.collected.failure = &CellError{Name: e.EName, Value: e.EValue, Traceback: e.Traceback}
	case e.Event == "error" && ofAsk:
		r.ask.failure = e.EName + ": " + e.EValue
	case e.Event == "error" && e.ID == nil:
		r.log.Error("Python did not understand a frame", "error", e.EName+": "+e.EValue)
	case e.Event == "done" && ofCell:
		r.cell.done <- r.takeLocked()
		r.cell = nil // no frame follows that is its own
	case e.Event == "done" && ofAsk:
		r.ask.done <- e
		r.ask = nil
	case e.Event == "done" && strings.HasPrefix(e.id(), namesPrefix):
		r.names = e.Names
	default:
		r.log.Debug("a frame of Python concerns nothing under way", "event", e.Event, "id", e.id())
	}
}

// handleOversized tells the cell what is missing, and answers a request so that its caller does not wait in vain.
func (r *Runtime) handleOversized(o *oversized) {
	r.log.Warn("a frame of Python was dropped", "event", o.Event, "id", o.ID, "bytes", o.Size)
	if o.Event == "host_request" {
		r.reply(o.ID, nil, o.asError())
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	what := map[string]string{
		"result":  "the text of the cell's value; the value itself is in `_`",
		"display": "a display",
		"error":   "the cell's error",
	}[o.Event]
	if what == "" {
		what = "a frame of the cell"
	}
	r.collected.note("dropped: %s (%d bytes, the limit is %d)", what, o.Size, maxFrame)
}

// isBadLine reports an error that concerns one line and not the stream.
func isBadLine(err error) bool {
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &shape)
}
