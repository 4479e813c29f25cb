package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestToolListComesBeforeAnyChild asks for the tools before notifications/initialized, on an empty home, and proves by
// /proc that the server had no child, dead or alive.
func TestToolListComesBeforeAnyChild(t *testing.T) {
	t.Parallel()
	c := launch(t, newProject(t))
	c.initialize()
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"inputSchema"`
			Annotations map[string]any  `json:"annotations"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(c.must("tools/list", map[string]any{}), &list); err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(c.cmd.Process.Pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	// After "(comm)": state is field 3, cminflt (page faults of children that were waited for) field 11.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if fields[8] != "0" {
		t.Errorf("a child ran before the tool list was answered: its page faults are %s", fields[8])
	}
	if kids := descendants(c.cmd.Process.Pid); len(kids) > 0 {
		t.Errorf("children before the tool list was answered: %v", kids)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if len(tool.Annotations) < 4 {
			t.Errorf("%s: not all four hints are set: %v", tool.Name, tool.Annotations)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "activate_project initial_instructions serena_repl" {
		t.Errorf("tools: %s", got)
	}
}

func TestUnknownProjectIsSaidInTheInstructionsAndInEveryCall(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "nowhere")
	c := launch(t, missing)
	var init struct {
		Instructions string `json:"instructions"`
	}
	if err := json.Unmarshal(c.initialize(), &init); err != nil {
		t.Fatal(err)
	}
	c.notify("notifications/initialized", map[string]any{})
	for _, want := range []string{missing, "activate_project"} {
		if !strings.Contains(init.Instructions, want) {
			t.Errorf("the instructions do not say %q: %q", want, init.Instructions)
		}
	}
	c.fails(`s.fs.read_file("notes.txt")`, missing)
	c.fails(`s.shell.execute_shell_command("true")`, missing)
	c.gives("1+1", "2")
	if a := c.call("initial_instructions", nil); !strings.Contains(a.last(), missing) {
		t.Errorf("initial_instructions: %q", a.last())
	}
	if a := c.call("activate_project", map[string]any{"project": newProject(t)}); a.IsError {
		t.Fatalf("activate_project: %q", a.last())
	}
	c.gives(`s.fs.read_file("notes.txt").lines[2]`, "three")
}

// TestProjectsBelongToSessions moves one session and then the connection.
func TestProjectsBelongToSessions(t *testing.T) {
	t.Parallel()
	one, two := makeProject(t, map[string]string{"a.txt": "one\n"}), makeProject(t, map[string]string{"a.txt": "two\n"})
	c := start(t, one)
	read := func(session, want string) {
		t.Helper()
		c.session = session
		c.gives(`s.fs.read_file("a.txt").text`, want)
		c.gives(`open("a.txt").read()`, want) // the runtime moves too
	}
	read("x", "one\n")
	read("y", "one\n")
	if a := c.call("activate_project", map[string]any{"project": two, "session_id": "x"}); a.IsError || !strings.Contains(a.last(), two) {
		t.Fatalf("activate_project: %q", a.last())
	}
	read("x", "two\n")
	read("y", "one\n")
	if a := c.call("activate_project", map[string]any{"project": two}); a.IsError {
		t.Fatalf("activate_project: %q", a.last())
	}
	read("y", "two\n")
	if a := c.call("activate_project", map[string]any{"project": one}); a.IsError {
		t.Fatalf("activate_project: %q", a.last())
	}
	read("x", "two\n")
	read("y", "one\n")
	if a := c.call("activate_project", map[string]any{"project": filepath.Join(one, "a.txt")}); !a.IsError || !strings.Contains(a.last(), "NotADirectoryError") {
		t.Errorf("a file as a project: %q", a.last())
	}
}
