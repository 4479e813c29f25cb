package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeFile writes a file of a test, with the folders that it needs.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestWhichToolsThereAre: each level of the configuration adds and takes away, in order; what it names in vain is told.
func TestWhichToolsThereAre(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "serena_config.yml"), "base_modes: []\nexcluded_tools: [onboarding, list_dri]\nincluded_optional_tools: [delete_lines, switch_modes]\n")
	writeFile(t, filepath.Join(home, "contexts", "mine.yml"), "description: mine\nexcluded_tools: [read_file, replace_regex]\n")
	writeFile(t, filepath.Join(home, "modes", "more.yml"), "description: more\nincluded_optional_tools: [onboarding, insert_at_line]\n")
	project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "excluded_tools: [delete_lines]\nincluded_optional_tools: [read_file]\nexcluded_apis: [fs, mem]\n"})
	c := startTools(t, project, withHome(home), withArgs("--context", "mine", "--mode", "more"))
	names := c.toolNames()
	for name, want := range map[string]bool{
		"onboarding": true, "insert_at_line": true, "delete_lines": false, "read_file": true, "replace_content": false, "list_dir": true, "replace_lines": false,
		"list_memories": true, "activate_project": true, "initial_instructions": true,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s is listed: %t, in %v", name, !want, names)
		}
	}
	for tool, why := range map[string]string{
		"delete_lines":    "PermissionError: delete_lines is not enabled here: project " + filepath.Base(project) + " excludes it (excluded_tools)",
		"replace_content": "PermissionError: replace_content is not enabled here: context mine (" + filepath.Join(home, "contexts", "mine.yml") + ") excludes it (excluded_tools)",
		"replace_lines":   "PermissionError: replace_lines is not enabled here: it is optional: add it to included_optional_tools in the configuration to use it",
	} {
		c.refuses(tool, arguments{}, why)
	}
	c.answers("read_file", arguments{"relative_path": "n.txt"}, "1\n")
	a := c.call("initial_instructions", arguments{})
	for _, note := range []string{
		`Note: the global configuration names the tool "list_dri" in excluded_tools, which does not exist; did you mean "list_dir"?`,
		`Note: the global configuration names the tool "switch_modes" in included_optional_tools, which there is no more: it is ignored`,
	} {
		if !strings.Contains(a.last(), note) {
			t.Errorf("no %q in %q", note, a.last())
		}
	}
	if strings.Contains(a.last(), `"fs"`) || strings.Contains(a.last(), `"mem"`) {
		t.Errorf("APIs are spoken of: %q", a.last())
	}
}

// TestToolsDoNotRuleCells: what is said of tools has no effect on facades, and the project chooses the interface if the flag does not.
func TestToolsDoNotRuleCells(t *testing.T) {
	t.Parallel()
	project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "agent_interface: REPL\nexcluded_tools: [read_file, no_such_tool]\nfixed_tools: [list_dir]\n"})
	c := start(t, project, withInterface(""))
	if names := c.toolNames(); !slices.Equal(slices.Sorted(slices.Values(names)), []string{"activate_project", "initial_instructions", "serena_repl"}) {
		t.Errorf("tools: %v", names)
	}
	c.gives(`s.fs.read_file("n.txt").lines[0]`, "1")
	if a := c.call("initial_instructions", arguments{}); strings.Contains(a.last(), "no_such_tool") {
		t.Errorf("tools are spoken of: %q", a.last())
	}
	tools := start(t, project, withInterface("tools"))
	if names := tools.toolNames(); !slices.Equal(names, []string{"list_dir"}) {
		t.Errorf("fixed tools: %v", names)
	}
	tools.refuses("initial_instructions", arguments{}, "PermissionError: initial_instructions is not enabled here: it is not one of the fixed_tools of project "+filepath.Base(project))
	tools.answers("list_dir", arguments{"relative_path": ".", "recursive": false, "skip_ignored_files": true}, `{"dirs": [], "files": ["n.txt"]}`)
}

// TestWhatAnActivatedProjectNamesInVain is told with the activation: the instructions were read before.
func TestWhatAnActivatedProjectNamesInVain(t *testing.T) {
	t.Parallel()
	other := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "excluded_tools: [raed_file]\nadded_modes: [plannin]\n"})
	c := startTools(t, newProject(t))
	a := c.call("activate_project", arguments{"project": other})
	for _, note := range []string{
		"Note: project " + filepath.Base(other) + ` names the tool "raed_file" in excluded_tools, which does not exist; did you mean "read_file"?`,
		"Note: project " + filepath.Base(other) + `: there is no mode "plannin"; did you mean "planning"?`,
	} {
		if a.IsError || strings.Count(a.last(), note) != 1 {
			t.Errorf("no %q in %q", note, a.last())
		}
	}
}

// TestTheBackendOfTheListStays: a project with another backend is not activated, since its tools are not listed.
func TestTheBackendOfTheListStays(t *testing.T) {
	t.Parallel()
	project := makeProject(t, map[string]string{"n.txt": "1\n"})
	other := makeProject(t, map[string]string{"n.txt": "2\n", ".serena/project.yml": "language_backend: JetBrains\n"})
	c := startTools(t, project)
	c.refuses("activate_project", arguments{"project": other}, "RuntimeError: project "+filepath.Base(other)+" has the language backend jetbrains, but the tools that were listed are those of lsp")
	c.answers("read_file", arguments{"relative_path": "n.txt"}, "1\n")
	c = startTools(t, other)
	if names := c.toolNames(); slices.Contains(names, "find_symbol") || !slices.Contains(names, "read_file") {
		t.Errorf("tools with the other backend: %v", names)
	}
	c.answers("read_file", arguments{"relative_path": "n.txt"}, "2\n")
}

// TestAContextOfOneProject: with a project at the start there is no other; without one, one can be activated.
func TestAContextOfOneProject(t *testing.T) {
	t.Parallel()
	project := newProject(t)
	with, without := startTools(t, project, withArgs("--context", "ide")), startTools(t, "", withArgs("--context", "ide"))
	if names := with.toolNames(); slices.Contains(names, "activate_project") || slices.Contains(names, "read_file") || !slices.Contains(names, "find_symbol") {
		t.Errorf("with a project: %v", names)
	}
	with.refuses("activate_project", arguments{"project": t.TempDir()}, "PermissionError: activate_project is not enabled here: context ide (single_project) excludes it")
	if names := without.toolNames(); !slices.Contains(names, "activate_project") || slices.Contains(names, "read_file") {
		t.Errorf("without one: %v", names)
	}
	if a := without.call("activate_project", arguments{"project": project}); a.IsError {
		t.Errorf("activation: %q", a.last())
	}
	agent := startTools(t, project, withArgs("--context", "agent"))
	var hello struct{ Instructions string }
	decode(t, agent.hello, &hello)
	if names := agent.toolNames(); slices.Contains(names, "initial_instructions") || !strings.Contains(hello.Instructions, "Active project: ") || !strings.Contains(hello.Instructions, "find_referencing_symbols says") {
		t.Errorf("without initial_instructions: %v, %q", names, hello.Instructions)
	}
}
