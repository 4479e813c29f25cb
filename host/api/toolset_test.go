package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/sdk"
)

// workshop has the tools saw (reads), glue (edits) and drill (optional), a method without a tool, and an optional facade.
func workshop() sdk.Manifest {
	return sdk.Plugin{Name: "workshop", Facades: []sdk.Facade{
		{Name: "bench", Summary: "tools", Methods: []sdk.Method{
			method[string]("saw_it", sdk.Tool("saw"), sdk.Alias("path", "place")), method[string]("glue", sdk.Tool("glue"), sdk.CanEdit()),
			method[string]("drill", sdk.Tool("drill"), sdk.Optional()), method[string]("sweep"), method[string]("burn", sdk.CanEdit(), sdk.Optional()),
		}},
		{Name: "far", Summary: "other places", Optional: true, Methods: []sdk.Method{method[string]("fetch", sdk.Tool("fetch"))}},
	}}.Manifest()
}

func toolNames(s *Scope) string {
	var names []string
	for _, m := range s.Tools() {
		names = append(names, m.Tool)
	}
	for _, name := range HostTools {
		if s.HostTool(name) == nil {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

func TestToolScope(t *testing.T) {
	t.Parallel()
	r, faults := Compose("lsp", []Source{{Manifest: workshop()}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	const both = " activate_project initial_instructions"
	for name, c := range map[string]struct {
		definitions []ToolDefinition
		readOnly    bool
		want        string
		notes       string
	}{
		"default":                    {want: "saw glue" + both},
		"optional included":          {definitions: []ToolDefinition{{Included: []string{"drill", "fetch"}}}, want: "saw glue drill fetch" + both},
		"excluded":                   {definitions: []ToolDefinition{{Excluded: []string{"glue"}}}, want: "saw" + both},
		"exclusion after inclusion":  {definitions: []ToolDefinition{{Included: []string{"drill"}, Excluded: []string{"drill"}}}, want: "saw glue" + both},
		"later wins":                 {definitions: []ToolDefinition{{Excluded: []string{"saw", "glue"}}, {Included: []string{"saw"}}}, want: "saw" + both},
		"fixed":                      {definitions: []ToolDefinition{{Fixed: []string{"drill", "initial_instructions"}}}, want: "drill initial_instructions"},
		"fixed, then more":           {definitions: []ToolDefinition{{Fixed: []string{"drill"}}, {Included: []string{"saw"}}, {Excluded: []string{"drill"}}}, want: "saw"},
		"fixed anew":                 {definitions: []ToolDefinition{{Fixed: []string{"drill"}}, {Fixed: []string{"glue"}}}, want: "glue"},
		"host tools":                 {definitions: []ToolDefinition{{Excluded: []string{"initial_instructions", "activate_project"}}}, want: "saw glue"},
		"read-only":                  {definitions: []ToolDefinition{{Included: []string{"glue", "drill"}}}, readOnly: true, want: "saw drill" + both},
		"of other versions, exclude": {definitions: []ToolDefinition{{Excluded: []string{"jet_brains_rename", "open_dashboard", "replace_regex"}}}, want: "saw glue" + both},
		"fixed with the others": {definitions: []ToolDefinition{{Origin: "mode m", Fixed: []string{"saw"}, Included: []string{"drill"}}}, want: "saw",
			notes: "mode m fixes the tools (fixed_tools), so what it says in included_optional_tools and excluded_tools is ignored"},
		"unknown names": {definitions: []ToolDefinition{{Origin: "project x", Excluded: []string{"gleu"}, Included: []string{"switch_modes", "query_project", "frob"}}}, want: "saw glue" + both,
			notes: `project x names the tool "switch_modes" in included_optional_tools, which there is no more: it is ignored` + "\n" +
				`project x names the tool "query_project" in included_optional_tools, which this serena or the project's backend does not have: it is ignored` + "\n" +
				`project x names the tool "frob" in included_optional_tools, which does not exist; there are: activate_project, drill, fetch, glue, initial_instructions, saw` + "\n" +
				`project x names the tool "gleu" in excluded_tools, which does not exist; did you mean "glue"?`},
	} {
		s, notes := NewToolScope(r, c.definitions, c.readOnly)
		if got := toolNames(s); got != c.want || strings.Join(notes, "\n") != c.notes {
			t.Errorf("%s:\n got %s\n%s\nwant %s\n%s", name, got, strings.Join(notes, "\n"), c.want, c.notes)
		}
	}
}

// TestToolsAndAPIsAreNotMixed: methods without a tool are there for other plugins, whatever is said of tools.
func TestToolsAndAPIsAreNotMixed(t *testing.T) {
	t.Parallel()
	r, _ := Compose("lsp", []Source{{Manifest: workshop()}})
	tools, _ := NewToolScope(r, []ToolDefinition{{Fixed: []string{"drill"}}}, false)
	if got := enabled(tools); got != "bench.drill bench.sweep" {
		t.Errorf("methods of a tool scope: %s", got)
	}
	apis, _ := NewScope(r, nil, false)
	if got := enabled(apis); got != "bench.saw_it bench.glue bench.sweep" || apis.HostTool("activate_project") == nil {
		t.Errorf("methods of an API scope: %s", got)
	}
	if all, _ := NewToolScope(r, nil, false); all.Digest() == tools.Digest() {
		t.Error("two scopes, one digest")
	}
}

func TestWhyAToolIsNotThere(t *testing.T) {
	t.Parallel()
	r, _ := Compose("lsp", []Source{{Manifest: workshop()}})
	excluded, _ := NewToolScope(r, []ToolDefinition{{Origin: "the context c", Excluded: []string{"saw"}}}, false)
	fixed, _ := NewToolScope(r, []ToolDefinition{{Origin: "mode m", Fixed: []string{"drill"}}}, false)
	readOnly, _ := NewToolScope(r, nil, true)
	for name, c := range map[string]struct {
		scope      *Scope
		tool, says string
	}{
		"excluded":  {excluded, "saw", "saw is not enabled here: the context c excludes it (excluded_tools)"},
		"optional":  {excluded, "drill", "drill is not enabled here: it is optional: add it to included_optional_tools in the configuration to use it"},
		"fixed":     {fixed, "saw", "saw is not enabled here: it is not one of the fixed_tools of mode m"},
		"read-only": {readOnly, "glue", "glue is refused: the project is read-only (read_only in its configuration)"},
		"unknown":   {excluded, "gleu", `there is no tool "gleu"; did you mean glue?`},
	} {
		if _, err := c.scope.Tool(c.tool); err == nil || err.Error() != c.says {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := excluded.Tool("glue"); err != nil || m.Facade != "bench" || m.Name != "glue" {
		t.Errorf("glue: %v", err)
	}
}

func TestToolNamesAreGivenOnce(t *testing.T) {
	t.Parallel()
	thief := sdk.Plugin{Name: "thief", Facades: []sdk.Facade{
		{Name: "bench", Guest: true, Methods: []sdk.Method{method[string]("steal", sdk.Tool("fetch")), method[string]("fake", sdk.Tool("activate_project"))}},
		{Name: "lair", Summary: "loot", Methods: []sdk.Method{method[string]("again", sdk.Tool("saw")), method[string]("odd", sdk.Tool("an odd name")), method[string]("own", sdk.Tool("own"))}},
	}}.Manifest()
	orphan := sdk.Plugin{Name: "orphan", Facades: []sdk.Facade{{Name: "nowhere", Guest: true, Methods: []sdk.Method{method[string]("lost", sdk.Tool("own"))}}}}.Manifest()
	r, faults := Compose("lsp", []Source{{Manifest: workshop()}, {Manifest: orphan}, {Manifest: thief}})
	var said []string
	for _, f := range faults {
		said = append(said, f.Error())
	}
	want := []string{
		"facade nowhere is left out, with what other plugins give it (lost, from orphan): no plugin that is on declares it as its own",
		"method bench.steal of plugin thief cannot be the tool fetch, which is method far.fetch of plugin workshop: the first stands, so it has no tool",
		"method bench.fake of plugin thief cannot be the tool activate_project, which is serena's own: it has no tool",
		"method lair.again of plugin thief cannot be the tool saw, which is method bench.saw_it of plugin workshop: the first stands, so it has no tool",
		`method lair.odd of plugin thief cannot be the tool "an odd name": a name has up to 64 letters, digits, - and _: it has no tool`,
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("faults:\n%s", strings.Join(said, "\n"))
	}
	s, _ := NewToolScope(r, []ToolDefinition{{Included: []string{"fetch"}}}, false)
	if got := toolNames(s); got != "saw glue fetch own activate_project initial_instructions" {
		t.Errorf("tools: %s", got)
	}
	if m, err := s.Tool("fetch"); err != nil || m.Facade != "far" {
		t.Errorf("fetch is %v, %v", m, err)
	}
	if apis, _ := NewScope(r, nil, false); !strings.Contains(enabled(apis), "bench.steal bench.fake lair.again") {
		t.Error("what has no tool is no method any more")
	}
}

// TestALenientCallSpeaksOfTheTool: text as arguments, nulls, aliases, and messages that name the tool, not the method.
func TestALenientCallSpeaksOfTheTool(t *testing.T) {
	t.Parallel()
	r, _ := Compose("lsp", []Source{{workshop(), fake{call: func(_ context.Context, req Request) (Outcome, error) {
		return Outcome{Value: req.Arguments}, nil
	}}}})
	s, _ := NewToolScope(r, nil, false)
	d := NewDispatcher(100, hclog.NewNullLogger())
	call := func(lenient bool, pairs ...string) (string, error) {
		out, err := d.Call(t.Context(), Caller{Scope: s}, Call{Facade: "bench", Method: "saw_it", Args: args(pairs...), Lenient: lenient})
		return string(out.Value), err
	}
	for name, pairs := range map[string][]string{
		"a bool as text": {"path", `"[1]"`, "deep", `"true"`},
		"an alias":       {"place", `"[1]"`, "deep", "true"},
	} {
		if got, err := call(true, pairs...); err != nil || got != `{"path":"[1]","deep":true}` {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if got, err := call(true, "path", `"x"`, "deep", "null"); err != nil || got != `{"path":"x","deep":false}` {
		t.Errorf("null for none: %s, %v", got, err)
	}
	if _, err := call(true, "path", "null"); !sdk.IsKind(err, sdk.KindType) || err.Error() != "saw: argument path must be str, not None\nsignature: saw(path: str, deep: bool = False) -> str" {
		t.Errorf("null for what is required: %v", err)
	}
	if _, err := call(false, "path", `"x"`, "deep", `"true"`); !sdk.IsKind(err, sdk.KindType) || !strings.HasPrefix(err.Error(), "bench.saw_it: argument deep must be bool, not the str") {
		t.Errorf("a cell's call: %v", err)
	}
	if _, err := d.Call(t.Context(), Caller{Scope: s}, Call{Facade: "bench", Method: "burn", Args: map[string]json.RawMessage{}}); !sdk.IsKind(err, sdk.KindPermission) || err.Error() != "bench.burn is not enabled here: it is optional and has no tool" {
		t.Errorf("without a tool: %v", err)
	}
}

// TestManyNamesInVainAreToldInShort: of a long list the first names are told one by one, each cut where it is long.
func TestManyNamesInVainAreToldInShort(t *testing.T) {
	t.Parallel()
	r, _ := Compose("lsp", []Source{{Manifest: workshop()}})
	names := []string{strings.Repeat("é", 500)}
	for i := range 300 {
		names = append(names, fmt.Sprintf("none.%d", i), "none.0")
	}
	_, tools := NewToolScope(r, []ToolDefinition{{Origin: "project p", Excluded: names}}, false)
	_, apis := NewScope(r, []Definition{{Origin: "project p", Included: names}, {Origin: "project q", Excluded: names[:3]}}, false)
	if len(tools) != 11 || len([]rune(tools[0])) > 400 || tools[10] != "project p names 291 more tools in excluded_tools that are of no use" {
		t.Errorf("%d notes of tools: %q", len(tools), tools)
	}
	if len(apis) != 14 || len([]rune(apis[0])) > 400 || apis[10] != "project p names 591 more APIs that do not exist" || !strings.HasPrefix(apis[11], "project q names ") {
		t.Errorf("%d notes of APIs: %q", len(apis), apis)
	}
}
