package repl

import (
	"context"
	"encoding/json"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/sdk"
)

// leaveLimit bounds the leaving of a context manager, which neither an interrupt nor the runtime's end cuts short. Close waits for it.
const leaveLimit = killLimit - time.Second

// entered is a context manager between its enter and its exit. Whoever takes it from Runtime.contexts leaves it: the block that ends,
// the cancelled call, or the end of the runtime. So it is left once, however the block ends.
type entered struct {
	call   func(context.Context, CallRequest) (api.Outcome, error)
	facade string
	exit   string
	value  json.RawMessage
}

// enterContext enters, and keeps what is needed to leave under the call's number.
func (r *Runtime) enterContext(ctx context.Context, b Backend, q request, c CallRequest) (api.Outcome, error) {
	pinned := b.Pin()
	out, err := pinned(ctx, c)
	if err == nil {
		r.mu.Lock()
		r.contexts[q.Call] = entered{call: pinned, facade: q.Facade, exit: q.Exit, value: out.Value}
		r.mu.Unlock()
	}
	return out, err
}

// leaveContext leaves for the block that has ended.
func (r *Runtime) leaveContext(ctx context.Context, call int, c CallRequest) (api.Outcome, error) {
	e, ok := r.takeContext(call)
	if !ok || e.facade != c.Facade || e.exit != c.Method {
		return api.Outcome{}, sdk.Errorf(sdk.KindRuntime, "%s.%s: what was entered has been left already", c.Facade, c.Method)
	}
	return e.leave(ctx, c)
}

// abandon leaves, with the reason, what the call has entered, if it has.
func (r *Runtime) abandon(ctx context.Context, call int, reason string) {
	e, ok := r.takeContext(call)
	if !ok {
		return
	}
	text, _ := json.Marshal(reason) // a string: cannot fail
	args := map[string]json.RawMessage{"entered": e.value, "error": text, "error_kind": json.RawMessage(`"` + sdk.KindCancelled + `"`)}
	if _, err := e.leave(ctx, CallRequest{Facade: e.facade, Method: e.exit, Args: args}); err != nil {
		r.log.Error("what a cell had entered could not be left", "exit", e.facade+"."+e.exit, "reason", reason, "error", err)
	}
}

// abandonAll leaves everything that is still entered when the runtime has ended. The last that was entered is left first.
func (r *Runtime) abandonAll(ctx context.Context) {
	for {
		r.mu.Lock()
		last := 0
		for call := range r.contexts {
			last = max(last, call)
		}
		r.mu.Unlock()
		if last == 0 {
			return
		}
		r.abandon(ctx, last, "the session's Python ended")
	}
}

func (r *Runtime) takeContext(call int) (entered, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.contexts[call]
	delete(r.contexts, call)
	return e, ok
}

func (e entered) leave(ctx context.Context, c CallRequest) (api.Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	return e.call(ctx, c)
}
