package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	s, _ := NewScope(compose(t, fake{}), nil, false)
	const overview = "s.tree – trees: pick -> Leaves, cut, smell -> Leaf, climb\n"
	if got := s.Overview(); got != overview {
		t.Errorf("overview: %q", got)
	}
	described := map[string]bool{}
	for _, c := range []struct{ item, want string }{
		{"tree", `s.tree – trees

tree.pick(path: str, deep: bool = False) -> Leaves
    Does pick.
    At length.
    - path: where

tree.cut(path: str, deep: bool = False) -> str [edits]
    Does cut.
    At length.
    - path: where

tree.climb(path: str, deep: bool = False) -> str
    Does climb.
    At length.
    - path: where

Rarely needed:
tree.smell: Does smell. More: s.info("tree.smell")

Result types: Leaves, Leaf. Only to process results in code: s.info("Leaves")`},
		{"tree.smell", `tree.smell(path: str, deep: bool = False) -> Leaf | None
    Does smell.
    At length.
    - path: where
    Types: s.info("Leaf")`},
		{"Leaves", `class Leaves
    iteration, len() and indexing work on leaves; str() gives the text shown
    leaves: list[Leaf]
    kind: Color

class Leaf
    name: str – its name

enum Color
    RED = 1, BLUE = 2
    In code: s.tree.Color.RED`},
		{"tree.Leaves", `class Leaves
    iteration, len() and indexing work on leaves; str() gives the text shown
    leaves: list[Leaf]
    kind: Color
(Leaf was described before; s.info("Leaf") repeats it)
(Color was described before; s.info("Color") repeats it)`},
		{"Leaf", "class Leaf\n    name: str – its name"},
		{"tree.pik", `tree.pik: there is no such facade, method or type; did you mean "tree.pick"?`},
		{"far", `facade far is not enabled: add it to included_apis in the configuration to use it`},
		{"tree.burn", `tree.burn is not enabled: add it to included_apis in the configuration to use it`},
	} {
		got := s.Document([]string{c.item}, described)
		if got != c.want && !(strings.HasPrefix(c.want, c.item+": there") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%s:\n%s\nwant\n%s", c.item, got, c.want)
		}
	}
	both := s.Document([]string{"Leaf", "nothing_like_it"}, described)
	if !strings.HasPrefix(both, "class Leaf") || !strings.HasSuffix(both, "\n\nnothing_like_it: there is no such facade, method or type") {
		t.Errorf("two items: %q", both)
	}
}

func TestBindingsHoldOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	s, _ := NewScope(compose(t, fake{}), nil, true)
	data, err := s.Bindings()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Generation string
		Refused    map[string]string
		Facades    []struct {
			Name    string
			Methods []struct{ Name string }
			Types   []struct{ Name string }
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Refused["tree.cut"] != "tree.cut is refused: the project is read-only (read_only in its configuration)" || got.Refused["far"] == "" {
		t.Errorf("refused: %q", got.Refused)
	}
	if got.Generation != s.Digest() || len(got.Facades) != 1 || len(got.Facades[0].Methods) != 3 || len(got.Facades[0].Types) != 3 {
		t.Errorf("bindings: %+v", got)
	}
}

// TestWhyNothingIsThere: two scopes that allow the same may refuse for different reasons, which a session must be told anew.
func TestWhyNothingIsThere(t *testing.T) {
	t.Parallel()
	empty := sdk.Manifest{Name: "empty", Facades: []sdk.FacadeDecl{{Name: "empty", Summary: "nothing", Owner: true}}}
	pen := sdk.Plugin{Name: "pen", Facades: []sdk.Facade{{Name: "pen", Summary: "writing", Methods: []sdk.Method{method[string]("write", sdk.CanEdit())}}}}.Manifest()
	r, _ := Compose("lsp", []Source{{Manifest: empty}, {Manifest: pen}})
	excluded, _ := NewScope(r, []Definition{{Origin: "a project", Excluded: []string{"pen"}}}, false)
	readOnly, _ := NewScope(r, nil, true)
	if got := excluded.Document([]string{"empty", "pen"}, map[string]bool{}); got != "facade empty has no methods: ask the author of its plugin for some\n\n"+
		"facade pen is not enabled: add it to included_apis in the configuration to use it" {
		t.Errorf("excluded: %s", got)
	}
	if got := readOnly.Document([]string{"pen"}, map[string]bool{}); got != "facade pen is refused: all of its methods edit, and the project is read-only (read_only in its configuration)" {
		t.Errorf("read-only: %s", got)
	}
	if excluded.Digest() == readOnly.Digest() {
		t.Error("the reasons differ and the digest does not")
	}
}
