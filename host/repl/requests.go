package repl

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/sdk"
)

// request is the data of a host_request: what the object `s` asks.
type request struct {
	Op     string                     `json:"op"`
	Call   int                        `json:"call"` // names it for a cancel; 0 has no name
	Cell   *string                    `json:"cell"`
	Facade string                     `json:"facade"`
	Method string                     `json:"method"`
	Args   map[string]json.RawMessage `json:"args"`
	Type   string                     `json:"type"`
	Value  json.RawMessage            `json:"value"`
	Policy json.RawMessage            `json:"policy"`
	Items  []string                   `json:"items"`

	Exit    string `json:"exit"`    // of a call that enters a context manager: the method that leaves it
	Entered int    `json:"entered"` // of a call that leaves one: the number of the call that entered
}

// handleRequest starts the work on a request, or ends it. It does not block; ctx is that of the runtime's life.
func (r *Runtime) handleRequest(ctx context.Context, id string, data json.RawMessage) {
	var q request
	if err := json.Unmarshal(data, &q); err != nil {
		r.reply(id, nil, sdk.Errorf(sdk.KindValue, "the host answers what `s` asks, and this is another request: %w", err))
		return
	}
	if q.Op == "cancel" {
		if !r.cancelRequest(q.Call) {
			r.work.Go(func() { r.abandon(ctx, q.Call, "the block was given up") })
		}
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	r.enter(q.Call, cancel)
	r.work.Go(func() {
		defer cancel()
		defer func() {
			r.leave(q.Call)
			if ctx.Err() != nil { // the cancel came before the call was left, so it is nobody else's to notice
				r.abandon(ctx, q.Call, "the call was cancelled while it was entered")
			}
		}()
		result, err := r.answer(ctx, q)
		if ctx.Err() == nil || q.Entered != 0 { // nobody waits for the answer otherwise
			r.reply(id, result, err)
		}
	})
}

func (r *Runtime) enter(call int, cancel context.CancelFunc) {
	if call == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[call] = cancel
}

func (r *Runtime) leave(call int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.requests, call)
}

// cancelRequest reports whether the call was under way.
func (r *Runtime) cancelRequest(call int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	cancel := r.requests[call]
	if cancel != nil {
		cancel()
	}
	return cancel != nil
}

// answer does what is asked and returns the reply's result.
func (r *Runtime) answer(ctx context.Context, q request) (any, error) {
	b := r.attached()
	if b == nil {
		return nil, sdk.Errorf(sdk.KindConnection, "this Python belongs to no session yet")
	}
	switch q.Op {
	case "bindings":
		return b.Bindings(ctx)
	case "call":
		c := CallRequest{Facade: q.Facade, Method: q.Method, Args: q.Args}
		if q.Cell != nil {
			c.Cell = *q.Cell
		}
		var out api.Outcome
		var err error
		switch {
		case q.Exit != "":
			out, err = r.enterContext(ctx, b, q, c)
		case q.Entered != 0:
			out, err = r.leaveContext(ctx, q.Entered, c)
		default:
			out, err = b.Call(ctx, c)
		}
		if err != nil {
			return nil, err
		}
		return map[string]any{"value": out.Value, "type": out.Type, "policy": orEmpty(out.Policy)}, nil
	case "render":
		text, err := b.Render(ctx, q.Facade, q.Type, q.Value, orEmpty(q.Policy))
		return map[string]string{"text": text}, err
	case "info":
		text, err := b.Info(ctx, q.Items)
		return map[string]string{"text": text}, err
	}
	return nil, sdk.Errorf(sdk.KindValue, "the host answers what `s` asks, and there is no op %q", q.Op)
}

func orEmpty(object json.RawMessage) json.RawMessage {
	if len(object) == 0 || string(object) == "null" {
		return json.RawMessage("{}")
	}
	return object
}

// reply answers the request of that id.
func (r *Runtime) reply(id string, result any, err error) {
	if err == nil {
		data := map[string]any{"status": "ok", "result": result}
		if err = r.out.send(replyFrame{Type: "host_reply", ID: id, Data: data}); err == nil {
			return
		}
		err = fmt.Errorf("the answer has no JSON form, which is a fault of the plugin: %w", err)
	}
	e := sdk.AsError(err)
	body := map[string]any{"kind": e.Kind, "message": e.Message}
	if json.Valid(e.Data) {
		body["data"] = e.Data
	}
	if err := r.out.send(replyFrame{Type: "host_reply", ID: id, Data: map[string]any{"status": "error", "error": body}}); err != nil {
		r.log.Error("an answer for Python could not be made", "error", err)
	}
}

type replyFrame struct {
	Type string         `json:"type"`
	ID   string         `json:"id"`
	Data map[string]any `json:"data"`
}

// asError is what the sender of an oversized request is told.
func (o *oversized) asError() error {
	return sdk.Errorf(sdk.KindValue, "the arguments are too large: %w; pass less at once", o)
}
