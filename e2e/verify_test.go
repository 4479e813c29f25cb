//go:build verify

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const nats = "github.com/nats-io/nats-server/v2@v2.11.0"

// TestVerify does the main job on a real code base of more than 300,000 lines and compares with the bare gopls and grep.
func TestVerify(t *testing.T) {
	root := copyModule(t, nats)
	if n := countLines(t, root); n < 300_000 {
		t.Fatalf("%d lines of Go: not the code base that is meant", n)
	}
	c := start(t, root)
	timed := func(what string, f func()) {
		begin := time.Now()
		f()
		t.Logf("%s: %s", what, time.Since(begin).Round(time.Millisecond))
	}

	var want, got []string
	timed("bare gopls symbols of server/client.go", func() { want = bareSymbol(t, root, "server/client.go", "processInboundClientMsg") })
	timed("serena find_symbol, cold, whole project", func() {
		got = c.lines(`[f"{x.relative_path}:{x.line}:{x.column}" for x in s.lsp.find_symbol("client/processInboundClientMsg")]`)
	})
	same(t, "find_symbol", got, want)

	timed("bare gopls references", func() { want = bareReferences(t, root, got[0]) })
	timed("serena find_referencing_symbols", func() {
		got = c.lines(`[f"{r.relative_path}:{r.line}:{r.column}" for r in s.lsp.find_referencing_symbols("client/processInboundClientMsg", "server/client.go")]`)
	})
	same(t, "find_referencing_symbols of a method", got, want)

	definition := c.lines(`[f"{x.relative_path}:{x.line}:{x.column}" for x in s.lsp.find_symbol("/Account", relative_path="server/accounts.go")]`)
	if len(definition) != 1 {
		t.Fatalf("Account: %q", definition)
	}
	want = bareReferences(t, root, definition[0])
	timed(fmt.Sprintf("serena find_referencing_symbols, %d references", len(want)), func() {
		got = c.lines(`[f"{r.relative_path}:{r.line}:{r.column}" for r in s.lsp.find_referencing_symbols("/Account", "server/accounts.go")]`)
	})
	same(t, "find_referencing_symbols of a type", got, want)

	for _, pattern := range []string{`processInboundClientMsg`, `func \(c \*client\) [a-z]+Msg\(`, `(Errorf|Fatalf)\(.*%[vs]`} {
		timed("grep "+pattern, func() { want = grep(t, root, pattern) })
		timed("serena search_for_pattern "+pattern, func() {
			got = c.lines(fmt.Sprintf(`[f"{m.source_file_path}:{l.line_number}" for m in s.fs.search_for_pattern(%q, multiline=False).matches for l in m.matched_lines]`, pattern))
		})
		same(t, "search_for_pattern "+pattern, got, want)
	}
}

// lines runs an expression that is a list of texts; they come by a file, since an answer is bounded.
func (c *client) lines(code string) []string {
	c.t.Helper()
	path := filepath.Join(c.home, "lines.json")
	a := c.cell(fmt.Sprintf("import json, pathlib\npathlib.Path(%q).write_text(json.dumps(%s))", path, code))
	if a.IsError {
		c.t.Fatalf("%s: %.2000q", code, a.last())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	var lines []string
	if err := json.Unmarshal(data, &lines); err != nil {
		c.t.Fatal(err)
	}
	return lines
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if len(want) == 0 {
		t.Errorf("%s: there is nothing to compare with", what)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: %d found, %d expected\nonly found: %.10q\nonly expected: %.10q", what, len(got), len(want), minus(got, want), minus(want, got))
		return
	}
	t.Logf("%s: %d, the same as the bare tool", what, len(got))
}

func minus(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

func copyModule(t *testing.T, module string) string {
	t.Helper()
	out := run(t, "", "go", "mod", "download", "-json", module)
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(root, os.DirFS(info.Dir)); err != nil {
		t.Fatal(err)
	}
	return root
}

func countLines(t *testing.T, root string) int {
	t.Helper()
	return bytes.Count(run(t, root, "sh", "-c", "find . -name '*.go' -exec cat {} +"), []byte("\n"))
}

func run(t *testing.T, dir, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return out
}

// bareSymbol finds a symbol whose name ends in name by `gopls symbols`, which prints "NAME KIND LINE:COL-LINE:COL", 1-based.
func bareSymbol(t *testing.T, root, file, name string) []string {
	t.Helper()
	var found []string
	for line := range strings.Lines(string(run(t, root, filepath.Join(goplsDir, "gopls"), "symbols", file))) {
		f := strings.Fields(line)
		if len(f) >= 3 && strings.HasSuffix(f[0], "."+name) {
			found = append(found, position(t, root, file, f[len(f)-1]))
		}
	}
	return found
}

// bareReferences asks `gopls references` (which leaves the declaration out) for a 0-based position, and answers 0-based ones.
func bareReferences(t *testing.T, root, at string) []string {
	t.Helper()
	parts := strings.Split(at, ":")
	line, _ := strconv.Atoi(parts[1])
	column, _ := strconv.Atoi(parts[2])
	var found []string
	out := run(t, root, filepath.Join(goplsDir, "gopls"), "references", fmt.Sprintf("%s:%d:%d", parts[0], line+1, column+1))
	for line := range strings.Lines(string(out)) {
		file, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		rel, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, position(t, root, rel, rest))
	}
	return found
}

// position turns gopls's LINE:COL-COL (1-based, columns in bytes) into PATH:LINE:COL (0-based, columns in code points).
func position(t *testing.T, root, file, span string) string {
	t.Helper()
	m := regexp.MustCompile(`^(\d+):(\d+)`).FindStringSubmatch(span)
	if m == nil {
		t.Fatalf("not a position: %q", span)
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	data, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Split(string(data), "\n")[line-1]
	return fmt.Sprintf("%s:%d:%d", file, line-1, len([]rune(text[:column-1])))
}

// grep answers 0-based lines, in all files that are neither binary nor ignored (the module ships no .git).
func grep(t *testing.T, root, pattern string) []string {
	t.Helper()
	var found []string
	lines := bufio.NewScanner(bytes.NewReader(run(t, root, "grep", "-rnIE", pattern, ".")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		parts := strings.SplitN(lines.Text(), ":", 3)
		n, err := strconv.Atoi(parts[1])
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%s:%d", strings.TrimPrefix(parts[0], "./"), n-1))
	}
	return found
}
