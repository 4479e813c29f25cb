package host

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

// probeLimit bounds how long the manifests of all unknown executables may take.
const probeLimit = 30 * time.Second

// thirdParties knows which plugins of others there are, for the host as a whole and for each project.
type thirdParties struct {
	config  *config.Config
	probing chan struct{} // holds a token: one looks at a time

	mu    sync.Mutex // guards the fields below
	found []plugin.Found
	own   map[*project.Project][]plugin.Found // of the projects that were asked for
}

func newThirdParties(cfg *config.Config) (*thirdParties, []error) {
	t := &thirdParties{config: cfg, probing: make(chan struct{}, 1), own: map[*project.Project][]plugin.Found{}}
	var faults []error
	t.found, faults = plugin.Survey(cfg)
	return t, append(faults, t.faults(t.found, nil)...)
}

// enabled reports whether a plugin is on in a project (nil: without one).
func (t *thirdParties) enabled(f plugin.Found, p *project.Project) bool {
	if p != nil {
		if on, said := f.EnabledBy(p.Plugins); said {
			return on
		}
	}
	on, _ := f.EnabledBy(t.config.Plugins)
	return on
}

// faults tells why plugins that are on are not used.
func (t *thirdParties) faults(found []plugin.Found, p *project.Project) []error {
	var faults []error
	for _, f := range found {
		if f.Fault != nil && t.enabled(f, p) {
			faults = append(faults, f.Fault)
		}
	}
	return faults
}

// specs lists the plugins that are on in a project (nil: without one), the project's own first: they take the place of others of their names.
func (t *thirdParties) specs(p *project.Project) (specs []plugin.Spec, faults []error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range append(slices.Clone(t.of(p)), t.found...) {
		if !f.Known || f.Fault != nil || !t.enabled(f, p) || slices.ContainsFunc(specs, func(s plugin.Spec) bool { return s.Name == f.Spec.Name }) {
			continue
		}
		specs = append(specs, f.Spec)
	}
	return specs, t.faults(t.of(p), p)
}

// of lists the plugins that a project adds. t.mu is held.
func (t *thirdParties) of(p *project.Project) []plugin.Found {
	if p == nil {
		return nil
	}
	own, ok := t.own[p]
	if !ok {
		own = plugin.SurveyProject(t.config, p)
		t.own[p] = own
	}
	return own
}

// unknown lists the plugins that are on somewhere and whose manifest nobody has asked for yet.
func (t *thirdParties) unknown(p *project.Project) []plugin.Found {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of(p)
	var all []plugin.Found
	for _, f := range t.found {
		on := t.enabled(f, nil)
		for p := range t.own {
			on = on || t.enabled(f, p)
		}
		if on && !f.Known && f.Ignored == "" {
			all = append(all, f)
		}
	}
	for p, own := range t.own {
		for _, f := range own {
			if t.enabled(f, p) && !f.Known {
				all = append(all, f)
			}
		}
	}
	return all
}

// probe asks the programs that are not known yet, also those of a project (nil: of none more), and reports whether anything came of it. A fault
// of one does not touch the others.
func (t *thirdParties) probe(ctx context.Context, p *project.Project) (asked bool, faults []error) {
	select {
	case t.probing <- struct{}{}:
		defer func() { <-t.probing }()
	case <-ctx.Done():
		return false, nil
	}
	unknown := t.unknown(p)
	if len(unknown) == 0 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	_ = plugin.ProbeAll(ctx, t.config, unknown, nil) // who did not answer in time is asked again next time
	return true, t.learn(unknown)
}

// learn puts what came of asking in its place.
func (t *thirdParties) learn(asked []plugin.Found) []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	place := func(found []plugin.Found) {
		for i, f := range found {
			if n := slices.IndexFunc(asked, func(a plugin.Found) bool { return a.Path == f.Path && a.File == f.File }); n >= 0 && !f.Known {
				found[i] = asked[n]
			}
		}
	}
	place(t.found)
	plugin.OnePerName(t.found)
	faults := t.faults(t.found, nil)
	for p, own := range t.own {
		place(own)
		faults = append(faults, t.faults(own, p)...)
	}
	return faults
}

// unheard tells of what the global configuration, and those of the projects that were asked for, say about plugins that there are not. It keeps silent as long as
// not all are known.
func (t *thirdParties) unheard(builtins []plugin.Spec) []error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var names []string
	for _, b := range builtins {
		names = append(names, b.Name)
	}
	for _, f := range t.found {
		if !f.Known && f.Ignored == "" && t.enabled(f, nil) {
			return nil
		}
		names = append(names, f.File, f.Name())
	}
	for _, own := range t.own {
		for _, f := range own {
			names = append(names, f.File)
		}
	}
	var faults []error
	add := func(said map[string]config.PluginEntry) {
		for _, name := range slices.Sorted(maps.Keys(said)) {
			if slices.Contains(names, name) {
				continue
			}
			hint := ""
			if best, ok := nearest.Best(name, names); ok {
				hint = "; did you mean " + best + "?"
			}
			faults = append(faults, sdk.Errorf(sdk.KindLookup, "%s: there is no plugin %s, so what is said of it has no effect%s", said[name].Where, name, hint))
		}
	}
	add(t.config.Plugins)
	for p := range t.own {
		add(p.Plugins)
	}
	return faults
}
