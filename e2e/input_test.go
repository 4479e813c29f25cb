package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInputGetsAnAnswer(t *testing.T) {
	t.Parallel()
	project := newProject(t)
	if err := os.WriteFile(filepath.Join(filepath.Dir(project), "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, project)
	c.fails(`s.fs.read_file("../secret.txt")`, "inside the project", "secret.txt")
	c.fails(`s.edit.replace_content("../secret.txt", "s", "t", "literal")`, "inside the project")
	c.fails(`s.fs.read_file("notes.txt", start_lin=1)`, "TypeError", "read_file(relative_path: str", "start_line")
	c.fails(`s.fs.read_file()`, "TypeError", "relative_path", "read_file(relative_path: str")
	c.fails(`s.fs.read_file(3)`, "TypeError", "relative_path must be str")
	c.fails(`s.fs.read_file("note.txt")`, "FileNotFoundError", "notes.txt")
	c.fails(`s.fs.read_file("box")`, "IsADirectoryError")
	c.fails(`s.fs.reed_file("x")`, "AttributeError", "read_file", "list_dir", "search_for_pattern")
	c.fails(`s.fss`, "AttributeError", "fs", "lsp", "edit", "shell")
	c.fails(`s.edit.replace_content("notes.txt", "one", "1", "litteral")`, "literal", "regex")
	c.fails(`s.lsp.get_symbols_overview("notes.txt")`, ".txt", "go")
	c.fails(`s.lsp.find_referencing_symbols("Baskte/Add", "box/box.go")`, "Basket")
	if data, err := os.ReadFile(filepath.Join(filepath.Dir(project), "secret.txt")); err != nil || string(data) != "secret" {
		t.Errorf("secret.txt is %q, %v", data, err)
	}
	for name, args := range map[string]map[string]any{
		"an unknown argument": {"session_id": "a", "code": "1", "cod": "2"},
		"a missing argument":  {"session_id": "a"},
		"a wrong type":        {"session_id": "a", "code": 3},
		"an empty session":    {"session_id": " ", "code": "1"},
	} {
		if a := c.call("serena_repl", args); !a.IsError || a.last() == "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestNoPython(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t), withEnv("PATH="+goplsDir))
	for range 2 { // the second time as well: a failed look-up is not remembered as found
		c.fails("1+1", "Python", "3.10", "repl_python")
	}
	if a := c.call("initial_instructions", nil); a.IsError || !strings.Contains(a.last(), "session_id: ") {
		t.Errorf("initial_instructions: %q", a.last())
	}
}

func TestNoGopls(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	linkPrograms(t, bin, "python3", "sh")
	c := start(t, newProject(t), withEnv("PATH="+bin))
	c.fails(`s.lsp.find_symbol("Basket")`, "gopls", "go install golang.org/x/tools/gopls@v0.23.0")
	c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
}

// TestExecutableThatIsNoPlugin puts programs that are no plugins where plugins are looked for.
func TestExecutableThatIsNoPlugin(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	plugins := filepath.Join(home, "plugins")
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"chatty":  "#!/bin/sh\necho hello world\n",
		"failing": "#!/bin/sh\necho broken >&2\nexit 3\n",
		"curious": "#!/bin/sh\ncat\n", // reads what it can: not the host's stdin
	} {
		if err := os.WriteFile(filepath.Join(plugins, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, newProject(t), withHome(home))
	c.gives("1+1", "2")
	until(t, "the faults of all three", func() bool {
		text := c.call("initial_instructions", nil).last()
		return strings.Contains(text, "chatty") && strings.Contains(text, "failing") && strings.Contains(text, "curious")
	})
	c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
}
