// Package native serves the methods that the host has itself: they are declared as a plugin's are, and run in this process.
package native

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/sdk"
)

// Source returns the declaration of the host's methods with what runs them.
func Source(log hclog.Logger) api.Source {
	p := plugin()
	return api.Source{Manifest: p.Manifest(), Provider: &provider{plugin: p, log: log}}
}

// plugin is all that the host serves.
func plugin() sdk.Plugin {
	return sdk.Plugin{Name: "host", Facades: []sdk.Facade{{Name: "edit", Guest: true, Methods: takingBack()}}}
}

type provider struct {
	plugin sdk.Plugin
	log    hclog.Logger
}

var _ api.Provider = (*provider)(nil)

// Call runs one method. A panic is that call's failure.
func (p *provider) Call(ctx context.Context, req api.Request) (out api.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			p.log.Error("panic", "method", req.Facade+"."+req.Method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = sdk.Errorf(sdk.KindRuntime, "%s.%s failed by a fault of its own (%v): the log has the details", req.Facade, req.Method, r)
		}
	}()
	var project *sdk.Project
	if req.Project != nil {
		project = &sdk.Project{ID: req.Project.ID, Root: req.Project.Root, Name: req.Project.Name, DataFolder: req.Project.DataFolder, Encoding: req.Project.Encoding}
	}
	call := sdk.NewCall(project, req.Change, nil, nil, req.Progress)
	a, err := p.plugin.Run(context.WithValue(ctx, requestKey{}, req), call, req.Facade, req.Method, req.Arguments)
	if err != nil {
		return api.Outcome{}, err
	}
	return api.Outcome{Value: a.Value, Type: a.Type, Policy: a.Policy, Text: a.Text}, nil
}

// Render turns a value of one of the host's record types into text.
func (p *provider) Render(_ context.Context, typeName string, value, policy json.RawMessage) (string, error) {
	return p.plugin.Render(typeName, value, policy)
}

// requestKey finds the request in a method's context: the session and the project are the host's own, which an sdk.Call does not carry.
type requestKey struct{}

// requestOf is the request that a method answers. Without a project it is the error that says how to activate one.
func requestOf(ctx context.Context, call *sdk.Call) (api.Request, error) {
	req, _ := ctx.Value(requestKey{}).(api.Request)
	_, err := call.Project()
	return req, err
}
