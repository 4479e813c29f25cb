package plugin

import (
	"context"
	"fmt"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// Bounds of what is told of projects.
const (
	openLimit  = 30 * time.Second
	closeLimit = 10 * time.Second
)

// opened is a project that a process was told of.
type opened struct {
	opening  *flight
	closing  *flight // once Close is under way
	calls    int     // under way
	unwanted bool    // to be closed when no call is under way
}

// open announces a project to the process before its first call, and keeps it open until leave. All callers share one Open; a failed one is
// tried again by the next caller.
func (w *worker) open(ctx context.Context, p *project.Project) (*opened, error) {
	for {
		w.mu.Lock()
		o := w.opened[p.ID]
		if o != nil && o.closing != nil { // a Close that arrives after an Open would undo it
			w.mu.Unlock()
			select {
			case <-o.closing.done:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if o == nil {
			o = &opened{opening: newFlight()}
			w.opened[p.ID] = o
			go w.sendOpen(context.WithoutCancel(ctx), p, o) // detached: it serves other callers as well
		}
		o.calls++
		o.unwanted = false
		w.mu.Unlock()
		err := o.opening.wait(ctx)
		if err != nil {
			w.leave(p.ID, o)
		}
		return o, err
	}
}

// leave ends what open began.
func (w *worker) leave(id string, o *opened) {
	w.mu.Lock()
	defer w.mu.Unlock()
	o.calls--
	if o.unwanted {
		w.closeUnused(id, o)
	}
}

// close tells the process that a project is no longer used, if it knows it, and when no call for it is under way any more. It waits for
// the plugin's answer, but not for those calls.
func (w *worker) close(ctx context.Context, id string) error {
	w.mu.Lock()
	o := w.opened[id]
	if o == nil {
		w.mu.Unlock()
		return nil
	}
	o.unwanted = true
	w.closeUnused(id, o)
	closing := o.closing
	w.mu.Unlock()
	if closing == nil {
		return nil
	}
	return closing.wait(ctx)
}

// closeUnused begins to close a project without calls. w.mu is held.
func (w *worker) closeUnused(id string, o *opened) {
	if o.calls == 0 && o.closing == nil && w.opened[id] == o {
		o.closing = newFlight()
		go w.sendClose(id, o)
	}
}

func (w *worker) sendOpen(ctx context.Context, p *project.Project, o *opened) {
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	reply, err := w.rpc.Open(ctx, &wire.OpenRequest{Project: &wire.Project{
		Id: p.ID, Root: p.Root, Name: p.Name, DataFolder: p.DataFolder, Encoding: p.Encoding,
		Settings: p.SettingsFor(w.spec.Builtin), PluginSettings: p.PluginSettings(w.spec.Name)}})
	what := fmt.Sprintf("plugin %s: opening project %s", w.spec.Name, p.Name)
	switch {
	case ctx.Err() != nil:
		err = sdk.Errorf(sdk.KindTimeout, "%s took more than %s: try again, and tell its author if it stays so", what, openLimit)
	case err != nil:
		err = translate(ctx, err, what, w)
	default:
		err = failure(reply.Failure)
	}
	if err != nil {
		w.forget(p.ID, o)
	}
	o.opening.land(err)
}

// sendClose is detached from whoever left last: the plugin shall know, whether somebody waits or not.
func (w *worker) sendClose(id string, o *opened) {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	_, err := w.rpc.Close(ctx, &wire.CloseRequest{ProjectId: id})
	w.forget(id, o)
	o.closing.land(translate(ctx, err, "plugin "+w.spec.Name+": closing a project", w))
}

func (w *worker) forget(id string, o *opened) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opened[id] == o {
		delete(w.opened, id)
	}
}

// projects lists the ids of the projects that the process knows.
func (w *worker) projects() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]string, 0, len(w.opened))
	for id := range w.opened {
		ids = append(ids, id)
	}
	return ids
}
