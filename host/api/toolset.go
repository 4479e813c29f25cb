package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/internal/quoted"
	"github.com/serena-go/serena/sdk"
)

// ToolDefinition says what a level of the configuration does to the set of classic tools: it fixes the set (Fixed), or adds
// to it (Included) and then takes from it (Excluded).
type ToolDefinition struct {
	Origin   string // for messages: "the global configuration", "project x"
	Excluded []string
	Included []string
	Fixed    []string
}

// toolSet is which tools a scope of the classic interface has, and why it lacks others.
type toolSet struct {
	on      map[string]bool
	off     map[string]string // why a tool that exists is not there, and what to do
	notes   []string
	methods map[string]*Method // nil for a tool of the host
}

// NewToolScope makes the scope of a caller in the classic interface, where a method is a tool. At first there are all tools that are not
// optional; the definitions are applied in order. Methods without a tool, which only other plugins' methods can reach, are enabled
// unless they are optional. In a read-only project no method that can edit is enabled. The notes report names that are no tools.
func NewToolScope(r *Registry, definitions []ToolDefinition, readOnly bool) (*Scope, []string) {
	set := &toolSet{on: map[string]bool{}, off: map[string]string{}, methods: map[string]*Method{}}
	for _, name := range HostTools {
		set.on[name], set.methods[name] = true, nil
	}
	s := &Scope{registry: r, enabled: map[*Method]bool{}, readOnly: readOnly, tools: set}
	for _, f := range r.facades {
		for _, m := range f.Methods {
			optional := m.Optional || f.Optional
			if m.Tool == "" {
				s.enabled[m] = !optional && !(readOnly && m.CanEdit)
				continue
			}
			set.methods[m.Tool] = m
			if set.on[m.Tool] = !optional; optional {
				set.off[m.Tool] = "it is optional: add it to included_optional_tools in the configuration to use it"
			}
		}
	}
	for _, d := range definitions {
		set.apply(d)
	}
	for name, m := range set.methods {
		if m != nil {
			s.enabled[m] = set.on[name] && !(readOnly && m.CanEdit)
		}
	}
	s.digest = s.lazySum()
	return s, set.notes
}

func (t *toolSet) apply(d ToolDefinition) {
	if len(d.Fixed) > 0 {
		if len(d.Included)+len(d.Excluded) > 0 {
			t.note("%s fixes the tools (fixed_tools), so what it says in included_optional_tools and excluded_tools is ignored", d.Origin)
		}
		for name := range t.methods {
			t.set(name, false, "it is not one of the fixed_tools of "+d.Origin)
		}
		for _, name := range t.known(d.Origin, "fixed_tools", d.Fixed) {
			t.set(name, true, "")
		}
		return
	}
	for _, name := range t.known(d.Origin, "included_optional_tools", d.Included) {
		t.set(name, true, "")
	}
	for _, name := range t.known(d.Origin, "excluded_tools", d.Excluded) {
		t.set(name, false, d.Origin+" excludes it (excluded_tools)")
	}
}

func (t *toolSet) set(name string, on bool, why string) {
	t.on[name], t.off[name] = on, why
}

// known resolves what a list of the configuration names, and notes the names that are of no use, if they are many not each.
func (t *toolSet) known(origin, key string, names []string) []string {
	var found []string
	useless, seen := 0, map[string]bool{}
	for _, name := range names {
		if renamed, ok := renamedTools[name]; ok {
			name = renamed
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		if _, exists := t.methods[name]; exists {
			found = append(found, name)
			continue
		}
		if otherTool(name) && key == "excluded_tools" { // that something absent is excluded is no news
			continue
		}
		if useless++; useless <= mostNamed {
			t.note("%s names the tool %s in %s, %s", origin, quoted.Short(name), key, t.useless(name))
		}
	}
	if useless > mostNamed {
		t.note("%s names %d more tools in %s that are of no use", origin, useless-mostNamed, key)
	}
	return found
}

// useless tells why nothing comes of naming a tool.
func (t *toolSet) useless(name string) string {
	switch {
	case slices.Contains(removedTools, name):
		return "which there is no more: it is ignored"
	case otherTool(name): // of files that other versions or backends share
		return "which this serena or the project's backend does not have: it is ignored"
	}
	names := slices.Sorted(maps.Keys(t.methods))
	if best, ok := nearest.Best(name, names); ok {
		return fmt.Sprintf("which does not exist; did you mean %q?", best)
	}
	return "which does not exist; there are: " + strings.Join(names, ", ")
}

// MethodsOfTools names the enabled methods behind classic tools, as `facade.method`.
func (s *Scope) MethodsOfTools(tools []string) []string {
	var methods []string
	for _, name := range tools {
		if renamed, ok := renamedTools[name]; ok {
			name = renamed
		}
		if m := s.registry.tools[name]; m != nil && s.enabled[m] {
			methods = append(methods, m.Facade+"."+m.Name)
		}
	}
	return unique(methods)
}

func (t *toolSet) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(t.notes, text) {
		t.notes = append(t.notes, text)
	}
}

// Registry is what the scope is made of.
func (s *Scope) Registry() *Registry { return s.registry }

// Tools lists the methods that are tools of the scope, in the order of their facades.
func (s *Scope) Tools() []*Method {
	var all []*Method
	for _, f := range s.registry.facades {
		for _, m := range f.Methods {
			if m.Tool != "" && s.enabled[m] {
				all = append(all, m)
			}
		}
	}
	return all
}

// HostTool tells why a tool that is no method is not there, nil if it is; see HostTools.
func (s *Scope) HostTool(name string) error {
	switch {
	case s.tools == nil:
		return sdk.Errorf(sdk.KindPermission, "%s is a tool of the classic interface", name)
	case s.tools.on[name]:
		return nil
	}
	return sdk.Errorf(sdk.KindPermission, "%s is not enabled here: %s", name, s.tools.off[name])
}

// Tool returns the method behind a tool, or why there is none.
func (s *Scope) Tool(name string) (*Method, error) {
	m := s.registry.tools[name]
	if m == nil {
		var names []string
		for _, enabled := range s.Tools() {
			names = append(names, enabled.Tool)
		}
		hint := ""
		if best, ok := nearest.Best(name, names); ok {
			hint = "; did you mean " + best + "?"
		}
		return nil, sdk.Errorf(sdk.KindAttribute, "there is no tool %q%s", name, hint)
	}
	if !s.enabled[m] {
		return nil, s.refusal(m)
	}
	return m, nil
}

// refusal says why a tool that exists is not enabled.
func (t *toolSet) refusal(m *Method) error {
	why := t.off[m.Tool]
	if why == "" {
		why = "it is optional and has no tool"
	}
	return sdk.Errorf(sdk.KindPermission, "%s is not enabled here: %s", toolOrName(m), why)
}

func toolOrName(m *Method) string {
	if m.Tool != "" {
		return m.Tool
	}
	return m.Facade + "." + m.Name
}
