package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// installSecond builds testdata/second, a plugin with a language backend of its own, into a Serena home.
func installSecond(t *testing.T, home string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(home, "plugins", "second"), "./testdata/second")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the plugin does not build: %v\n%s", err, out)
	}
}

// write makes a file below a folder.
func write(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTheBackendBelongsToTheProject: two sessions of one server work with two backends, and one changes its own.
func TestTheBackendBelongsToTheProject(t *testing.T) {
	t.Parallel()
	home, plain, other := t.TempDir(), newProject(t), newProject(t)
	installSecond(t, home)
	write(t, other, ".serena/project.yml", "language_backend: JetBrains\n")
	c := start(t, plain, withHome(home))
	if a := c.call("initial_instructions", nil); strings.Contains(a.last(), "s.ide") || !strings.Contains(a.last(), "s.lsp") {
		t.Errorf("initial_instructions: %s", a.last())
	}
	c.session = "y"
	if a := c.call("activate_project", map[string]any{"project": other, "session_id": "y"}); a.IsError || !strings.Contains(a.last(), "language backend: jetbrains") {
		t.Fatalf("activate_project: %s", a.last())
	}
	onTheIDE := func() {
		t.Helper()
		c.gives(`s.ide.find()`, "an IDE looks at "+other)
		c.gives(`s.edit.replace_symbol_body("Sum", "box/box.go", "")`, "the IDE wrote Sum")
		c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
		c.gives(`"s.ide" in s.info() and "s.lsp" not in s.info()`, "True")
		c.fails(`s.lsp.find_symbol("Sum")`, "language backend lsp only", "language_backend")
		c.gives(`s.info("lsp.find_symbol")`, "facade lsp is there with the language backend lsp only: set language_backend in the project's configuration to use it")
	}
	onServers := func() {
		t.Helper()
		c.gives(`[x.name_path for x in s.lsp.find_symbol("Fill")]`, "Fill")
		c.fails(`s.edit.replace_symbol_body("Nothing", "box/box.go", "func Nothing() {}")`, "Nothing")
		c.gives(`"s.lsp" in s.info() and "s.ide" not in s.info()`, "True")
		c.fails(`s.ide.find()`, "language backend jetbrains only")
	}
	onTheIDE()
	c.session = "x"
	onServers()
	c.gives(`keep = 5`, "")
	if a := c.call("activate_project", map[string]any{"project": other, "session_id": "x"}); a.IsError {
		t.Fatalf("activate_project: %s", a.last())
	}
	onTheIDE()
	c.gives(`keep`, "5")
	c.session = "y"
	onTheIDE()
	if a := c.call("activate_project", map[string]any{"project": plain, "session_id": "y"}); a.IsError {
		t.Fatalf("activate_project: %s", a.last())
	}
	onServers()
}

// TestTheToolListDoesNotDependOnPlugins is about every byte: clients keep their prompt's cache by it.
func TestTheToolListDoesNotDependOnPlugins(t *testing.T) {
	t.Parallel()
	project, home := newProject(t), t.TempDir()
	list := func(c *client) string { return string(c.must("tools/list", map[string]any{})) }
	bare := list(start(t, project))
	installTodo(t, home, "projects: []\n")
	installSecond(t, home)
	c := start(t, project, withHome(home))
	first := list(c)
	a := c.call("initial_instructions", nil)
	if !strings.Contains(a.last(), "s.todo – ") {
		t.Errorf("initial_instructions do not tell of the third party's facade:\n%s", a.last())
	}
	c.gives(`s.todo.items()`, "[]")
	other := newProject(t)
	write(t, other, ".serena/project.yml", "language_backend: JetBrains\nread_only: true\nexcluded_apis: [shell]\n")
	c.call("activate_project", map[string]any{"project": other})
	c.gives(`s.ide.find()`, "an IDE looks at "+other)
	if a := c.call("initial_instructions", nil); !strings.Contains(a.last(), "s.ide – ") || strings.Contains(a.last(), "s.lsp") || strings.Contains(a.last(), "s.shell") {
		t.Errorf("initial_instructions in the other project:\n%s", a.last())
	}
	later := list(c)
	again := list(start(t, project, withHome(home))) // the declarations are known from the start
	if first != bare || later != bare || again != bare {
		t.Errorf("the lists differ:\n%s\n%s\n%s\n%s", bare, first, later, again)
	}
	var tools struct {
		Tools json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal([]byte(bare), &tools); err != nil {
		t.Fatal(err)
	}
	n := utf8.RuneCount(tools.Tools)
	if n >= 4000 || !strings.Contains(bare, "s.lsp – ") || strings.Contains(bare, "todo") {
		t.Errorf("the tools have %d characters:\n%s", n, bare)
	}
	t.Logf("all tool definitions: %d characters", n)
}

// TestModesAndContextsRuleTheFacades: from files, by the command line and the project; what they name and is not there is told.
func TestModesAndContextsRuleTheFacades(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), newProject(t)
	write(t, home, "serena_config.yml", "projects: []\nexcluded_apis: [mem, sell]\n")
	write(t, home, "contexts/mine.yml", "excluded_apis: [shell, fs]\nincluded_apis: [fs.read_file]\n")
	write(t, home, "modes/careful.yml", "included_apis: [shell]\nexcluded_apis: [edit.replace_contnt]\n")
	write(t, project, ".serena/project.yml", "added_modes: [careful]\nincluded_apis: [mem.read_memory]\n")
	env := environment(home)
	const facades = `sorted(line.split(" ")[0][2:] for line in s.info().splitlines() if line.startswith("s.")), [m for m in dir(s.fs) if m.islower()], [m for m in dir(s.mem) if m.islower()]`
	status, stdout, stderr := eval(t, env, "--project", project, "--context", "mine", facades)
	if status != 0 || stdout != "(['edit', 'fs', 'lsp', 'mem', 'shell'], ['read_file'], ['read_memory'])\n" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	for _, want := range []string{
		`the global configuration names the API "sell", which does not exist; did you mean "shell"?`,
		`mode careful (` + filepath.Join(home, "modes", "careful.yml") + `) names the API "edit.replace_contnt", which does not exist; did you mean "edit.replace_content"?`,
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr does not say %q: %q", want, stderr)
		}
	}
	c := start(t, project, withHome(home))
	if a := c.call("initial_instructions", nil); !strings.Contains(a.last(), `Note: the global configuration names the API "sell", which does not exist; did you mean "shell"?`) {
		t.Errorf("initial_instructions: %s", a.last())
	}
	third := newProject(t)
	write(t, third, ".serena/project.yml", "excluded_apis: [lsp.find_symbl]\n")
	a := c.call("activate_project", map[string]any{"project": third, "session_id": "z"})
	if a.IsError || !strings.Contains(a.last(), `names the API "lsp.find_symbl", which does not exist; did you mean "lsp.find_symbol"?`) || strings.Contains(a.last(), "sell") {
		t.Errorf("activate_project: %s", a.last())
	}
	for _, c := range []struct{ flag, name, says string }{
		{"--context", "claud-code", `there is no context "claud-code"; did you mean "claude-code"? There are: agent, `},
		{"--mode", "plan", `there is no mode "plan"; did you mean "planning"? There are: benchmark, careful, editing, `},
		{"--add-mode", "/no/such.yml", "there is no mode file /no/such.yml: no such file or directory"},
	} {
		status, stdout, stderr := eval(t, env, c.flag, c.name, "1")
		if status != 1 || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s %s: status %d, %q, %q", c.flag, c.name, status, stdout, stderr)
		}
	}
}

// TestWhatTheBuiltinFacadesSay reads all of it as a model does: within its budget, and signatures as Python does.
func TestWhatTheBuiltinFacadesSay(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	c.gives(`
import ast, inspect
faults = []
def parse(stub):
    return ast.parse("def " + stub.split(" [edits]")[0].split(" [beta]")[0].strip() + ": ...").body[0]
names = [line.split(" ")[0][2:] for line in s.info().splitlines() if line.startswith("s.")]
for name in names:
    facade = getattr(s, name)
    for method in [m for m in dir(facade) if not isinstance(getattr(facade, m), type)]:
        stub = s.info(f"{name}.{method}").splitlines()[0].removeprefix(name + ".")
        parsed = parse(stub)
        if [a.arg for a in parsed.args.args] != list(inspect.signature(getattr(facade, method)).parameters):
            faults.append(stub)
faults`, "[]")
	sizes := c.cell(`sizes = {n: len(s.info(n)) for n in names}; sizes[""] = len(s.info()); {n: k for n, k in sizes.items() if k >= {"": 2500, "lsp": 9000}.get(n, 12000)}, len(names)`)
	if !slices.Contains([]string{"({}, 5)", "({}, 6)", "({}, 7)"}, sizes.last()) {
		t.Errorf("too long: %s", sizes.last())
	}
	t.Log(c.cell("sizes").last())
}

// TestNothingSpeaksOfWhatIsExcluded: what a client is told at its start fits the configuration.
func TestNothingSpeaksOfWhatIsExcluded(t *testing.T) {
	t.Parallel()
	project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "excluded_apis: [lsp]\n"})
	c := start(t, project)
	for _, text := range []string{string(c.hello), mustText(t, c.tools()), c.call("initial_instructions", nil).last()} {
		if strings.Contains(text, "s.lsp") {
			t.Errorf("s.lsp is spoken of: %s", text)
		}
	}
}

func mustText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
