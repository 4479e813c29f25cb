package lsp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

// defaultRequestTimeout is the host's tool timeout less a margin for our own work.
const defaultRequestTimeout = 235 * time.Second

// maxResets is how often one call starts a server afresh because the host lost track of the project's changes.
const maxResets = 2

// workspace is one project with its language servers.
type workspace struct {
	project  *sdk.Project
	settings sdk.ProjectSettings
	root     *contain.Root
	trees    treeCache
	slots    []*slot // one per active server, in the order of precedence
	unknown  string  // says which configured servers there are not; "" when all are
	loadWait time.Duration
}

func newWorkspace(project *sdk.Project, settings sdk.ProjectSettings, root *contain.Root, table []servers.Description, in *servers.Installer) *workspace {
	w := &workspace{project: project, settings: settings, root: root, loadWait: loadWait}
	known, unknown := active(table, settings.Languages)
	w.unknown = unknownNote(table, unknown)
	for _, d := range known {
		w.slots = append(w.slots, newSlot(w, d, in))
	}
	return w
}

// serverSettings is what the project says about a server.
func (w *workspace) serverSettings(d servers.Description) servers.Settings {
	return servers.Settings{Home: w.project.Home, Own: w.settings.LanguageServers[d.Key], AutoInstall: w.settings.AutoInstall}
}

func (w *workspace) requestTimeout() time.Duration {
	if s := w.settings.RequestTimeoutSeconds; s > 0 {
		return time.Duration(s * float64(time.Second))
	}
	return defaultRequestTimeout
}

// stop ends the servers. why is told to the calls under way.
func (w *workspace) stop(ctx context.Context, why error) {
	var wg sync.WaitGroup
	for _, s := range w.slots {
		wg.Go(func() { s.stop(ctx, why) })
	}
	wg.Wait()
}

// resolve checks a path that a caller named. dir tells whether it is a folder.
func (w *workspace) resolve(relative string) (rel string, dir bool, err error) {
	p, err := w.root.Resolve(relative)
	if err != nil {
		var outside *contain.OutsideError
		if errors.As(err, &outside) {
			return "", false, sdk.Errorf(sdk.KindPermission, "%w", err)
		}
		return "", false, sdk.Errorf(sdk.KindValue, "%w", err)
	}
	info, err := os.Stat(p.Real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, sdk.Errorf(sdk.KindFileNotFound, "%s does not exist%s", p.Rel, w.similar(p.Rel))
	case err != nil:
		return "", false, sdk.Errorf(sdk.KindPermission, "%s cannot be read: %w", p.Rel, err)
	}
	return p.Rel, info.IsDir(), nil
}

// similar names the nearest file beside a missing one.
func (w *workspace) similar(rel string) string {
	entries, err := os.ReadDir(w.abs(path.Dir(rel)))
	if err != nil {
		return ""
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	if best, ok := nearest.Best(path.Base(rel), names); ok {
		return "; did you mean " + path.Join(path.Dir(rel), best) + "?"
	}
	return ""
}

// file resolves a path that must be a source file of an active server.
func (w *workspace) file(relative string) (string, *slot, error) {
	rel, dir, err := w.resolve(relative)
	if err != nil {
		return "", nil, err
	}
	if dir {
		return "", nil, sdk.Errorf(sdk.KindIsADirectory, "%s is a folder; this needs a file: name one in it", rel)
	}
	s := w.slotFor(rel)
	if s == nil {
		return "", nil, w.unsupported(rel)
	}
	return rel, s, nil
}

func (w *workspace) slotFor(name string) *slot {
	for _, s := range w.slots {
		if s.desc.Handles(name) {
			return s
		}
	}
	return nil
}

// with runs fn on the slot's server when that has caught up with the project's changes. When the server ends meanwhile, it is
// started again and fn, which must only read, runs once more.
func (w *workspace) with(ctx context.Context, call *sdk.Call, s *slot, fn func(*session) error) error {
	for resets, deaths := 0, 0; ; {
		running, err := s.get(ctx, call)
		if err != nil {
			return failure(s.desc, err)
		}
		if err = running.sync(ctx, call); err == nil {
			err = fn(running)
		}
		switch {
		case errors.Is(err, errReset) && resets < maxResets:
			resets++
			s.discard(ctx, running)
		case errors.Is(err, client.ErrGone) && deaths == 0:
			deaths++
			call.Log().Warn("the language server ended and is started again", "server", s.desc.Server, "error", err)
		default:
			if why := s.closed(); why != nil && isGone(err) {
				return why
			}
			return failure(s.desc, err)
		}
	}
}

// failure gives a client's error its kind and says what to do.
func failure(d servers.Description, err error) error {
	var refused *client.ResponseError
	switch {
	case err == nil || errors.As(err, new(*sdk.Error)) || errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, client.ErrTimeout):
		return sdk.Errorf(sdk.KindTimeout, "%w\nit may still be loading the project: call again, or raise the request timeout", err)
	case errors.Is(err, client.ErrGone):
		return sdk.Errorf(sdk.KindRuntime, "%w\nthe next call starts it again; if it goes on, check the project and ls_specific_settings.%s", err, d.Key)
	case errors.As(err, &refused):
		return sdk.Errorf(sdk.KindRuntime, "%w", err)
	}
	return err
}
