package lsp

import (
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

const declarations = `package s

// Basket holds items.
type Basket struct {
	Items []string
}

const Limit = 3

const (
	ModeA = 1
	ModeB = 2
)

var owner = "nobody"
`

func TestReplaceSymbolBody_keepsOneKeyword(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/s\n", "s/s.go": declarations})
	got := f.find("Basket", args{"relative_path": "s/s.go", "include_body": true})
	if len(got.Symbols) != 1 || got.Symbols[0].StartLine != 3 || got.Symbols[0].EndLine != 5 || *got.Symbols[0].Body != "type Basket struct {\n\tItems []string\n}" {
		t.Fatalf("Basket: %+v", got)
	}
	for name, body := range map[string]string{
		"Basket": "type Basket struct {\n\tItems []string\n\tOwner string\n}",
		"Limit":  "const Limit = 5", "ModeB": "ModeB = 20", "owner": `var owner = "me"`,
	} {
		var answer string
		f.Into(t, &answer, "edit", "replace_symbol_body", args{"name_path": name, "relative_path": "s/s.go", "body": body})
		if answer != "OK" {
			t.Errorf("%s: answer %q", name, answer)
		}
	}
	want := strings.NewReplacer("\tItems []string\n", "\tItems []string\n\tOwner string\n", "Limit = 3", "Limit = 5", "ModeB = 2", "ModeB = 20", `"nobody"`, `"me"`).Replace(declarations)
	if got := contents(t, f.root, "s/s.go"); got != want {
		t.Errorf("the file is\n%s\nwant\n%s", got, want)
	}
}

// Every body that was read and is written back unchanged leaves every byte as it was.
func TestReplaceSymbolBody_unchangedBody(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"as above": declarations,
		"every form": "package s\n\ntype List[T any] struct{ items []T }\n\nfunc (l *List[T]) Push(v T) { l.items = append(l.items, v) }\n\n" +
			"type (\n\tA int\n\t// B is documented.\n\tB = A\n)\n\ntype I interface {\n\tM(x int) int\n}\n\nconst (\n\tX, Y = iota, 1\n\tZ, W\n)\n\nvar a, b = 1, 2 // trailing\n" +
			"var x1 = 1; var x2 = 2\n\nconst  /* odd */ Spaced = 3\n\nfunc init() {}\n\nfunc init() {}\n\nvar emoji = \"😀\"; var after = 1\n",
		"CRLF": strings.ReplaceAll(declarations, "\n", "\r\n"),
		"BOM":  "\ufeffpackage s; var first = 1\n\ntype T struct{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := withGopls(t, map[string]string{"go.mod": "module example.com/s\n\ngo 1.21\n", "s.go": text})
			all := f.find("", args{"name_path_pattern": "e", "substring_matching": true, "relative_path": "s.go", "include_body": true}).Symbols
			for _, letter := range []string{"t", "i", "a", "b", "X", "Y", "Z", "W", "A", "B", "I", "M", "T"} {
				all = append(all, f.find(letter, args{"substring_matching": true, "relative_path": "s.go", "include_body": true}).Symbols...)
			}
			if len(all) < 3 {
				t.Fatalf("only %d symbols", len(all))
			}
			for _, s := range all {
				_, err := f.Call(t.Context(), "edit", "replace_symbol_body", args{"name_path": "/" + s.NamePath, "relative_path": "s.go", "body": *s.Body})
				if got := contents(t, f.root, "s.go"); err != nil || got != text {
					t.Fatalf("%s written back as %q: %v; the file is\n%q\nwant\n%q", s.NamePath, *s.Body, err, got, text)
				}
			}
		})
	}
}

func TestAmbiguousNames(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": box, "i.go": "package names\n\nfunc init() {}\n\nfunc init() {}\n"})
	a := args{"name_path": "init", "relative_path": "i.go", "body": "func init() { println() }"}
	f.fails(sdk.KindValue, "edit", "replace_symbol_body", a, "init[0] (Function, line 2)", "init[1] (Function, line 4)")
	f.fails(sdk.KindValue, "lsp", "find_referencing_symbols", args{"name_path": "init", "relative_path": "i.go"}, "init[0]")
	f.fails(sdk.KindLookup, "lsp", "find_referencing_symbols", args{"name_path": "Bascet", "relative_path": "box/box.go"}, "did you mean Basket?")
	f.fails(sdk.KindValue, "edit", "replace_symbol_body", args{"name_path": "init[1]", "relative_path": "i.go", "body": " \n"}, "empty")
	a["name_path"] = "init[1]"
	f.Into(t, nil, "edit", "replace_symbol_body", a)
	if got, want := contents(t, f.root, "i.go"), "package names\n\nfunc init() {}\n\nfunc init() { println() }\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}

func TestReplaceSymbolBody_fitsThePlace(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(declarations, "\n", "\r\n")
	f := withGopls(t, map[string]string{"go.mod": "module example.com/s\n", "s.go": text})
	for _, r := range [][2]string{{"ModeB", "\nconst ModeB = 20\n"}, {"Limit", "Limit = 5"}, {"Basket", "type Basket struct {\n\tN int\n}\n"}} {
		f.Into(t, nil, "edit", "replace_symbol_body", args{"name_path": r[0], "relative_path": "s.go", "body": r[1]})
	}
	want := strings.NewReplacer("ModeB = 2", "ModeB = 20", "Limit = 3", "Limit = 5", "Items []string", "N int").Replace(text)
	if got := contents(t, f.root, "s.go"); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
}
