package host

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/host/project"
)

// offers is what the plugins offer at this moment: the registry composed from the built-in manifests and those of third
// parties that are known, and the scopes made from it.
type offers struct {
	config  *config.Config
	plugins *plugin.Manager

	mu       sync.Mutex // guards the fields below
	notes    []string
	specs    []plugin.Spec
	unknown  []string // executables whose manifest nobody has asked for yet
	registry *api.Registry
	scopes   map[*project.Project]*api.Scope
}

// newOffers composes what is known without starting a process.
func newOffers(o Options, plugins *plugin.Manager) *offers {
	f := &offers{config: o.Config, plugins: plugins, notes: slices.Concat(o.Notes, o.Config.Notes)}
	for _, b := range o.Builtins {
		f.specs = append(f.specs, plugin.Spec{
			Name: b.Plugin.Name, Manifest: b.Plugin.Manifest(), Builtin: true, OwnEnv: b.OwnEnv,
			Command: []string{o.Self, "plugin", "serve", b.Plugin.Name},
		})
	}
	known, unknown := plugin.Cached(o.Config)
	f.specs, f.unknown = append(f.specs, known...), unknown
	for _, refused := range plugin.Refused(o.Config) {
		f.note(refused.Error())
	}
	f.compose()
	return f
}

// compose builds the registry anew. f.mu is held, or f is not shared yet.
func (f *offers) compose() {
	sources := make([]api.Source, len(f.specs))
	for i, s := range f.specs {
		sources[i] = api.Source{Manifest: s.Manifest, Provider: f.plugins.Provider(s)}
	}
	registry, faults := api.Compose(backend, sources)
	for _, fault := range faults {
		f.note(fault.Error())
	}
	f.registry, f.scopes = registry, map[*project.Project]*api.Scope{}
}

func (f *offers) note(text string) {
	if !slices.Contains(f.notes, text) {
		f.notes = append(f.notes, text)
	}
}

// scope tells what is allowed in a project; nil: without one.
func (f *offers) scope(p *project.Project) *api.Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s, ok := f.scopes[p]; ok {
		return s
	}
	definitions := []api.Definition{{Origin: "the global configuration", Excluded: f.config.ExcludedAPIs, Included: f.config.IncludedAPIs}}
	readOnly := false
	if p != nil {
		definitions = append(definitions, api.Definition{Origin: "project " + p.Name, Excluded: p.ExcludedAPIs, Included: p.IncludedAPIs})
		readOnly = p.ReadOnly
	}
	s, notes := api.NewScope(f.registry, definitions, readOnly)
	for _, n := range notes {
		f.note(n)
	}
	f.scopes[p] = s
	return s
}

// probeLimit bounds how long the manifests of all unknown executables may take.
const probeLimit = 30 * time.Second

// probe asks the executables that are not known for their manifests and composes what they answer. A fault of one is
// noted and does not touch the others.
func (f *offers) probe(ctx context.Context) {
	f.mu.Lock()
	unknown := f.unknown
	f.unknown = nil
	f.mu.Unlock()
	if len(unknown) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	for _, path := range unknown {
		spec, err := plugin.Probe(ctx, f.config, path)
		f.mu.Lock()
		if err != nil {
			f.note(err.Error())
		} else {
			f.specs = append(f.specs, spec)
			f.compose()
		}
		f.mu.Unlock()
	}
}

// told lists the faults and remarks of the start that users shall see.
func (f *offers) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}
