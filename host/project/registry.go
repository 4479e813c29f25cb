package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/singleflight"

	"github.com/serena-go/serena/host/config"
)

// Registry opens projects and keeps them open. It is safe for concurrent use.
type Registry struct {
	cfg     *config.Config
	opening singleflight.Group

	mu     sync.Mutex // guards the fields below
	open   map[string]*Project
	closed bool
}

// NewRegistry makes a registry of the configuration's projects and of every other folder.
func NewRegistry(cfg *config.Config) *Registry {
	return &Registry{cfg: cfg, open: map[string]*Project{}}
}

// Open returns the project of a name or a path. A name is that of a registered project, exactly; a path is an existing folder,
// absolute, relative to the working directory, or beginning with "~". A word that is both is the name. All who open one
// root, by whatever path, get the same Project.
//
// Errors are of kind FileNotFoundError, NotADirectoryError, PermissionError, and ValueError for a name that two projects
// have or a project file that is malformed.
func (r *Registry) Open(ctx context.Context, pathOrName string) (*Project, error) {
	root, err := r.locate(pathOrName)
	if err != nil {
		return nil, err
	}
	done := r.opening.DoChan(root, func() (any, error) { return r.openRoot(root) })
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-done:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*Project), nil
	}
}

func (r *Registry) openRoot(root string) (*Project, error) {
	if p, err := r.opened(root); p != nil || err != nil {
		return p, err
	}
	p, err := load(r.cfg, root)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		p.Files.Close()
		return nil, errClosed
	}
	r.open[root] = p
	return p, nil
}

// opened finds the project that is open already, also where the file system knows one folder by names that differ.
func (r *Registry) opened(root string) (*Project, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed
	}
	if p := r.open[root]; p != nil {
		return p, nil
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, nil // it is for load to tell
	}
	for _, p := range r.open {
		if other, err := os.Stat(p.Root); err == nil && os.SameFile(info, other) {
			return p, nil
		}
	}
	return nil, nil
}

// Names returns the names of the registered projects that are still there, sorted, each once.
func (r *Registry) Names() []string {
	var names []string
	for _, p := range r.registered() {
		names = append(names, p.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Close ends the stores of all projects; nothing can be opened afterwards.
func (r *Registry) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, p := range r.open {
		p.Files.Close()
	}
}

type registered struct{ name, root string }

// registered reads the names of the configuration's projects, in its order. A malformed project file gives the folder's name,
// so that opening it can tell the fault.
func (r *Registry) registered() []registered {
	var all []registered
	for _, path := range r.cfg.Projects {
		root, err := filepath.EvalSymlinks(path)
		if err != nil || !isFolder(root) {
			continue
		}
		p := registered{name: filepath.Base(root), root: root}
		if l, err := readLayers(dataFolder(r.cfg, root)); err == nil {
			p.name = nameFrom(l, root)
		}
		if !slices.ContainsFunc(all, func(o registered) bool { return o.root == root }) {
			all = append(all, p)
		}
	}
	return all
}
