package host

import (
	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/project"
)

// ToolScope tells which tools of the classic interface a project has (nil: without one).
func (h *Host) ToolScope(p *project.Project) *api.Scope { return h.offers.toolScope(p) }

// toolScope is made once for each project and composition of the plugins.
func (f *offers) toolScope(p *project.Project) *api.Scope {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.view(p)
	if s, ok := f.toolScopes[v]; ok {
		return s
	}
	definitions := f.toolDefinitions(p)
	if f.single {
		definitions = append(definitions, api.ToolDefinition{
			Origin: f.config.Context.Scope.Origin + " (single_project)", Excluded: []string{"activate_project", "get_current_config"},
		})
	}
	s, notes := api.NewToolScope(f.registryFor(v), definitions, readOnly(p))
	if len(f.others.unknown(p)) == 0 { // as in scope
		for _, n := range notes {
			f.note(n)
		}
	}
	f.toolScopes[v] = s
	return s
}
