package host

import (
	"context"
	"fmt"
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
	builtins *api.Registry // of the built-in plugins alone
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
	builtins := f.specs
	known, unknown := plugin.Cached(o.Config)
	f.specs, f.unknown = append(f.specs, known...), unknown
	for _, refused := range plugin.Refused(o.Config) {
		f.note(refused.Error())
	}
	f.compose()
	if f.builtins = f.registry; len(f.specs) > len(builtins) {
		f.builtins = f.registryOf(builtins)
	}
	return f
}

// compose builds the registry anew. f.mu is held, or f is not shared yet.
func (f *offers) compose() {
	f.registry, f.scopes = f.registryOf(f.specs), map[*project.Project]*api.Scope{}
}

func (f *offers) registryOf(specs []plugin.Spec) *api.Registry {
	sources := make([]api.Source, len(specs))
	for i, s := range specs {
		sources[i] = api.Source{Manifest: s.Manifest, Provider: f.plugins.Provider(s)}
	}
	registry, faults := api.Compose(backend, sources)
	for _, fault := range faults {
		f.note(fault.Error())
	}
	return registry
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
	s, notes := f.newScope(f.registry, p)
	for _, n := range notes {
		f.note(n)
	}
	f.scopes[p] = s
	return s
}

// builtinScope is the same for the built-in plugins alone: what clients are told at the start does not depend on what else is
// installed.
func (f *offers) builtinScope(p *project.Project) *api.Scope {
	s, _ := f.newScope(f.builtins, p) // the notes may be about third parties
	return s
}

func (f *offers) newScope(r *api.Registry, p *project.Project) (*api.Scope, []string) {
	definitions := []api.Definition{{Origin: "the global configuration", Excluded: f.config.ExcludedAPIs, Included: f.config.IncludedAPIs}}
	readOnly := false
	if p != nil {
		definitions = append(definitions, api.Definition{Origin: "project " + p.Name, Excluded: p.ExcludedAPIs, Included: p.IncludedAPIs})
		readOnly = p.ReadOnly
	}
	return api.NewScope(r, definitions, readOnly)
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
	for i, path := range unknown {
		spec, err := plugin.Probe(ctx, f.config, path)
		f.mu.Lock()
		switch {
		case ctx.Err() != nil: // not its fault: it is asked again next time
			f.unknown = append(f.unknown, unknown[i:]...)
			f.mu.Unlock()
			return
		case err != nil:
			f.note(err.Error())
		case slices.ContainsFunc(f.specs, func(s plugin.Spec) bool { return s.Name == spec.Name }):
			f.note(fmt.Sprintf("the plugin %s at %s has the name of another plugin and is left out", spec.Name, path))
		default:
			f.specs = append(f.specs, spec)
			f.compose()
		}
		f.mu.Unlock()
	}
}

// first names the plugin that is started first.
func (f *offers) first() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.specs) == 0 {
		return ""
	}
	return f.specs[0].Name
}

// told lists the faults and remarks of the start that users shall see.
func (f *offers) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}
