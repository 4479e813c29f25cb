package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// startTrial launches the classic interface with a third party's plugin whose declarations are known.
func startTrial(t *testing.T, project string, options ...option) *client {
	t.Helper()
	home := t.TempDir()
	installTrial(t, home)
	first := startTools(t, project, withHome(home)) // asks the plugin
	until(t, "the plugin's tools", func() bool { return slices.Contains(first.toolNames(), "trial_shapes") })
	return startTools(t, project, append(options, withHome(home))...)
}

// TestAThirdPartysToolsComeLater: a plugin that nobody has asked yet changes the list once, and says so; the next start knows it at once.
func TestAThirdPartysToolsComeLater(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	installTrial(t, home)
	project := newProject(t)
	first := startTools(t, project, withHome(home))
	before := first.toolNames()
	if slices.Contains(before, "trial_shapes") {
		t.Fatal("the plugin was asked before the first list")
	}
	if a := first.call("initial_instructions", arguments{}); !strings.Contains(a.last(), "Note: method trial.pretend of plugin trial cannot be the tool") || strings.Contains(a.last(), "the list was made without") {
		t.Errorf("the first instructions do not wait for the plugin and its place in the list: %q", a.last())
	}
	changes := func(c *client) int {
		c.mu.Lock()
		defer c.mu.Unlock()
		n := 0
		for _, m := range c.told {
			if m.Method == "notifications/tools/list_changed" {
				n++
			}
		}
		return n
	}
	until(t, "the change of the list", func() bool { return changes(first) == 1 })
	after := first.toolNames()
	if want := append(slices.Clone(before), "trial_shapes", "trial_names", "trial_marks", "trial_counts", "trial_none", "trial_long", "trial_listing", "trial_wait", "trial_append"); !slices.Equal(after, want) {
		t.Errorf("the list is now %v, want %v", after, want)
	}
	second := startTools(t, project, withHome(home))
	if got := second.toolNames(); !slices.Equal(got, after) {
		t.Errorf("the next start lists %v", got)
	}
	a := second.call("initial_instructions", arguments{})
	for _, note := range []string{
		"Note: method trial.steal of plugin trial cannot be the tool read_file, which is method fs.read_file of plugin fs: the first stands, so it has no tool",
		"Note: method trial.pretend of plugin trial cannot be the tool activate_project, which is serena's own: it has no tool",
	} {
		if !strings.Contains(a.last(), note) {
			t.Errorf("no %q in %q", note, a.last())
		}
	}
	second.answers("read_file", arguments{"relative_path": "notes.txt"}, "one\ntwo\nthree\n")
	second.refuses("trial_extra", arguments{}, "PermissionError: trial_extra is not enabled here: it is optional")
	if n := changes(second); n != 0 {
		t.Errorf("the list changed %d times", n)
	}
}

// TestTextAsArguments: JSON text where a list, number, bool or dict is meant is accepted; where text is meant it stays text.
func TestTextAsArguments(t *testing.T) {
	t.Parallel()
	c := startTrial(t, newProject(t))
	shows := func(text string, number int, part float64, flag bool, names, counts, maybe string) string {
		return fmt.Sprintf("{Text:%s Number:%d Part:%v Flag:%t Names:%s Counts:%s Maybe:%s Level:2 Limited:150000}", text, number, part, flag, names, counts, maybe)
	}
	for name, a := range map[string]struct {
		args arguments
		want string
	}{
		"as they are":  {arguments{"text": "[1]", "number": 7, "part": 2.5, "flag": true, "names": []string{"a"}, "counts": map[string]int{"k": 1}, "level": 2}, shows("[1]", 7, 2.5, true, "[a]", "map[k:1]", "<nil>")},
		"all as text":  {arguments{"text": "true", "number": "7", "part": "2.5", "flag": "true", "names": `["a"]`, "counts": `{"k":1}`, "level": "2"}, shows("true", 7, 2.5, true, "[a]", "map[k:1]", "<nil>")},
		"floats, null": {arguments{"text": "5", "number": 7.0, "part": 2, "flag": "False", "names": "[]", "counts": nil, "maybe": "null", "level": 2.0, "max_answer_chars": nil}, shows("5", 7, 2, false, "[]", "map[]", "<nil>")},
		"an alias":     {arguments{"words": `{"a": 1}`, "level": 2}, shows(`{"a": 1}`, 0, 0.5, false, "[]", "map[]", "<nil>")},
	} {
		if got := c.call("trial_shapes", a.args); got.IsError || got.last() != a.want {
			t.Errorf("%s: %q (error %t), want %q", name, got.last(), got.IsError, a.want)
		}
	}
	if got := c.result(c.must("tools/call", map[string]any{"name": "trial_shapes", "arguments": `{"text": "x", "level": 2}`})); got.IsError || got.last() != shows("x", 0, 0.5, false, "[]", "map[]", "<nil>") {
		t.Errorf("all arguments as one text: %+v", got)
	}
	c.refuses("trial_shapes", arguments{"text": 5}, "TypeError: trial_shapes: argument text must be str, not an int (5)")
	c.refuses("trial_shapes", arguments{"text": "x", "number": "seven"}, "TypeError: trial_shapes: argument number must be int")
	c.refuses("trial_shapes", arguments{"text": "x", "number": "[7]"}, "TypeError: trial_shapes: argument number must be int")
	c.refuses("trial_shapes", arguments{"text": "x", "number": 1.5}, "TypeError: trial_shapes: argument number must be int")
}

// TestAnswersThatAreNoText: values are shown as a cell shows them, a listing error is an answer, a long text loses its middle.
func TestAnswersThatAreNoText(t *testing.T) {
	t.Parallel()
	project := newProject(t)
	c := startTrial(t, project)
	cells := start(t, project, withHome(c.home))
	for tool, want := range map[string]string{
		"names": "a\nit's", "marks": "<x>\n<y>", "counts": "{'a': 1, 'b': [None, True, 1.5, 'é']}",
	} {
		c.answers("trial_"+tool, arguments{}, want)
		cells.gives("s.trial."+tool+"()", want)
	}
	c.answers("trial_none", arguments{}, "None")
	c.answers("trial_listing", arguments{}, "two are meant:\na\nb")
	cells.fails("s.trial.listing()", "ValueError: two are meant:")
	long := c.call("trial_long", arguments{}).last()
	if want := strings.Repeat("x", 75_000); long != want+"\n[… 50000 of 200000 characters are left out here …]\n"+want {
		t.Errorf("a long answer has %d characters", len(long))
	}
}

// TestClassicCancelProgressAndTime: a call tells how far it is, ends when it is cancelled, and when its time is over.
func TestClassicCancelProgressAndTime(t *testing.T) {
	t.Parallel()
	project := newProject(t)
	c := startTrial(t, project, withEnv("SERENA_TOOL_TIMEOUT=10"))
	says := func(file, text string) func() bool {
		return func() bool { data, _ := os.ReadFile(file); return string(data) == text }
	}
	file := filepath.Join(t.TempDir(), "cancelled")
	id, ch := c.send("tools/call", map[string]any{"name": "trial_wait", "arguments": arguments{"file": file}, "_meta": map[string]any{"progressToken": "p"}})
	until(t, "the call", says(file, "begun"))
	until(t, "its progress", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return slices.ContainsFunc(c.told, func(m message) bool {
			var p struct{ ProgressToken, Message string }
			return m.Method == "notifications/progress" && json.Unmarshal(m.Params, &p) == nil && p.ProgressToken == "p" && p.Message == "waiting (1 of 4)"
		})
	})
	c.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "enough"})
	until(t, "the end of the cancelled call", says(file, "ended"))
	<-ch

	file = filepath.Join(t.TempDir(), "late")
	c.refuses("trial_wait", arguments{"file": file}, "TimeoutError: trial_wait was not done within 10 s and was stopped (tool_timeout in the configuration)")
	until(t, "the end of the late call", says(file, "ended"))
}

// TestCallsThatAreNoneHoldNothingUp: what is answered with a protocol error takes no place in the order.
func TestCallsThatAreNoneHoldNothingUp(t *testing.T) {
	t.Parallel()
	c := startTools(t, newProject(t))
	c.answers("read_file", arguments{"relative_path": "notes.txt"}, "one\ntwo\nthree\n")
	begun := time.Now()
	for range 20 {
		_, unknown := c.send("tools/call", map[string]any{"name": "no_such_tool", "arguments": arguments{}})
		_, broken := c.send("tools/call", 5)
		c.answers("read_file", arguments{"relative_path": "notes.txt"}, "one\ntwo\nthree\n")
		for _, ch := range []<-chan message{unknown, broken} {
			if _, err := await(ch); err == nil {
				t.Error("a call that is none was answered")
			}
		}
	}
	if took := time.Since(begun); took > 30*time.Second { // 80 s, if each held up the next for its limit
		t.Errorf("it took %v", took)
	}
}

// TestEditsRunInTheOrderOfTheirCalls sends many at once, long ones and short ones.
func TestEditsRunInTheOrderOfTheirCalls(t *testing.T) {
	t.Parallel()
	project := makeProject(t, map[string]string{"order.txt": ""})
	other := makeProject(t, map[string]string{"order.txt": "other"})
	c := startTrial(t, project)
	const letters = "abcdefghijklmnopqrstuvwxyz"
	var answers []<-chan message
	for i, letter := range letters {
		text := string(letter) + strings.Repeat("-", (i%3)*300_000)
		_, ch := c.send("tools/call", map[string]any{"name": "trial_append", "arguments": arguments{"text": text}})
		answers = append(answers, ch)
	}
	_, activated := c.send("tools/call", map[string]any{"name": "activate_project", "arguments": arguments{"project": other}})
	_, after := c.send("tools/call", map[string]any{"name": "read_file", "arguments": arguments{"relative_path": "order.txt"}})
	for i, ch := range append(answers, activated) {
		if m, err := await(ch); err != nil || c.result(m.Result).IsError {
			t.Errorf("%d: %v %s", i, err, m.Result)
		}
	}
	if m, err := await(after); err != nil || c.result(m.Result).last() != "other" {
		t.Errorf("a read after an activation: %v %s", err, m.Result)
	}
	if got, err := os.ReadFile(filepath.Join(project, "order.txt")); err != nil || string(got) != letters {
		t.Errorf("written in the order %q, %v", got, err)
	}
}
