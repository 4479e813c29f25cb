package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// provider is the road to one plugin's methods.
type provider struct {
	instance *instance
	name     string
}

var _ api.Provider = (*provider)(nil)

// Call runs one method, starting the plugin and opening the project if need be. ErrGone when the process ends meanwhile; nothing is
// repeated here. When ctx ends the plugin is told, and its answer is dropped.
func (p *provider) Call(ctx context.Context, req api.Request) (api.Outcome, error) {
	what := fmt.Sprintf("plugin %s: %s.%s", p.name, req.Facade, req.Method)
	if len(req.Arguments) > wire.MaxValueBytes {
		return api.Outcome{}, sdk.Errorf(sdk.KindValue, "%s: the arguments have %d bytes, more than the %d that can be sent: give less", what, len(req.Arguments), wire.MaxValueBytes)
	}
	p.instance.enter()
	defer p.instance.leave()
	out, w, err := p.attempt(ctx, req, what)
	if !errors.Is(err, errNotBegun) {
		return out, err
	}
	if how, ended := w.awaitEnd(killLimit); !ended {
		return api.Outcome{}, sdk.Errorf(sdk.KindTimeout, "%w and does not end", err)
	} else if out, _, err = p.attempt(ctx, req, what); errors.Is(err, errNotBegun) {
		return api.Outcome{}, sdk.Errorf(sdk.KindConnection, "%w, and so was the one before (%s): something ends it again and again", err, how)
	}
	return out, err
}

// attempt makes the call on the process of this moment.
func (p *provider) attempt(ctx context.Context, req api.Request, what string) (api.Outcome, *worker, error) {
	w, leave, err := p.instance.ready(ctx, req.Project)
	if err != nil {
		return api.Outcome{}, nil, err
	}
	defer leave()
	out, err := w.call(ctx, req, what)
	return out, w, err
}

// call makes one call and waits for its outcome.
func (w *worker) call(ctx context.Context, req api.Request, what string) (api.Outcome, error) {
	call := &wire.CallRequest{Change: req.Change, Facade: req.Facade, Method: req.Method, Arguments: req.Arguments, Render: req.Render, CallerToken: req.Token}
	if req.Project != nil {
		call.ProjectId = req.Project.ID
	}
	stream, end := context.WithCancel(ctx) // ends the stream whatever happens
	defer end()
	events, err := w.rpc.Call(stream, call)
	if err != nil {
		return api.Outcome{}, translate(ctx, err, what, w)
	}
	for {
		event, err := events.Recv()
		if errors.Is(err, io.EOF) {
			return api.Outcome{}, sdk.Errorf(sdk.KindRuntime, "%s: the plugin ended the call without an answer, which is its fault: tell its author", what)
		}
		if err != nil {
			return api.Outcome{}, translate(ctx, err, what, w)
		}
		if o := event.GetOutcome(); o != nil {
			return w.outcome(o, req, what)
		}
		if pr := event.GetProgress(); pr != nil && req.Progress != nil {
			req.Progress(finite(pr.Done), finite(pr.Total), shorten(pr.Message, maxProgressRunes))
		}
	}
}

// maxProgressRunes bounds a message that is told while a call is under way.
const maxProgressRunes = 500

// finite replaces what JSON cannot hold by 0, which means that it is not known.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// outcome is what the plugin answered. What a third party answered is checked: whatever is wrong with it must be this call's error, not
// that of a whole cell.
func (w *worker) outcome(o *wire.Outcome, req api.Request, what string) (api.Outcome, error) {
	if err := failure(o.Failure); err != nil {
		return api.Outcome{}, err
	}
	if !w.spec.Builtin {
		switch {
		case !json.Valid(o.Value):
			return api.Outcome{}, wrongAnswer(what, "its value is no JSON: %q", shorten(string(o.Value), 60))
		case len(o.Policy) > 0 && !json.Valid(o.Policy):
			return api.Outcome{}, wrongAnswer(what, "its policy is no JSON: %q", shorten(string(o.Policy), 60))
		}
		if err := w.spec.Manifest.CheckAnswer(w.declared(req), o.Type, o.Value); err != nil {
			return api.Outcome{}, wrongAnswer(what, "%v", err)
		}
	}
	return api.Outcome{Value: o.Value, Type: o.Type, Policy: o.Policy, Text: o.Text}, nil
}

// declared is the type of what a method is declared to answer.
func (w *worker) declared(req api.Request) sdk.TypeRef {
	for _, f := range w.spec.Manifest.Facades {
		for _, m := range f.Methods {
			if f.Name == req.Facade && m.Name == req.Method {
				return m.Result
			}
		}
	}
	return sdk.TypeRef{Name: "Any"}
}

func wrongAnswer(what, format string, args ...any) error {
	return sdk.Errorf(sdk.KindRuntime, "%s: the plugin's answer cannot be used: %s; this is its fault: tell its author", what, fmt.Sprintf(format, args...))
}

// Render turns a value of one of the plugin's record types into text.
func (p *provider) Render(ctx context.Context, typeName string, value, policy json.RawMessage) (string, error) {
	p.instance.enter()
	defer p.instance.leave()
	w, err := p.instance.acquire(ctx)
	if err != nil {
		return "", err
	}
	reply, err := w.rpc.Render(ctx, &wire.RenderRequest{Type: typeName, Value: value, Policy: policy})
	if err != nil {
		return "", translate(ctx, err, fmt.Sprintf("plugin %s: rendering %s", p.name, typeName), w)
	}
	return reply.Text, failure(reply.Failure)
}
