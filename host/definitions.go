package host

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/project"
)

// APIDefinitions lists what the configuration says of facades in a project (nil: without one), in the order in which it counts. They
// rule the REPL interface alone.
func (h *Host) APIDefinitions(p *project.Project) []api.Definition {
	h.offers.mu.Lock()
	defer h.offers.mu.Unlock()
	return h.offers.apiDefinitions(p)
}

// ToolDefinitions lists what the configuration says of classic tools, likewise. They rule the classic interface alone.
func (h *Host) ToolDefinitions(p *project.Project) []api.ToolDefinition {
	h.offers.mu.Lock()
	defer h.offers.mu.Unlock()
	return h.offers.toolDefinitions(p)
}

// apiDefinitions is APIDefinitions. f.mu is held.
func (f *offers) apiDefinitions(p *project.Project) []api.Definition {
	var all []api.Definition
	for _, s := range f.scopeSources(p) {
		all = append(all, api.Definition{Origin: s.Origin, Excluded: s.ExcludedAPIs, Included: s.IncludedAPIs})
	}
	return all
}

// toolDefinitions is ToolDefinitions. f.mu is held.
func (f *offers) toolDefinitions(p *project.Project) []api.ToolDefinition {
	var all []api.ToolDefinition
	for _, s := range f.scopeSources(p) {
		all = append(all, api.ToolDefinition{Origin: s.Origin, Excluded: s.ExcludedTools, Included: s.IncludedOptionalTools, Fixed: s.FixedTools})
	}
	return all
}

// scopeSources notes what is wrong with the active modes. f.mu is held.
func (f *offers) scopeSources(p *project.Project) []config.ScopeSource {
	var own *config.ProjectScope
	if p != nil {
		own = &p.Scope
	}
	sources, notes := f.config.ScopeSources(own)
	for _, n := range notes {
		f.note(n)
	}
	return sources
}

// noteToolExclusions tells users who come from the classic interface how to write for cells what they exclude there: nothing is derived from
// it. Models need not know, so it is said on stderr alone. Contexts and modes exclude tools for reasons that do not hold in cells. f.mu is held.
func (f *offers) noteToolExclusions(s *api.Scope, p *project.Project) {
	own := []config.ScopeSource{f.config.Scope}
	if p != nil {
		own = append(own, p.Scope.ScopeSource)
	}
	for _, source := range own {
		if methods := s.MethodsOfTools(source.ExcludedTools); len(methods) > 0 {
			hint := fmt.Sprintf("%s has excluded_tools, which count in the classic interface alone; to exclude the same in cells: excluded_apis: [%s]",
				source.Origin, strings.Join(methods, ", "))
			if !slices.Contains(f.hints, hint) {
				f.hints = append(f.hints, hint)
				f.log.Warn(hint)
			}
		}
	}
}

func readOnly(p *project.Project) bool { return p != nil && p.ReadOnly }
