package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

// interpreters finds each configured Python and unpacks the runtime, once; a failure is tried again by the next cell,
// since the user may have installed what was missing.
type interpreters struct {
	home   string
	starts chan struct{} // holds a token for each Python that is being started

	mu    sync.Mutex                  // guards the fields below; held while looking
	aside string                      // an unpacked runtime outside the home, which cannot be written
	found map[string]repl.Interpreter // by what is configured
}

func (i *interpreters) get(ctx context.Context, configured string) (python repl.Interpreter, dir string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if dir, err = i.extract(); err != nil {
		return repl.Interpreter{}, "", err
	}
	python, ok := i.found[configured]
	if !ok {
		python, err = repl.FindPython(ctx, repl.FindOptions{Configured: configured, Home: i.home, Env: os.Environ()})
		if err != nil {
			return repl.Interpreter{}, "", err
		}
		i.found[configured] = python
	}
	return python, dir, nil
}

// extract makes sure that the runtime is unpacked, each time: somebody may have cleared the home meanwhile. Where the home cannot
// be written, a folder of this process's own serves.
func (i *interpreters) extract() (string, error) {
	dir, err := repl.Extract(i.home)
	if err == nil || !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return dir, err
	}
	if i.aside == "" {
		aside, tempErr := os.MkdirTemp("", "serena-runtime-")
		if tempErr != nil {
			return "", err
		}
		i.aside = aside
	}
	return repl.Extract(i.aside)
}

// close removes what was unpacked outside the home.
func (i *interpreters) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.aside != "" {
		_ = os.RemoveAll(i.aside) // a left-over in the temporary folder does no harm
	}
}

// startRuntime gives a session its Python: the spare, where it fits, else one that is started now.
func (h *Host) startRuntime(ctx context.Context, p *project.Project, backend repl.Backend) (*repl.Runtime, error) {
	configured := h.configuredPython(p)
	if r := h.spare.take(ctx, configured); r != nil {
		r.Attach(backend)
		h.spare.again(ctx, configured)
		return r, nil
	}
	r, err := h.launchRuntime(ctx, configured)
	if err != nil {
		return nil, err
	}
	r.Attach(backend)
	h.spare.again(ctx, configured)
	return r, nil
}

func (h *Host) launchRuntime(ctx context.Context, configured string) (*repl.Runtime, error) {
	python, dir, err := h.python.get(ctx, configured)
	if err != nil {
		return nil, err
	}
	h.guard()
	select { // many at once would all be slow
	case h.python.starts <- struct{}{}:
		defer func() { <-h.python.starts }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return repl.Start(ctx, repl.Options{
		Interpreter: python, Dir: dir, Env: os.Environ(), Log: h.log.Named("repl"), MemoryLimit: h.Config.MaxMemory,
	})
}

// guard has at least one plugin run beside a Python: when this process is killed, a plugin is what finds and ends those children
// of cells that left Python's group (see sdk.ServeProcess).
func (h *Host) guard() {
	h.guarding.Do(func() {
		if name := h.offers.first(); name != "" {
			h.work.Go(func() {
				ctx, cancel := context.WithTimeout(h.background, guardLimit)
				defer cancel()
				if err := h.Plugins.Start(ctx, name); err != nil {
					h.log.Warn("no plugin guards the children of cells", "error", err)
				}
			})
		}
	})
}

// configuredPython is what is said of the Python of a project's cells; empty: nothing.
func (h *Host) configuredPython(p *project.Project) string { return ConfiguredPython(h.Config, p) }

// ConfiguredPython is what the configuration says of the Python of a project's cells (nil: without a project). A path in a trusted
// project's own configuration, such as ".venv", is relative to the project's root.
func ConfiguredPython(c *config.Config, p *project.Project) string {
	if p == nil {
		return c.ReplPython
	}
	if p.ReplPython == c.ReplPython || !p.Trusted || p.ReplPython == "" || filepath.IsAbs(p.ReplPython) {
		return p.ReplPython
	}
	inside := filepath.Join(p.Root, p.ReplPython)
	info, err := os.Stat(inside)
	if err == nil && (info.IsDir() || filepath.Base(p.ReplPython) != p.ReplPython) {
		return inside
	}
	return p.ReplPython // the name of a command
}

// Warm prepares in the background what the first cell needs, and clears away what was kept of sessions for long enough. It is called
// when the first answer has been given; what it starts ends with Close.
func (h *Host) Warm(ctx context.Context) {
	h.spare.warm(ctx, h.configuredPython(h.Sessions.Place().Project))
	if h.snapshots == nil {
		return
	}
	if err := h.snapshots.Expire(ctx, time.Now()); err != nil && ctx.Err() == nil {
		h.log.Warn("old sessions cannot be removed", "error", err)
	}
}
