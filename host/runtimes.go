package host

import (
	"context"
	"os"
	"sync"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

// interpreters finds each configured Python and unpacks the runtime, once; a failure is tried again by the next cell,
// since the user may have installed what was missing.
type interpreters struct {
	home string

	mu    sync.Mutex                  // guards the fields below; held while looking
	dir   string                      // the unpacked runtime
	found map[string]repl.Interpreter // by what is configured
}

func (i *interpreters) get(ctx context.Context, configured string) (python repl.Interpreter, dir string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.dir == "" {
		if i.dir, err = repl.Extract(i.home); err != nil {
			return repl.Interpreter{}, "", err
		}
	}
	python, ok := i.found[configured]
	if !ok {
		python, err = repl.FindPython(ctx, repl.FindOptions{Configured: configured, Home: i.home, Env: os.Environ()})
		if err != nil {
			return repl.Interpreter{}, "", err
		}
		i.found[configured] = python
	}
	return python, i.dir, nil
}

func (h *Host) startRuntime(ctx context.Context, p *project.Project, backend repl.Backend) (*repl.Runtime, error) {
	configured := h.Config.ReplPython
	if p != nil {
		configured = p.ReplPython
	}
	python, dir, err := h.python.get(ctx, configured)
	if err != nil {
		return nil, err
	}
	return repl.Start(ctx, repl.Options{Interpreter: python, Dir: dir, Env: os.Environ(), Log: h.log.Named("repl"), Backend: backend})
}
