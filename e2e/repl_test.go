package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCellsInOrder runs the cells of one session as a user would, each in its kind a thing that went wrong elsewhere.
func TestCellsInOrder(t *testing.T) {
	t.Parallel()
	c := start(t, makeProject(t, map[string]string{"n.txt": "1\n2\n3\n"}))
	if a := c.cell("x = 20"); a.IsError || len(a.Content) != 0 {
		t.Errorf("nothing to say is an empty list: %+v", a)
	}
	c.gives("x + 22", "42")
	c.gives("t = s.fs.read_file(\"n.txt\").text\nsum(int(v) for v in t.split())", "6")
	c.gives(`["a", "b"]`, "a\nb")
	c.gives("def f(v):\n    return v * 2", "")
	c.gives("f(x)", "40")
	c.fails("y = 1\nreturn y", "SyntaxError", "return y", "last expression")
	c.fails("a = 1\nb = a / 0", "ZeroDivisionError: division by zero", "b = a / 0")
	c.gives("a", "1")
	c.fails("q = (2", "SyntaxError", "q = (2")
	if a := c.call("serena_repl", map[string]any{"session_id": "another", "code": "x"}); !a.IsError || !strings.Contains(a.last(), "NameError") {
		t.Errorf("another session: %q", a.last())
	}
	c.gives("x", "20")
	c.gives("s = 5", "")
	c.gives(`s.fs.read_file("n.txt").lines[0]`, "1")
	if a := c.cell("import sys\nprint('hello')\nprint('oops', file=sys.stderr)\n7"); len(a.Content) != 3 ||
		a.Content[0].Text != "stdout:\nhello\n" || a.Content[1].Text != "stderr:\noops\n" || a.last() != "7" {
		t.Errorf("stdout, stderr, value: %+v", a)
	}
	if a := c.cell(`"p" * 3000000`); len(a.last()) > 151_000 || !strings.Contains(a.last(), "3000000") || !strings.Contains(a.last(), "pppp") {
		t.Errorf("a long value: %d characters", len(a.last()))
	}
	c.gives("len(_)", "3000000")
	c.fails(`s.fs.read_file("../n.txt")`, "inside the project")
	c.fails("s.nothing", "fs", "edit", "lsp", "mem", "shell")
	c.fails("s.fs.nothing()", "read_file", "list_dir", "search_for_pattern")
	if a := c.cell("s.vars()"); !strings.Contains(a.last(), "x: int = 20") || !strings.Contains(a.last(), "f: function") {
		t.Errorf("vars: %q", a.last())
	}
	c.gives("s.clear() and None", "")
	c.fails("x", "NameError")
	if a := c.cell(`s.info("edit")`); !strings.Contains(a.last(), "edit.replace_content(") || !strings.Contains(a.last(), "edit.replace_symbol_body(") {
		t.Errorf("info: %q", a.last())
	}
}

func TestACellAtItsDeadline(t *testing.T) {
	t.Parallel()
	project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "repl_cell_timeout: 1\n"})
	c := start(t, project)
	c.gives("x = 20", "")
	c.fails("while True: pass", "TimeoutError", "1 s", "repl_cell_timeout")
	c.gives("x", "20")
	c.fails("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", "TimeoutError", "did not stop", "lost")
	c.gives("1+1", "2")
}

func TestAReadOnlyProject(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{"true": "true", "what is neither true nor false": "yes please"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "read_only: " + value + "\n"})
			c := start(t, project)
			c.gives(`s.fs.read_file("n.txt").lines[0]`, "1")
			c.fails(`s.edit.replace_content("n.txt", "1", "9", "literal")`, "read-only")
			c.fails(`s.shell.execute_shell_command("echo 9 > n.txt")`, "read-only")
			c.fails(`s.mem.write_memory("note", "bad")`, "read-only")
			if a := c.cell(`s.info("edit")`); strings.Contains(a.last(), "replace_content(") {
				t.Errorf("info lists what is refused: %q", a.last())
			}
			if data, err := os.ReadFile(filepath.Join(project, "n.txt")); err != nil || string(data) != "1\n" {
				t.Errorf("n.txt is %q, %v", data, err)
			}
		})
	}
}

// TestTheRuntimeIsUnpackedAgain takes the unpacked runtime out of the Serena home while the server runs.
func TestTheRuntimeIsUnpackedAgain(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	c.gives("1+1", "2")
	if err := os.Rename(filepath.Join(c.home, "runtime"), filepath.Join(c.home, "away")); err != nil { // at once: a spare may be writing there
		t.Fatal(err)
	}
	for _, session := range []string{"b", "c", "d"} { // more than there are spares
		c.session = session
		c.gives("2+2", "4")
	}
}
