package lsp

import (
	"bytes"
	"context"
	"sync"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

// New returns the plugin. Its servers live until their project is closed or the plugin is stopped.
func New() sdk.Plugin { return newPlugin(servers.Table()).declare() }

// plugin is the state behind the declaration.
type plugin struct {
	table     []servers.Description
	installer *servers.Installer

	mu         sync.Mutex // guards the fields below
	ending     bool
	workspaces map[string]*workspace
}

func newPlugin(table []servers.Description) *plugin {
	return &plugin{table: table, installer: servers.NewInstaller(sdk.Lifeline()), workspaces: map[string]*workspace{}}
}

// Why a workspace is stopped, for the calls that are still under way.
func errClosed(project *sdk.Project) error {
	return sdk.Errorf(sdk.KindRuntime, "project %s is closed: activate it again", project.Name)
}

func errReopened(project *sdk.Project) error {
	return sdk.Errorf(sdk.KindRuntime, "project %s was opened with other settings meanwhile: call again", project.Name)
}

func errEnding() error {
	return sdk.Errorf(sdk.KindConnection, "the plugin lsp is ending: call again, it is started anew")
}

func (p *plugin) declare() sdk.Plugin {
	return sdk.Plugin{Name: "lsp", StartsPrograms: true, LongLived: true, Facades: []sdk.Facade{p.lspFacade(), p.editFacade()}, Open: p.open, Close: p.close, Stop: p.stop}
}

// open is also called for a project that is open: only other settings end its servers.
func (p *plugin) open(ctx context.Context, project *sdk.Project) error {
	settings, err := project.DecodeSettings()
	if err != nil {
		return sdk.Errorf(sdk.KindValue, "the settings of project %s cannot be read: %w", project.Name, err)
	}
	root, err := contain.NewRoot(project.Root)
	if err != nil {
		return sdk.Errorf(sdk.KindFileNotFound, "project %s: %w", project.Name, err)
	}
	p.mu.Lock()
	old := p.workspaces[project.ID]
	if old != nil && old.project.Root == project.Root && bytes.Equal(old.project.Settings, project.Settings) {
		p.mu.Unlock()
		return nil
	}
	p.workspaces[project.ID] = newWorkspace(project, settings, root, p.table, p.installer)
	p.mu.Unlock()
	if old != nil {
		old.stop(ctx, errReopened(project))
	}
	return nil
}

func (p *plugin) close(ctx context.Context, projectID string) {
	p.mu.Lock()
	w := p.workspaces[projectID]
	delete(p.workspaces, projectID)
	p.mu.Unlock()
	if w != nil {
		w.stop(ctx, errClosed(w.project))
	}
}

func (p *plugin) stop(ctx context.Context) {
	p.mu.Lock()
	all := p.workspaces
	p.workspaces, p.ending = map[string]*workspace{}, true
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, w := range all {
		wg.Go(func() { w.stop(ctx, errEnding()) })
	}
	wg.Go(func() { p.installer.Stop(ctx) })
	wg.Wait()
}

// workspace returns the call's project.
func (p *plugin) workspace(call *sdk.Call) (*workspace, error) {
	project, err := call.Project()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.workspaces[project.ID]
	switch {
	case p.ending:
		return nil, errEnding()
	case w == nil:
		return nil, errClosed(project)
	}
	return w, nil
}
