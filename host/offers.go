package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/native"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

// offers is what the plugins offer at this moment: the registry composed from the built-in manifests and those of third
// parties that are known, and the scopes made from it.
type offers struct {
	config  *config.Config
	plugins *plugin.Manager

	log      hclog.Logger
	builtins []plugin.Spec
	native   api.Source // the host's own methods
	others   *thirdParties

	single bool // the context's client works on one project, with which the host was started

	mu         sync.Mutex // guards the fields below
	notes      []string
	hints      []string                 // what was told on stderr alone
	registries map[string]*api.Registry // by what they are composed of
	scopes     map[view]*api.Scope
	toolScopes map[view]*api.Scope // of the classic interface
}

// view is what a scope depends on, beside the plugins. Modes that a session chooses will be a part of it.
type view struct {
	project *project.Project // nil: without one
	backend string
}

// newOffers composes what is known without starting a process.
func newOffers(o Options, plugins *plugin.Manager) *offers {
	f := &offers{config: o.Config, plugins: plugins, log: o.Log, native: native.Source(o.Log.Named("host"))}
	for _, n := range slices.Concat(o.Notes, o.Config.Notes) {
		f.note(n)
	}
	for _, b := range o.Builtins {
		f.builtins = append(f.builtins, plugin.Spec{
			Name: b.Plugin.Name, Manifest: b.Plugin.Manifest(), Builtin: true, OwnEnv: b.OwnEnv,
			Command: []string{o.Self, "plugin", "serve", b.Plugin.Name},
		})
		plugins.Provider(f.builtins[len(f.builtins)-1]) // it can be started from now on
	}
	var faults []error
	f.others, faults = newThirdParties(o.Config)
	f.noteAll(append(faults, f.others.unheard(f.builtins)...))
	f.compose()
	return f
}

// compose has the registries made anew. f.mu is held, or f is not shared yet.
func (f *offers) compose() {
	f.registries, f.scopes, f.toolScopes = map[string]*api.Registry{}, map[view]*api.Scope{}, map[view]*api.Scope{}
}

// registryFor composes what is on in a project, with its backend. f.mu is held, or f is not shared yet.
func (f *offers) registryFor(v view) *api.Registry {
	p := v.project
	specs := f.builtinsOf(p)
	others, faults := f.others.specs(p)
	f.noteAll(faults)
	for _, s := range others {
		if slices.ContainsFunc(f.builtins, func(b plugin.Spec) bool { return b.Name == s.Name }) {
			f.note(fmt.Sprintf("the plugin %s at %s has the name of a built-in plugin and is left out: rename it", s.Name, s.Path))
			continue
		}
		specs = append(specs, s)
	}
	return f.registryOf(v.backend, specs)
}

// builtinsOf lists the built-in plugins that are on in a project (nil: without one).
func (f *offers) builtinsOf(p *project.Project) []plugin.Spec {
	return slices.DeleteFunc(slices.Clone(f.builtins), func(s plugin.Spec) bool { return !f.others.enabled(plugin.Found{Spec: s}, p) })
}

// registryOf composes plugins, each set of them once for each backend. f.mu is held, or f is not shared yet.
func (f *offers) registryOf(backend string, specs []plugin.Spec) *api.Registry {
	var key strings.Builder
	key.WriteString(backend + "\x00")
	for _, s := range specs {
		key.WriteString(s.Name + "\x00" + s.Path + "\x00")
	}
	if r, ok := f.registries[key.String()]; ok {
		return r
	}
	sources := make([]api.Source, len(specs))
	for i, s := range specs {
		sources[i] = api.Source{Manifest: s.Manifest, Provider: f.plugins.Provider(s)}
	}
	if hosted(f.native.Manifest, sources) {
		sources = append(sources, f.native)
	}
	registry, faults := api.Compose(backend, sources)
	for _, fault := range faults {
		f.note(fault.Error())
	}
	f.registries[key.String()] = registry
	return registry
}

// hosted reports whether the facades that the host gives methods to are there: the plugin that owns one may be off.
func hosted(guest sdk.Manifest, sources []api.Source) bool {
	return !slices.ContainsFunc(guest.Facades, func(f sdk.FacadeDecl) bool {
		return !slices.ContainsFunc(sources, func(s api.Source) bool {
			return slices.ContainsFunc(s.Manifest.Facades, func(d sdk.FacadeDecl) bool { return d.Owner && d.Name == f.Name })
		})
	})
}

func (f *offers) noteAll(faults []error) {
	for _, fault := range faults {
		f.note(fault.Error())
	}
}

// note keeps what users shall be told, and tells it on stderr. f.mu is held, or f is not shared yet.
func (f *offers) note(text string) {
	if !slices.Contains(f.notes, text) {
		f.notes = append(f.notes, text)
		f.log.Warn(text)
	}
}

// view is how things look from a project; nil: without one.
func (f *offers) view(p *project.Project) view {
	if p == nil {
		return view{backend: f.config.Backend}
	}
	return view{p, p.Backend}
}

// scope tells what is allowed in a project; nil: without one.
func (f *offers) scope(p *project.Project) *api.Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.view(p)
	if s, ok := f.scopes[v]; ok {
		return s
	}
	s, notes := api.NewScope(f.registryFor(v), f.apiDefinitions(p), readOnly(p))
	f.noteToolExclusions(s, p)
	if len(f.others.unknown(p)) == 0 { // what a plugin that was not asked yet declares is not missing
		for _, n := range notes {
			f.note(n)
		}
	}
	f.scopes[v] = s
	return s
}

// builtinScope is the same for the built-in plugins alone: what clients are told at the start does not depend on what else is
// installed.
func (f *offers) builtinScope(p *project.Project) *api.Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.registryOf(f.view(p).backend, f.builtinsOf(nil))
	s, _ := api.NewScope(r, f.apiDefinitions(p), readOnly(p)) // the notes may be about third parties
	return s
}

// probe asks the executables that are not known, and those of a project (nil: of none more), for their manifests and composes what they
// answer.
func (f *offers) probe(ctx context.Context, p *project.Project) {
	asked, faults := f.others.probe(ctx, p)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.noteAll(append(faults, f.others.unheard(f.builtins)...))
	if asked {
		f.compose()
	}
}

// first names the plugin that is started first.
func (f *offers) first() string {
	if specs := f.builtinsOf(nil); len(specs) > 0 {
		return specs[0].Name
	}
	return ""
}

// told lists the faults and remarks of the start that users shall see.
func (f *offers) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.notes)
}
