package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	w, err := p.instance.ready(ctx, req.Project)
	if err != nil {
		return api.Outcome{}, nil, err
	}
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
			return outcome(o)
		}
		if pr := event.GetProgress(); pr != nil && req.Progress != nil {
			req.Progress(pr.Done, pr.Total, pr.Message)
		}
	}
}

func outcome(o *wire.Outcome) (api.Outcome, error) {
	if err := failure(o.Failure); err != nil {
		return api.Outcome{}, err
	}
	return api.Outcome{Value: o.Value, Type: o.Type, Policy: o.Policy, Text: o.Text}, nil
}

// Render turns a value of one of the plugin's record types into text.
func (p *provider) Render(ctx context.Context, typeName string, value, policy json.RawMessage) (string, error) {
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
