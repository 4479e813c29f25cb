package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// installTodo builds examples/plugin-todo, a module of its own, into a Serena home.
func installTodo(t *testing.T, home, configuration string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(home, "plugins", "todo"), ".")
	build.Dir = "../examples/plugin-todo"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the example does not build: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte(configuration), 0o644); err != nil {
		t.Fatal(err)
	}
}

// has waits until a facade is there: a third party's plugin is asked for its declaration after the first answer.
func (c *client) has(facade string) {
	c.t.Helper()
	deadline := time.Now().Add(patience)
	for c.cell(`hasattr(s, "`+facade+`")`).last() != "True" {
		if time.Now().After(deadline) {
			c.t.Fatalf("the facade %s did not come", facade)
		}
	}
}

// TestTodoPluginPassesTheSuite runs the example's own test, as its author would.
func TestTodoPluginPassesTheSuite(t *testing.T) {
	t.Parallel()
	test := exec.CommandContext(t.Context(), "go", "test", "./...")
	test.Dir = "../examples/plugin-todo"
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestTodoPlugin drives examples/plugin-todo: record, enum, settings, edits through the one writer, optional and niche methods.
func TestTodoPlugin(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	installTodo(t, home, "projects: []\nplugins:\n  todo:\n    file: docs/LIST.md\nincluded_apis: [todo.clear]\n")
	list := filepath.Join(project, "docs", "LIST.md")
	c := start(t, project, withHome(home))
	c.has("todo")
	c.gives(`s.todo.items()`, "[]")
	c.gives(`s.todo.add("first").priority`, "NORMAL")
	c.gives(`s.todo.add("second", priority=2).index`, "1")
	c.gives(`str([(i.text, i.priority.name) for i in s.todo.items()])`, "[('second', 'HIGH'), ('first', 'NORMAL')]")
	c.gives(`s.todo.finish(0)`, "OK")
	c.gives(`[i.text for i in s.todo.items(min_priority=1)], s.todo.count()["done"]`, "(['second'], 1)")
	if got, err := os.ReadFile(list); err != nil || string(got) != "- [x] !!1 first\n- [ ] !!2 second\n" {
		t.Errorf("the list holds %q (%v)", got, err)
	}
	c.fails(`s.todo.finish(0)`, "LookupError: todo.finish: 0 is no open item; todo.items() lists them")
	c.fails(`s.todo.add("two\nlines")`, "ValueError", "one line")
	c.fails(`s.todo.add("x", priority="high")`, "TypeError", "priority")
	c.fails(`s.todo.ad("x")`, "AttributeError", "add")
	doc := c.cell(`s.info("todo")`).last()
	if !strings.Contains(doc, `count: Counts open and finished items. More: s.info("todo.count")`) || strings.Contains(doc, "todo.count(") {
		t.Errorf("a niche method is not shown by its summary alone:\n%s", doc)
	}
	c.gives(`s.todo.clear()`, "OK")
	if _, err := os.Stat(list); !os.IsNotExist(err) {
		t.Errorf("the list is still there: %v", err)
	}
}

// TestTodoPluginStaysInTheProject: a project's own configuration names the file, and must not lead the plugin elsewhere.
func TestTodoPluginStaysInTheProject(t *testing.T) {
	t.Parallel()
	home, base := t.TempDir(), t.TempDir()
	installTodo(t, home, "projects: []\n")
	project := filepath.Join(base, "project")
	if err := os.MkdirAll(filepath.Join(project, ".serena"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(base, "private"):                   "- [ ] !!1 secret\n",
		filepath.Join(project, ".serena", "project.yml"): "plugins:\n  todo:\n    file: ../private\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, project, withHome(home))
	c.has("todo")
	c.fails(`s.todo.items()`, "../private")
}

// TestPluginSettingsAreNamed has a mistake in the settings told with its key, and the plugin's other projects left alone.
func TestPluginSettingsAreNamed(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	installTodo(t, home, "projects: []\nplugins:\n  todo:\n    fil: LIST.md\n")
	c := start(t, project, withHome(home))
	c.has("todo")
	c.fails(`s.todo.items()`, "ValueError", "fil", "did you mean file?")
	c.fails(`s.todo.clear()`, "todo.clear is not enabled", "included_apis")
	c.gives(`s.fs.list_dir(".", False).files`, "[]")
}
