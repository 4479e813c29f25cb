package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// startTools launches the server in the classic interface, which is the default, and initializes it.
func startTools(t *testing.T, project string, options ...option) *client {
	t.Helper()
	return start(t, project, append(options, withInterface(""))...)
}

// toolDecl is a tool as it is listed.
type toolDecl struct {
	Name        string
	Description string
	InputSchema struct {
		Type       string
		Properties map[string]json.RawMessage
		Required   []string
	}
	Annotations struct {
		Title                         string
		ReadOnlyHint, DestructiveHint *bool
	}
}

func (c *client) tools() []toolDecl {
	c.t.Helper()
	var list struct{ Tools []toolDecl }
	if err := json.Unmarshal(c.must("tools/list", map[string]any{}), &list); err != nil {
		c.t.Fatal(err)
	}
	return list.Tools
}

func (c *client) toolNames() []string {
	c.t.Helper()
	var names []string
	for _, tool := range c.tools() {
		names = append(names, tool.Name)
	}
	return names
}

// answers calls a tool that must give this text.
func (c *client) answers(tool string, args map[string]any, want string) {
	c.t.Helper()
	if a := c.call(tool, args); a.IsError || len(a.Content) != 1 || a.last() != want {
		c.t.Errorf("%s %v\n got %q (error %t)\nwant %q", tool, args, a.last(), a.IsError, want)
	}
}

// refuses calls a tool that must fail with a text that begins so and says all of this.
func (c *client) refuses(tool string, args map[string]any, begins string, says ...string) {
	c.t.Helper()
	a := c.call(tool, args)
	if !a.IsError || !strings.HasPrefix(a.last(), begins) {
		c.t.Errorf("%s %v: %q (error %t), want an error %q…", tool, args, a.last(), a.IsError, begins)
	}
	for _, s := range says {
		if !strings.Contains(a.last(), s) {
			c.t.Errorf("%s %v\ndoes not say %q: %q", tool, args, s, a.last())
		}
	}
}

type arguments = map[string]any

// classicCalls is a call of every tool of the built-in plugins, in an order that makes sense, and the same call as a cell. Both must
// give the same text.
var classicCalls = []struct {
	tool string
	args arguments
	cell string
	want string // empty: what the cell gives
}{
	{"read_file", arguments{"relative_path": "notes.txt"}, `s.fs.read_file("notes.txt")`, "one\ntwo\nthree\n"},
	{"read_file", arguments{"relative_path": "notes.txt", "start_line": 1, "end_line": 1}, `s.fs.read_file("notes.txt", 1, 1)`, ""},
	{"read_file", arguments{"relative_path": "notes.txt", "max_answer_chars": 3}, `s.fs.read_file("notes.txt", max_answer_chars=3)`, ""},
	{"list_dir", arguments{"relative_path": ".", "recursive": true}, `s.fs.list_dir(".", True)`,
		`{"dirs": ["box"], "files": ["box/box.go", "box/use.go", "go.mod", "notes.txt"]}`},
	{"find_file", arguments{"file_mask": "*.go", "relative_path": "."}, `s.fs.find_file("*.go", ".")`, ""},
	{"search_for_pattern", arguments{"substring_pattern": "^t[hw]", "context_lines_before": 1}, `s.fs.search_for_pattern("^t[hw]", context_lines_before=1)`, ""},
	{"get_symbols_overview", arguments{"relative_path": "box/box.go"}, `s.lsp.get_symbols_overview("box/box.go")`, ""},
	{"find_symbol", arguments{"name_path_pattern": "Basket/Add", "include_body": true}, `s.lsp.find_symbol("Basket/Add", include_body=True)`, ""},
	{"find_symbol", arguments{"name_path": "Basket", "depth": 1, "include_info": true}, `s.lsp.find_symbol("Basket", depth=1, include_info=True)`, ""},
	{"find_referencing_symbols", arguments{"name_path": "Basket/Add", "relative_path": "box/box.go"}, `s.lsp.find_referencing_symbols("Basket/Add", "box/box.go")`, ""},
	{"replace_content", arguments{"relative_path": "notes.txt", "needle": "two", "repl": "zwei", "mode": "literal"}, `s.edit.replace_content("notes.txt", "two", "zwei", "literal")`, "OK"},
	{"replace_in_files", arguments{"needle": "zwei", "repl": "deux", "mode": "literal", "dry_run": true}, `s.edit.replace_in_files("zwei", "deux", "literal", dry_run=True)`, ""},
	{"replace_in_files", arguments{"needle": "zwei", "repl": "deux", "mode": "literal"}, `s.edit.replace_in_files("zwei", "deux", "literal")`, ""},
	{"replace_symbol_body", arguments{"name_path": "Sum", "relative_path": "box/box.go", "body": "func Sum(b Basket) int { return b.n + 0 }"},
		`s.edit.replace_symbol_body("Sum", "box/box.go", "func Sum(b Basket) int { return b.n + 0 }")`, "OK"},
	{"find_symbol", arguments{"name_path_pattern": "Sum", "include_body": true}, `s.lsp.find_symbol("Sum", include_body=True)`, ""},
	{"create_text_file", arguments{"relative_path": "new/lines.txt", "content": "a\nb\nc\n"}, `s.fs.create_text_file("new/lines.txt", "a\nb\nc\n")`, ""},
	{"insert_at_line", arguments{"relative_path": "new/lines.txt", "line": 1, "content": "x"}, `s.edit.insert_at_line("new/lines.txt", 1, "x")`, ""},
	{"replace_lines", arguments{"relative_path": "new/lines.txt", "start_line": 0, "end_line": 0, "content": "A"}, `s.edit.replace_lines("new/lines.txt", 0, 0, "A")`, ""},
	{"delete_lines", arguments{"relative_path": "new/lines.txt", "start_line": 2, "end_line": 3}, `s.edit.delete_lines("new/lines.txt", 2, 3)`, ""},
	{"read_file", arguments{"relative_path": "new/lines.txt"}, `s.fs.read_file("new/lines.txt")`, "A\nx\n"},
	{"write_memory", arguments{"memory_name": "a/note", "content": "# Note\nold\n"}, `s.mem.write_memory("a/note", "# Note\nold\n")`, ""},
	{"list_memories", arguments{}, `s.mem.list_memories()`, ""},
	{"edit_memory", arguments{"memory_name": "a/note", "needle": "old", "repl": "new", "mode": "literal"}, `s.mem.edit_memory("a/note", "old", "new", "literal")`, ""},
	{"rename_memory", arguments{"old_name": "a/note", "new_name": "b/note"}, `s.mem.rename_memory("a/note", "b/note")`, ""},
	{"read_memory", arguments{"memory_name": "b/note"}, `s.mem.read_memory("b/note")`, "# Note\nnew\n"},
	{"delete_memory", arguments{"memory_name": "b/note"}, `s.mem.delete_memory("b/note")`, ""},
	{"onboarding", arguments{}, `s.mem.onboarding()`, ""},
	{"execute_shell_command", arguments{"command": "printf out; printf err >&2; exit 3"}, `s.shell.execute_shell_command("printf out; printf err >&2; exit 3")`, ""},
}

// everyTool is a configuration that includes what is optional: its tools and its methods.
const everyTool = "base_modes: []\nincluded_optional_tools: [delete_lines, replace_lines, insert_at_line]\nincluded_apis: [edit.delete_lines, edit.replace_lines, edit.insert_at_line]\n"

// TestEveryClassicToolAnswersAsACell drives every tool of the built-in plugins where there is no Python, and compares each answer with what
// a cell shows of the same call, byte for byte.
func TestEveryClassicToolAnswersAsACell(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	linkPrograms(t, bin, "go", "git", "sh", "printf")
	homes := []string{t.TempDir(), t.TempDir()}
	for _, home := range homes {
		if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte(everyTool), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	projects := []string{newProject(t), newProject(t)}
	tools := startTools(t, projects[0], withHome(homes[0]), withEnv("PATH="+bin+string(os.PathListSeparator)+goplsDir, "SERENA_PYTHON=", "PYTHON="))
	cells := start(t, projects[1], withHome(homes[1]))
	listed := tools.toolNames()
	called := []string{"initial_instructions", "activate_project"}
	for _, c := range classicCalls {
		called = append(called, c.tool)
		got, cell := tools.call(c.tool, c.args), cells.cell(c.cell)
		text, shown := strings.ReplaceAll(got.last(), projects[0], "ROOT"), strings.ReplaceAll(cell.last(), projects[1], "ROOT")
		if got.IsError || cell.IsError || text != shown {
			t.Errorf("%s %v\nanswers %q (error %t)\na cell: %q (error %t)", c.tool, c.args, text, got.IsError, shown, cell.IsError)
		}
		if c.want != "" && text != c.want {
			t.Errorf("%s %v\nanswers %q\nwant    %q", c.tool, c.args, text, c.want)
		}
	}
	slices.Sort(called)
	slices.Sort(listed)
	if called = slices.Compact(called); !slices.Equal(called, listed) {
		t.Errorf("called %v\nlisted %v", called, listed)
	}
	for _, pid := range descendants(tools.cmd.Process.Pid) {
		if strings.Contains(commandLine(pid), "python") {
			t.Errorf("a Python runs: %s", commandLine(pid))
		}
	}
}

// TestClassicToolsAreDeclared looks at the declarations as a client gets them.
func TestClassicToolsAreDeclared(t *testing.T) {
	t.Parallel()
	c := startTools(t, newProject(t))
	edits := regexp.MustCompile(`^(replace|write|edit|rename|delete|create|insert|execute|safe_delete)_`)
	for _, tool := range c.tools() {
		wantReadOnly := !edits.MatchString(tool.Name)
		if a := tool.Annotations; a.ReadOnlyHint == nil || *a.ReadOnlyHint != wantReadOnly || a.DestructiveHint == nil || *a.DestructiveHint == wantReadOnly {
			t.Errorf("%s: annotations %+v", tool.Name, a)
		}
		if len(tool.Description) < 40 || tool.InputSchema.Type != "object" {
			t.Errorf("%s: description %q, schema %+v", tool.Name, tool.Description, tool.InputSchema)
		}
		for name, property := range tool.InputSchema.Properties {
			if !strings.Contains(string(property), `"description"`) {
				t.Errorf("%s: %s is not described: %s", tool.Name, name, property)
			}
		}
		switch tool.Name {
		case "find_symbol":
			if tool.Annotations.Title != "Find Symbol" || !slices.Equal(tool.InputSchema.Required, []string{"name_path_pattern"}) {
				t.Errorf("find_symbol: %+v", tool)
			}
			if _, shown := tool.InputSchema.Properties["name_path"]; shown {
				t.Error("an alias is listed")
			}
		case "replace_content":
			if got := string(tool.InputSchema.Properties["mode"]); !strings.Contains(got, `"enum":["literal","regex"]`) {
				t.Errorf("mode: %s", got)
			}
			if got := string(tool.InputSchema.Properties["allow_multiple_occurrences"]); !strings.Contains(got, `"default":false`) {
				t.Errorf("allow_multiple_occurrences: %s", got)
			}
		case "read_file":
			if got := string(tool.InputSchema.Properties["end_line"]); !strings.Contains(got, `"anyOf":[{"type":"integer"},{"type":"null"}]`) {
				t.Errorf("end_line: %s", got)
			}
		case "activate_project":
			if len(tool.InputSchema.Properties) != 1 {
				t.Errorf("activate_project: %+v", tool)
			}
		}
	}
}

// TestClassicRefusals: what goes wrong is an error that says what to do; a listing to choose from is an answer.
func TestClassicRefusals(t *testing.T) {
	t.Parallel()
	c := startTools(t, newProject(t))
	c.refuses("read_file", arguments{"relative_path": "no.txt"}, "FileNotFoundError: ", "no.txt")
	c.refuses("read_file", arguments{"relative_path": "../notes.txt"}, "PermissionError: ", "inside the project")
	c.refuses("read_file", arguments{"relative_pat": "notes.txt"}, `TypeError: read_file has no parameter "relative_pat"; did you mean "relative_path"?`, "signature: read_file(relative_path: str, ")
	c.refuses("read_file", arguments{}, "TypeError: read_file: argument relative_path is missing")
	c.refuses("replace_content", arguments{"relative_path": "notes.txt", "needle": "a", "repl": "b", "mode": "fuzzy"}, "ValueError: replace_content: argument mode must be Literal[")
	c.refuses("activate_project", arguments{"project": ""}, "ValueError: activate_project: project is empty")
	c.refuses("activate_project", arguments{"project": filepath.Join(t.TempDir(), "none")}, "FileNotFoundError: ")
	c.answers("read_file", arguments{"relative_path": "notes.txt", "start_line": "1", "end_line": "1.0", "max_answer_chars": nil}, "two\n")
	if a := c.call("replace_in_files", arguments{"needle": "o", "repl": "0", "mode": "literal", "expected_count": 99}); a.IsError || !strings.Contains(a.last(), "[notes.txt:0:0@") {
		t.Errorf("a wrong count: %q (error %t)", a.last(), a.IsError)
	}
	c.answers("read_file", arguments{"relative_path": "notes.txt"}, "one\ntwo\nthree\n")
	if a := c.call("find_symbol", arguments{"name_path_pattern": "a", "substring_matching": true, "max_matches": 0}); a.IsError || !strings.Contains(a.last(), "symbols match, more than max_matches=0") {
		t.Errorf("too many symbols: %q (error %t)", a.last(), a.IsError)
	}
}

func TestClassicWithoutAProject(t *testing.T) {
	t.Parallel()
	project := newProject(t)
	c := startTools(t, "")
	c.refuses("read_file", arguments{"relative_path": "notes.txt"}, "RuntimeError: no project is active", "activate_project")
	if a := c.call("initial_instructions", arguments{}); a.IsError || !strings.HasPrefix(a.last(), "No project is active yet.") || strings.Contains(a.last(), "session") {
		t.Errorf("instructions: %q", a.last())
	}
	c.answers("activate_project", arguments{"project": project, "session_id": "anything"}, fmt.Sprintf("Active project: %s (%s)", filepath.Base(project), project))
	c.answers("read_file", arguments{"relative_path": "notes.txt"}, "one\ntwo\nthree\n")
}

// TestClassicWithAProjectThatIsNotThere: the list is there, and every call says what is wrong until a project is activated.
func TestClassicWithAProjectThatIsNotThere(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none")
	c := startTools(t, missing)
	var hello struct{ Instructions string }
	decode(t, c.hello, &hello)
	if !strings.Contains(hello.Instructions, "No project is active: there is no folder "+missing) {
		t.Errorf("instructions: %q", hello.Instructions)
	}
	c.refuses("read_file", arguments{"relative_path": "notes.txt"}, "FileNotFoundError: there is no folder "+missing)
	if a := c.call("activate_project", arguments{"project": newProject(t)}); a.IsError {
		t.Errorf("activation: %q", a.last())
	}
	c.answers("read_file", arguments{"relative_path": "notes.txt"}, "one\ntwo\nthree\n")
}

// TestAReadOnlyProjectHasNoEditingTools: the list is what can be called, and the call of another tool says why.
func TestAReadOnlyProjectHasNoEditingTools(t *testing.T) {
	t.Parallel()
	other := newProject(t)
	project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "read_only: true\n"})
	c := startTools(t, project)
	for _, tool := range c.tools() {
		if !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is listed", tool.Name)
		}
	}
	c.refuses("replace_content", arguments{"relative_path": "n.txt", "needle": "1", "repl": "9", "mode": "literal"}, "PermissionError: replace_content is refused: the project is read-only")
	c.answers("read_file", arguments{"relative_path": "n.txt"}, "1\n")
	if a := c.call("activate_project", arguments{"project": other}); a.IsError || !strings.Contains(a.last(), "the list was made without them") || !strings.Contains(a.last(), "replace_content") {
		t.Errorf("activation: %q", a.last())
	}
	c.answers("replace_content", arguments{"relative_path": "notes.txt", "needle": "one", "repl": "1", "mode": "literal"}, "OK")
	if a := c.call("activate_project", arguments{"project": project}); a.IsError || !strings.Contains(a.last(), "read-only") {
		t.Errorf("activation: %q", a.last())
	}
}
