package symbols_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/plugins/lsp/symbols"
)

func rng(l1, c1, l2, c2 int) protocol.Range {
	return protocol.Range{Start: protocol.Position{Line: l1, Character: c1}, End: protocol.Position{Line: l2, Character: c2}}
}

func sym(name string, kind int, whole, ident protocol.Range, children ...protocol.DocumentSymbol) protocol.DocumentSymbol {
	return protocol.DocumentSymbol{Name: name, Kind: kind, Range: whole, SelectionRange: &ident, Children: children}
}

// tree is a class C with two overloads of m and a field m2, and a function m beside it, given out of order.
func tree() *symbols.Tree {
	text := "def m():\n  pass\nclass C:\n  def m(a): 1\n  def m(b): 2\n  m2 = 3\n"
	return symbols.Build(lines.New(text), []protocol.DocumentSymbol{
		sym("C", 5, rng(2, 0, 5, 8), rng(2, 6, 2, 7),
			sym("m2", 8, rng(5, 2, 5, 8), rng(5, 2, 5, 4)),
			sym("m", 6, rng(3, 2, 3, 13), rng(3, 6, 3, 7)),
			sym("m", 6, rng(4, 2, 4, 13), rng(4, 6, 4, 7))),
		sym("m", 12, rng(0, 0, 1, 6), rng(0, 4, 0, 5)),
	}, nil)
}

func paths(nodes []*symbols.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.NamePath())
	}
	return strings.Join(out, " ")
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pattern   string
		substring bool
		want      string
	}{
		"simple name":            {"m", false, "m C/m[0] C/m[1]"},
		"absolute":               {"/m", false, "m"},
		"absolute path":          {"/C/m", false, "C/m[0] C/m[1]"},
		"suffix":                 {"C/m", false, "C/m[0] C/m[1]"},
		"overload":               {"C/m[1]", false, "C/m[1]"},
		"overload by its name":   {"m[0]", false, "C/m[0]"},
		"no such overload":       {"m[2]", false, ""},
		"unique name, index":     {"C[0]", false, ""},
		"substring":              {"m", true, "m C/m[0] C/m[1] C/m2"},
		"substring of last only": {"C/2", true, "C/m2"},
		"parent is exact":        {"/x/m", true, ""},
		"trailing slash":         {"C/", false, "C"},
		"longer than the path":   {"A/C/m2", false, ""},
		"case matters":           {"c", false, ""},
		"spaces are kept":        {" m", false, ""},
	} {
		p, err := symbols.ParsePattern(c.pattern, c.substring)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := paths(tree().Find(p)); got != c.want {
			t.Errorf("%s: %q finds %q, want %q", name, c.pattern, got, c.want)
		}
	}
}

func TestParsePattern_empty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "/", "//", "  "} {
		if _, err := symbols.ParsePattern(text, false); !errors.Is(err, symbols.ErrEmptyPattern) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// Every name path finds exactly its symbol again.
func TestNamePath_roundTrip(t *testing.T) {
	t.Parallel()
	tr := tree()
	for _, n := range tr.All() {
		p, err := symbols.ParsePattern(n.NamePath(), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := tr.Unique(p); !slices.Equal(got, []*symbols.Node{n}) {
			t.Errorf("%s finds %s", n.NamePath(), paths(got))
		}
	}
}

func TestUnique_ambiguous(t *testing.T) {
	t.Parallel()
	p, _ := symbols.ParsePattern("C/m", false)
	if got := paths(tree().Unique(p)); got != "C/m[0] C/m[1]" {
		t.Errorf("C/m may be %q", got)
	}
}

func TestContainer(t *testing.T) {
	t.Parallel()
	tr := tree()
	text := tr.Index.Text()
	for at, want := range map[int]string{
		strings.Index(text, "pass"):   "m",
		strings.Index(text, "): 2"):   "C/m[1]",
		strings.Index(text, "= 3"):    "C", // a field names no container
		strings.Index(text, "\nclas"): "",
		len(text):                     "",
	} {
		got := ""
		if n := tr.Container(at); n != nil {
			got = n.NamePath()
		}
		if got != want {
			t.Errorf("offset %d (%q) is in %q, want %q", at, text[at:min(at+6, len(text))], got, want)
		}
	}
}

func TestBuild_utf16AndOutOfRange(t *testing.T) {
	t.Parallel()
	text := "x = '😀'; y = 1\n"
	tr := symbols.Build(lines.New(text), []protocol.DocumentSymbol{
		sym("y", 13, rng(0, 10, 0, 15), rng(0, 10, 0, 11)), // 😀 has two units
		sym("z", 13, rng(7, 0, 9, 0), rng(7, 0, 7, 1)),
	}, nil)
	y, z := tr.All()[0], tr.All()[1]
	if tr.Body(y) != "y = 1" || !tr.InPlace(y) {
		t.Errorf("y is %q, in place %v", tr.Body(y), tr.InPlace(y))
	}
	if z.Start != len(text) || tr.InPlace(z) {
		t.Errorf("z starts at %d, in place %v; the text has %d bytes", z.Start, tr.InPlace(z), len(text))
	}
}

func TestKind_names(t *testing.T) {
	t.Parallel()
	for k, want := range map[symbols.Kind]string{1: "File", 5: "Class", 14: "Constant", 23: "Struct", 26: "TypeParameter", 27: "Unknown", 0: "Unknown", -3: "Unknown"} {
		if k.String() != want {
			t.Errorf("kind %d is %q, want %q", int(k), k, want)
		}
	}
}
