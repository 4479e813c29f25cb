package api

import (
	"context"
	"encoding/json"

	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

// Services is what the host does for its plugins: it finds the call that a call back belongs to and keeps within it.
type Services struct {
	Dispatcher *Dispatcher
	Projects   interface {
		ByID(id string) (*project.Project, bool)
	}
}

var _ sdk.HostServices = Services{}

// ApplyEdits writes files of the project of the call that token names. Only a method that is declared to edit may.
func (s Services) ApplyEdits(ctx context.Context, token string, changes []sdk.Change) (uint64, error) {
	ctx, f, leave, err := s.Dispatcher.join(ctx, token)
	if err != nil {
		return 0, err
	}
	defer leave()
	if !f.method.CanEdit {
		return 0, sdk.Errorf(sdk.KindPermission, "%s.%s is not declared as editing (can_edit), so it may not write files", f.method.Facade, f.method.Name)
	}
	if f.caller.Project == nil {
		return 0, sdk.Errorf(sdk.KindRuntime, "no project is active, so no file can be written")
	}
	change, err := f.caller.Project.Files.Apply(ctx, files.Author{Session: f.caller.Session, Method: f.method.Facade + "." + f.method.Name}, changes)
	if err == nil {
		s.Dispatcher.wrote(f)
	}
	return change, err
}

// Changes tells what changed in a project after the number since, looking at the files first.
func (s Services) Changes(ctx context.Context, projectID string, since uint64) (sdk.Changes, error) {
	p, err := s.project(projectID)
	if err != nil {
		return sdk.Changes{}, err
	}
	return p.Files.Changes(ctx, since)
}

// ReportChanged records changes that somebody else made.
func (s Services) ReportChanged(_ context.Context, projectID string, paths []string) (uint64, error) {
	p, err := s.project(projectID)
	if err != nil {
		return 0, err
	}
	return p.Files.Report(paths...), nil
}

// CallFacade runs a method with the rights of the call that token names.
func (s Services) CallFacade(ctx context.Context, token, facade, method string, args json.RawMessage) (json.RawMessage, error) {
	ctx, f, leave, err := s.Dispatcher.join(ctx, token)
	if err != nil {
		return nil, err
	}
	defer leave()
	if target := f.caller.Scope.method(facade, method); target != nil && target.CanEdit && !f.method.CanEdit {
		return nil, sdk.Errorf(sdk.KindPermission, "%s.%s is not declared as editing (can_edit), so it may not call %s.%s, which edits", f.method.Facade, f.method.Name, facade, method)
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(args, &named); err != nil {
		return nil, sdk.Errorf(sdk.KindType, "%s.%s: the arguments must be a JSON object: %w", facade, method, err)
	}
	out, err := s.Dispatcher.Call(ctx, f.caller, Call{Facade: facade, Method: method, Args: named})
	if err == nil && f.method.CanEdit {
		s.Dispatcher.wrote(f) // for all that is known
	}
	return out.Value, err
}

func (s Services) project(id string) (*project.Project, error) {
	p, ok := s.Projects.ByID(id)
	if !ok {
		return nil, sdk.Errorf(sdk.KindLookup, "project %s is not open", id)
	}
	return p, nil
}
