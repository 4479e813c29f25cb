package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bomb is aliases within aliases: nine of each, n levels.
func bomb(n int, last string) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	return b.String() + fmt.Sprintf(last, n-1)
}

// TestWhatNoConfigurationHas: files that would take the parser gigabytes and minutes are refused at once.
func TestWhatNoConfigurationHas(t *testing.T) {
	t.Parallel()
	keys := strings.Builder{}
	for i := range 60_000 {
		fmt.Fprintf(&keys, "k%d: 1\n", i)
	}
	for name, c := range map[string]struct{ text, says string }{
		"lists":            {"excluded_tools: " + strings.Repeat("[", 400_000), "it has more than 50000 names, values and signs"},
		"fewer lists":      {"excluded_tools: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "line 1 has more than 100 lists or mappings within each other"},
		"mappings":         {"plugins:\n  x: " + strings.Repeat("{a: ", 10_000), "line 2 has more than 100 lists"},
		"lines of lists":   {"x: " + strings.Repeat("[\n", 10_000), "line 101 has more than 100 lists"},
		"entries":          {"excluded_tools:\n" + strings.Repeat("- ", 20_000) + "x\n", "line 2 has more than 100 lists"},
		"keys that are":    {strings.Repeat("? ", 20_000), "line 1 has more than 100 lists"},
		"keys":             {keys.String(), "it has more than 50000"},
		"bytes":            {"# " + strings.Repeat("x", 1<<20), "it has more than 1048576 bytes"},
		"aliases":          {bomb(12, "excluded_tools: *a%d\n"), "its aliases unfold to too much"},
		"aliases of keys":  {bomb(12, "plugins: {x: {y: *a%d}}\n"), "its aliases unfold to too much"},
		"one long text":    {"a: &a " + strings.Repeat("x", 400_000) + "\nb: [" + strings.Repeat("*a,", 10_000) + "]\n", "its aliases unfold to too much"},
		"100 in a list":    {"b: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n", ""},
		"many in a list":   {"b:\n" + strings.Repeat("- [[x], {a: {b: [x]}}]\n", 1000), ""},
		"a long list":      {"b: [" + strings.Repeat("x,", 20_000) + "]\n", ""},
		"aliases in use":   {"a: &a [x, y]\nb: [*a, *a]\nc: {<<: {d: *a}}\n", ""},
		"an alias to self": {"a: &a [*a]\n", ""},
	} {
		file := filepath.Join(t.TempDir(), "project.yml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err := ReadDocument(file)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %q", name, err, c.says)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// TestManyMistakesAreToldInShort: notes are read by people and models, however much is wrong.
func TestManyMistakesAreToldInShort(t *testing.T) {
	t.Parallel()
	var keys strings.Builder
	for i := range 30 {
		fmt.Fprintf(&keys, "wrong_%d: 1\n", i)
	}
	keys.WriteString(strings.Repeat("é", 500) + ": 1\n")
	doc := &Document{File: "/p.yml"}
	if err := doc.parse([]byte(keys.String())); err != nil {
		t.Fatal(err)
	}
	notes := doc.UnknownKeys([]string{"right"})
	if len(notes) != 11 || !strings.HasPrefix(notes[9], `/p.yml, line 10: nobody knows the key "wrong_9"`) || notes[10] != "/p.yml: nobody knows 21 more keys" {
		t.Errorf("%q", notes)
	}
	doc = &Document{File: "/p.yml"}
	if err := doc.parse([]byte(strings.Repeat("é", 500) + ": [" + strings.Repeat("7, ", 30) + "[" + strings.Repeat("8, ", 90) + "]]\n")); err != nil {
		t.Fatal(err)
	}
	if notes := doc.UnknownKeys(nil); len(notes) != 1 || len([]rune(notes[0])) > 200 || !strings.Contains(notes[0], "… (500 characters), so it has no effect") {
		t.Errorf("a long key: %q", notes)
	}
	value, _ := doc.Value(strings.Repeat("é", 500))
	value.Key = "k"
	if _, err := value.Texts(); err == nil || !strings.Contains(err.Error(), "k: 7, 7, 7, 7, 7, 7, 7, 7, 7, 7 and 21 more is left out") {
		t.Errorf("entries: %v", err)
	}
	c := &Config{Modes: Modes{}}
	for i := range 300 {
		c.Modes.Default = append(c.Modes.Default, "planning", fmt.Sprint(i))
	}
	if modes := c.activeModes(nil); len(modes) != 100 || modes[0].name != "planning" || modes[2].name != "1" {
		t.Errorf("%d modes: %v", len(modes), modes[:3])
	}
}
