package servers

import (
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/plugins/lsp/symbols"
)

func TestGoPattern(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Add": "Add", "Basket/Add": "Basket/Add", "(*Basket).Add": "Basket/Add", "(Basket).Add": "Basket/Add", "/(*Basket).Add": "/Basket/Add",
		"(*List[T]).Push": "List/Push", "(Map[K, V]).Get": "Map/Get", "(*Größe).Maß": "Größe/Maß", "(*Basket).Add[0]": "Basket/Add[0]",
		"Basket.Add": "Basket.Add", "(*Basket)": "(*Basket)", "(*Basket).": "(*Basket).", "": "",
	} {
		if got := goPattern(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// symbolAt is what gopls 0.23 answers for the first place of a text: ranges begin behind the keyword.
func symbolAt(t *testing.T, text, whole, name, ident string, kind int) protocol.DocumentSymbol {
	t.Helper()
	x := lines.New(text)
	pos := func(offset int) protocol.Position {
		p := x.PosAt(offset)
		return protocol.Position{Line: p.Line, Character: int(x.Col16(p))}
	}
	at := strings.Index(text, whole)
	id := at + strings.Index(whole, ident)
	if at < 0 || id < at {
		t.Fatalf("no %q with %q in the text", whole, ident)
	}
	sel := protocol.Range{Start: pos(id), End: pos(id + len(ident))}
	return protocol.DocumentSymbol{Name: name, Kind: kind, Range: protocol.Range{Start: pos(at), End: pos(at + len(whole))}, SelectionRange: &sel}
}

func TestNormalizeGo(t *testing.T) {
	t.Parallel()
	text := `package m

type List[T any] struct{}
type ( A int; B string )
const Limit = 3
const (
	X, Y = 1, 2
)
var /* odd */ owner = 1
func (l *List[T]) Push(v T) {}
func (A) Len() int { return 0 }
func (l *Other) Foo() {}
func Len() {}
`
	tree := symbols.Build(lines.New(text), []protocol.DocumentSymbol{
		symbolAt(t, text, "List[T any] struct{}", "List", "List", 23),
		symbolAt(t, text, "A int", "A", "A", 5),
		symbolAt(t, text, "B string", "B", "B", 5),
		symbolAt(t, text, "Limit = 3", "Limit", "Limit", 14),
		symbolAt(t, text, "X, Y = 1, 2", "X", "X", 14),
		symbolAt(t, text, "X, Y = 1, 2", "Y", "Y", 14),
		symbolAt(t, text, "owner = 1", "owner", "owner", 13),
		symbolAt(t, text, "func (l *List[T]) Push(v T) {}", "(*List[T]).Push", "Push", 6),
		symbolAt(t, text, "func (A) Len() int { return 0 }", "(A).Len", "Len", 6),
		symbolAt(t, text, "func (l *Other) Foo() {}", "(*Other).Foo", "Foo", 6),
		symbolAt(t, text, "func Len() {}", "Len", "Len", 12),
	}, normalizeGo)
	want := []struct{ path, body string }{
		{"List", "type List[T any] struct{}"},
		{"A", "A int"},
		{"B", "B string"},
		{"Limit", "const Limit = 3"},
		{"X", "X, Y = 1, 2"},
		{"Y", "X, Y = 1, 2"},
		{"owner", "var /* odd */ owner = 1"},
		{"List/Push", "func (l *List[T]) Push(v T) {}"},
		{"A/Len", "func (A) Len() int { return 0 }"},
		{"Other/Foo", "func (l *Other) Foo() {}"},
		{"Len", "func Len() {}"},
	}
	all := tree.All()
	if len(all) != len(want) {
		t.Fatalf("%d symbols, want %d", len(all), len(want))
	}
	for i, w := range want {
		if all[i].NamePath() != w.path || tree.Body(all[i]) != w.body || !tree.InPlace(all[i]) {
			t.Errorf("symbol %d is %s %q, in place %v; want %s %q", i, all[i].NamePath(), tree.Body(all[i]), tree.InPlace(all[i]), w.path, w.body)
		}
	}
}

func TestNormalizeGo_faultyText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "packge", "package p\ntype T struct {", "package p\nfunc (\nconst X = ", "package p\n//line x.go:99\ntype T struct{}\nvar"} {
		var raw []protocol.DocumentSymbol
		if strings.Contains(text, "T struct{}") {
			raw = append(raw, symbolAt(t, text, "T struct{}", "T", "T", 23))
		}
		tree := symbols.Build(lines.New(text), raw, normalizeGo)
		for _, n := range tree.All() {
			if got := tree.Body(n); got != "type T struct{}" {
				t.Errorf("%q: body %q", text, got)
			}
		}
	}
}

func TestFitGoBody(t *testing.T) {
	t.Parallel()
	alone := &symbols.Node{Name: "Limit", Keyword: "const"}
	grouped := &symbols.Node{Name: "ModeB", Keyword: "const", Grouped: true}
	function := &symbols.Node{Name: "F"}
	for name, c := range map[string]struct {
		node       *symbols.Node
		body, want string
	}{
		"whole statement":        {alone, "const Limit = 5", "const Limit = 5"},
		"without its keyword":    {alone, "Limit = 5", "const Limit = 5"},
		"with a comment":         {alone, "// five\nconst Limit = 5", "// five\nconst Limit = 5"},
		"another name":           {alone, "Limits = 5", "Limits = 5"},
		"another keyword":        {alone, "var Limit = 5", "var Limit = 5"},
		"becomes a group":        {alone, "const (\n\tLimit = 5\n)", "const (\n\tLimit = 5\n)"},
		"member":                 {grouped, "ModeB = 20", "ModeB = 20"},
		"member with a keyword":  {grouped, "const\t ModeB = 20", "ModeB = 20"},
		"member named alike":     {grouped, "constant = 20", "constant = 20"},
		"function stays":         {function, "F()", "F()"},
		"keyword without spaces": {alone, "const", "const"},
	} {
		if got := fitGoBody(c.node, c.body); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestModules_skips(t *testing.T) {
	t.Parallel()
	m := gopls().Modules
	for dir, want := range map[string]bool{".": false, "lib": false, "a/b": false, "a/testdata/b": true, "vendor/x": true, "_old": true, ".cache/x": true} {
		if m.Skips(dir) != want {
			t.Errorf("%s skipped: %v, want %v", dir, !want, want)
		}
	}
}

func TestAcceptGopls(t *testing.T) {
	t.Parallel()
	for output, ok := range map[string]bool{
		"golang.org/x/tools/gopls v0.23.0\n    golang.org/x/tools/gopls@v0.23.0 h1:x=": true,
		"golang.org/x/tools/gopls v0.5.0":                                              false,
		"golang.org/x/tools/gopls v0.15.3":                                             true,
		"golang.org/x/tools/gopls (devel)":                                             true,
		"golang.org/x/tools/gopls v0.14.2\nfoo":                                        false,
	} {
		if err := acceptGopls(output); (err == nil) != ok {
			t.Errorf("%q: %v", output, err)
		}
	}
}
