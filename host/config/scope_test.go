package config_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/host/config"
)

// put writes a file of a Serena home.
func put(t *testing.T, home, name, text string) string {
	t.Helper()
	path := filepath.Join(home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func origins(sources []config.ScopeSource) string {
	var names []string
	for _, s := range sources {
		names = append(names, s.Origin)
	}
	return strings.Join(names, " | ")
}

func TestScopeSources_come_in_the_order_in_which_they_count(t *testing.T) {
	t.Parallel()
	own := func(m *config.ProjectScope) *config.ProjectScope { m.Origin = "project p"; return m }
	for name, c := range map[string]struct {
		global  string
		options config.Options
		project *config.ProjectScope
		want    string
	}{
		"defaults":                    {want: "the global configuration | context desktop-app | mode interactive | mode editing"},
		"default modes":               {global: "default_modes: [planning]", want: "the global configuration | context desktop-app | mode interactive | mode editing | mode planning"},
		"other base modes":            {global: "base_modes: [one-shot]\ndefault_modes: [planning]", want: "the global configuration | context desktop-app | mode one-shot | mode planning"},
		"no base modes":               {global: "base_modes: []", want: "the global configuration | context desktop-app"},
		"a project":                   {project: own(&config.ProjectScope{}), want: "the global configuration | context desktop-app | mode interactive | mode editing | project p"},
		"the project's default modes": {global: "base_modes: []\ndefault_modes: [planning]", project: own(&config.ProjectScope{DefaultModes: []string{"benchmark"}}), want: "the global configuration | context desktop-app | mode benchmark | project p"},
		"the project wants none":      {global: "base_modes: []\ndefault_modes: [planning]", project: own(&config.ProjectScope{DefaultModes: []string{}}), want: "the global configuration | context desktop-app | project p"},
		"the command line wins": {
			global: "base_modes: []\ndefault_modes: [planning]", options: config.Options{Context: "codex", Modes: []string{"one-shot", "no-memories"}, AddedModes: []string{"no-onboarding"}},
			project: own(&config.ProjectScope{DefaultModes: []string{"benchmark"}, AddedModes: []string{"query-projects"}}),
			want:    "the global configuration | context codex | mode one-shot | mode no-memories | mode query-projects | mode no-onboarding | project p",
		},
		"each once":        {global: "default_modes: [editing]", options: config.Options{AddedModes: []string{"interactive"}}, want: "the global configuration | context desktop-app | mode interactive | mode editing"},
		"an older context": {global: "base_modes: []", options: config.Options{Context: "ide-assistant"}, want: "the global configuration | context claude-code"},
	} {
		c.options.Home = home(t, c.global)
		cfg, err := config.Load(c.options)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sources, notes := cfg.ScopeSources(c.project)
		if got := origins(sources); got != c.want || len(notes) != 0 || len(cfg.Notes) != 0 {
			t.Errorf("%s: %s, notes %q %q", name, got, notes, cfg.Notes)
		}
	}
}

func TestScopeSources_say_what_each_level_says(t *testing.T) {
	t.Parallel()
	dir := home(t, "excluded_apis: [shell]\nfixed_tools: [read_file]\nbase_modes: [mine]")
	context := put(t, dir, "contexts/codex.yml", "name: My Codex\nprompt: |\n  {{ x }}\nexcluded_apis: [fs.read_file]\nincluded_apis: ext\ntool_description_overrides: {a: b}\nsingle_project: true\nstructured_tool_output: null\n")
	mode := put(t, dir, "modes/mine.yaml", "description: d\nexcluded_tools: [a]\nincluded_optional_tools: [b]\n")
	further := put(t, dir, "elsewhere/m.yml", "included_apis: [lsp.rename_symbol]\n")
	cfg, err := config.Load(config.Options{Home: dir, Context: "codex"})
	if err != nil || len(cfg.Notes) != 0 {
		t.Fatal(err, cfg.Notes)
	}
	project := config.ProjectScope{ScopeSource: config.ScopeSource{Origin: "project p", IncludedAPIs: []string{"x"}}, AddedModes: []string{"./m.yml"}, Folder: filepath.Dir(further)}
	got, notes := cfg.ScopeSources(&project)
	want := []config.ScopeSource{
		{Origin: "the global configuration", ExcludedAPIs: []string{"shell"}, FixedTools: []string{"read_file"}},
		{Origin: "context My Codex (" + context + ")", ExcludedAPIs: []string{"fs.read_file"}, IncludedAPIs: []string{"ext"}},
		{Origin: "mode mine (" + mode + ")", ExcludedTools: []string{"a"}, IncludedOptionalTools: []string{"b"}},
		{Origin: "mode m (" + further + ")", IncludedAPIs: []string{"lsp.rename_symbol"}},
		project.ScopeSource,
	}
	if !reflect.DeepEqual(got, want) || len(notes) != 0 {
		t.Errorf("got  %+v\nwant %+v\nnotes %q", got, want, notes)
	}
}

func TestLoad_the_command_line_names_what_is_not_there(t *testing.T) {
	t.Parallel()
	dir := home(t, "")
	put(t, dir, "contexts/mine.yml", "")
	put(t, dir, "contexts/notes.txt", "")
	for name, c := range map[string]struct {
		options config.Options
		want    string
	}{
		"a context": {config.Options{Context: "clade-code"}, `there is no context "clade-code"; did you mean "claude-code"? There are: agent, antigravity, chatgpt, claude-code, codebuddy, codex, copilot-cli, desktop-app, grok, ide, jb-ai-assistant, jb-copilot-plugin, junie, mine, oaicompat-agent, vscode`},
		"a mode":    {config.Options{Modes: []string{"planning", "qqq"}}, `there is no mode "qqq". There are: benchmark, editing, interactive, no-memories, no-onboarding, onboarding, one-shot, planning, query-projects`},
		"another":   {config.Options{AddedModes: []string{"planing"}}, `there is no mode "planing"; did you mean "planning"?`},
		"a file":    {config.Options{Context: filepath.Join(dir, "none.yml")}, "there is no context file " + filepath.Join(dir, "none.yml")},
	} {
		c.options.Home = dir
		cfg, err := config.Load(c.options)
		if cfg != nil || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProfiles_that_make_no_sense_are_told_and_not_fatal(t *testing.T) {
	t.Parallel()
	dir := home(t, "base_modes: [editng, broken, strange]\ndefault_modes: [a/b.yml]")
	context := put(t, dir, "contexts/mine.yml", "included_apis: {a: b}\nexclude_apis: [shell]\n")
	broken := put(t, dir, "modes/broken.yml", "a: [\n")
	strange := put(t, dir, "modes/strange.yml", "single_project: true\nname: [x]\n")
	cfg, err := config.Load(config.Options{Home: dir, Context: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		context + `, line 1: included_apis is {"a":"b"}, but it must be a list of texts`,
		context + `, line 2: nobody knows the key "exclude_apis", so it has no effect; did you mean "excluded_apis"?`,
	}
	if !slices.Equal(cfg.Notes, want) {
		t.Errorf("notes %q", cfg.Notes)
	}
	sources, notes := cfg.ScopeSources(nil)
	if got := origins(sources); got != "the global configuration | context mine ("+context+") | mode broken | mode strange ("+strange+")" {
		t.Errorf("sources: %s", got)
	}
	for i, want := range []string{
		`the global configuration: there is no mode "editng"; did you mean "editing"? There are: benchmark, broken, editing, `,
		"mode broken: " + broken + ", line 1: ",
		strange + ", line 2: name is [\"x\"], but it must be text",
		strange + `, line 1: nobody knows the key "single_project", so it has no effect`,
		"the global configuration: there is no mode file " + filepath.Join(dir, "a", "b.yml"),
	} {
		if i >= len(notes) || !strings.HasPrefix(notes[i], want) {
			t.Errorf("note %d of %q, want %q", i, notes, want)
		}
	}
}

// TestBuiltinProfiles holds each built-in file to the keys that are read, and some to what they are known for.
func TestBuiltinProfiles(t *testing.T) {
	t.Parallel()
	dir := home(t, "base_modes: []")
	excluded := func(o config.Options) []string {
		o.Home = dir
		cfg, err := config.Load(o)
		if err != nil {
			t.Fatal(err)
		}
		sources, notes := cfg.ScopeSources(nil)
		if len(notes)+len(cfg.Notes) > 0 {
			t.Errorf("%+v: notes %q %q", o, notes, cfg.Notes)
		}
		return sources[len(sources)-1].ExcludedTools
	}
	five := []string{"create_text_file", "read_file", "execute_shell_command", "find_file", "list_dir"}
	for name, want := range map[string][]string{
		"desktop-app": nil, "agent": {"initial_instructions"}, "oaicompat-agent": {"initial_instructions"}, "chatgpt": nil,
		"claude-code": append(slices.Clone(five), "search_for_pattern"), "codebuddy": append(slices.Clone(five), "search_for_pattern"),
		"grok":        append(slices.Clone(five), "search_for_pattern"),
		"codex":       {"create_text_file", "read_file", "execute_shell_command", "replace_content", "find_file", "list_dir"},
		"copilot-cli": {"create_text_file", "read_file", "execute_shell_command", "replace_content"},
		"ide":         five, "antigravity": five, "jb-ai-assistant": five, "vscode": five,
		"jb-copilot-plugin": {"create_text_file", "read_file", "execute_shell_command"},
		"junie":             append(slices.Clone(five), "replace_content", "search_for_pattern"),
	} {
		if got := excluded(config.Options{Context: name}); !slices.Equal(got, want) {
			t.Errorf("context %s excludes %q", name, got)
		}
	}
	for name, want := range map[string]int{
		"editing": 3, "interactive": 0, "planning": 9, "onboarding": 8, "one-shot": 0, "benchmark": 6, "no-memories": 7, "no-onboarding": 1, "query-projects": 0,
	} {
		if got := excluded(config.Options{Modes: []string{name}}); len(got) != want {
			t.Errorf("mode %s excludes %q", name, got)
		}
	}
}
