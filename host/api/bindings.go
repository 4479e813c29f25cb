package api

import (
	"encoding/json"

	"github.com/serena-go/serena/sdk"
)

// boundFacade is a facade as a runtime builds `s` from it.
type boundFacade struct {
	Name    string           `json:"name"`
	Summary string           `json:"summary"`
	Doc     string           `json:"doc,omitempty"`
	Methods []sdk.MethodDecl `json:"methods"`
	Types   []sdk.TypeDecl   `json:"types"`
}

// Bindings describes what the scope allows, as JSON for a runtime: `{"generation", "facades": […], "refused": {…}}`; refused
// tells why what exists may not be used, by `facade` or `facade.method`.
func (s *Scope) Bindings() (json.RawMessage, error) {
	facades, refused := []boundFacade{}, map[string]string{}
	for name, backend := range s.registry.elsewhere {
		refused[name] = ofBackend(name, backend)
	}
	for _, f := range s.registry.facades {
		for _, m := range f.Methods {
			if !s.Enabled(m) {
				refused[f.Name+"."+m.Name] = s.refusal(m).Error()
			}
		}
		if !s.Available(f) {
			refused[f.Name] = s.refusalOf(f)
			continue
		}
		b := boundFacade{Name: f.Name, Summary: f.Summary, Doc: f.Doc, Types: f.Types, Methods: []sdk.MethodDecl{}}
		for _, m := range f.Methods {
			if s.Enabled(m) {
				b.Methods = append(b.Methods, m.MethodDecl)
			}
		}
		facades = append(facades, b)
	}
	return json.Marshal(map[string]any{"generation": s.Digest(), "facades": facades, "refused": refused})
}
