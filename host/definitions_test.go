package host

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

// pen is a plugin with a tool.
func pen() Builtin {
	say := func(context.Context, *sdk.Call, struct{}) (string, error) { return "", nil }
	return Builtin{Plugin: sdk.Plugin{Name: "pen", Facades: []sdk.Facade{{Name: "pen", Summary: "ink", Methods: []sdk.Method{
		sdk.NewMethod("write", say, "Writes.\n\nA word.", sdk.Tool("write_word")),
		sdk.NewMethod("wipe", say, "Wipes.\n\nA word.", sdk.Tool("wipe_word")),
	}}}}}
}

// TestDefinitions: each interface has its own words for what is there, and says in cells how to write the other's.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	home, root := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, config.FileName):          "excluded_tools: [write_word, wipe_word, nothing]\nexcluded_apis: [pen.wipe]\nbase_modes: [gone, mine]\n",
		filepath.Join(home, "modes", "mine.yml"):      "excluded_tools: [wipe_word]\nincluded_apis: [pen]\n",
		filepath.Join(root, ".serena", "project.yml"): "project_name: p\nfixed_tools: [wipe_word]\nincluded_apis: [pen.wipe]\nexcluded_tools: [wipe_word]\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(config.Options{Home: home, Context: "codex"})
	if err != nil {
		t.Fatal(err)
	}
	projects := project.NewRegistry(cfg)
	t.Cleanup(projects.Close)
	p, err := projects.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{offers: newOffers(Options{Config: cfg, Builtins: []Builtin{pen()}, Log: hclog.NewNullLogger()}, plugin.New(plugin.Options{Home: home}))}
	mine := "mode mine (" + filepath.Join(home, "modes", "mine.yml") + ")"
	wantAPIs := []api.Definition{
		{Origin: "the global configuration", Excluded: []string{"pen.wipe"}}, {Origin: "context codex"}, {Origin: mine, Included: []string{"pen"}},
		{Origin: "project p", Included: []string{"pen.wipe"}},
	}
	if got := h.APIDefinitions(p); !reflect.DeepEqual(got, wantAPIs) {
		t.Errorf("APIs: %+v", got)
	}
	if got := h.APIDefinitions(nil); !reflect.DeepEqual(got, wantAPIs[:3]) {
		t.Errorf("without a project: %+v", got)
	}
	wantTools := []api.ToolDefinition{
		{Origin: "the global configuration", Excluded: []string{"write_word", "wipe_word", "nothing"}},
		{Origin: "context codex", Excluded: []string{"create_text_file", "read_file", "execute_shell_command", "replace_content", "find_file", "list_dir"}},
		{Origin: mine, Excluded: []string{"wipe_word"}}, {Origin: "project p", Fixed: []string{"wipe_word"}, Excluded: []string{"wipe_word"}},
	}
	if got := h.ToolDefinitions(p); !reflect.DeepEqual(got, wantTools) {
		t.Errorf("tools: %+v", got)
	}
	if got, want := h.offers.scope(nil).Overview(), "s.pen – ink: write\n"; got != want {
		t.Errorf("without a project: %q", got)
	}
	if told := h.Examine(p); len(told) != 0 {
		t.Errorf("told %q", told)
	}
	const rest = " has excluded_tools, which count in the classic interface alone; to exclude the same in cells: excluded_apis: "
	if want := []string{
		"the global configuration" + rest + "[pen.write]", "the global configuration" + rest + "[pen.write, pen.wipe]", "project p" + rest + "[pen.wipe]",
	}; !slices.Equal(h.offers.hints, want) {
		t.Errorf("hints %q", h.offers.hints)
	}
	if told := h.Notes(); len(told) != 1 || !strings.HasPrefix(told[0], `the global configuration: there is no mode "gone"`) {
		t.Errorf("told %q", told)
	}
	if got, want := h.offers.scope(p).Overview(), "s.pen – ink: write, wipe\n"; got != want {
		t.Errorf("in the project: %q", got)
	}
}
