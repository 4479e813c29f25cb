package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

const box = `package box

type Basket struct{ n int }

type Crate struct{ n int }

type Sizer interface {
	Size() int
}

func (b *Basket) Add(k int) { b.n += k }

func (b Basket) Size() int { return b.n }

func (c *Crate) Size() int { return c.n }

func Size(s Sizer) int { return s.Size() }
`

func TestFindSymbol_goMethodNames(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": box})
	var all []LanguageServerSymbol
	for pattern, want := range map[string][]int{
		"Add": {10}, "Size": {7, 12, 14, 16}, "Sizer/Size": {7}, "Basket/Size": {12}, "(*Basket).Add": {10}, "(Basket).Size": {12}, "/Size": {16},
		"/(*Crate).Size": {14}, "Basket/Add": {10}, "/Basket/Add": {10}, "Missing": {}, "Siz": {},
	} {
		got := []int{}
		found := f.find(pattern, nil)
		for _, s := range found.Symbols {
			got = append(got, s.StartLine)
			all = append(all, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: lines %v, want %v", pattern, got, want)
		}
		if len(want) == 0 && (len(found.Notes) != 1 || !strings.HasPrefix(found.Notes[0], "no match in 1 file")) {
			t.Errorf("%s: notes %q", pattern, found.Notes)
		}
	}
	got := []int{}
	for _, s := range f.find("Siz", args{"substring_matching": true}).Symbols {
		got = append(got, s.StartLine)
	}
	if want := []int{6, 7, 12, 14, 16}; !slices.Equal(got, want) {
		t.Errorf("Siz as a part: lines %v, want %v", got, want)
	}
	for _, s := range all {
		again := f.find("/"+s.NamePath, args{"relative_path": s.RelativePath}).Symbols
		if len(again) != 1 || again[0].StartLine != s.StartLine {
			t.Errorf("%s finds %+v", s.NamePath, again)
		}
		refs := f.references(s.NamePath, s.RelativePath)
		lines := []int{}
		for _, r := range refs.References {
			lines = append(lines, r.Line)
		}
		if s.StartLine == 6 || s.NamePath == "Sizer/Size" {
			if !slices.Contains(lines, 16) {
				t.Errorf("references to %s are on lines %v, 16 not among them", s.NamePath, lines)
			}
		}
	}
}

func TestFindSymbol_typeInAnotherFile(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/x\n", "a.go": "package x\n\ntype T[K any] struct{}\n",
		"b.go": "package x\n\nfunc (t *T[K]) Do() {}\n\nfunc Do() { (&T[int]{}).Do() }\n"})
	got := f.find("T/Do", nil).Symbols
	if len(got) != 1 || got[0].NamePath != "T/Do" || got[0].Line != 2 || got[0].Column != 15 || got[0].Name != "Do" || got[0].RelativePath != "b.go" {
		t.Fatalf("T/Do: %+v", got)
	}
	r := f.Into(t, nil, "lsp", "get_symbols_overview", args{"relative_path": "b.go"})
	if want := `{"Method":["T/Do"],"Function":["Do"]}`; r.Text != want {
		t.Errorf("overview %s, want %s", r.Text, want)
	}
	refs := f.references("T/Do", "b.go").References
	if len(refs) != 1 || refs[0].Line != 4 || refs[0].Column != 24 || refs[0].Symbol.NamePath != "Do" || refs[0].Content != "\nfunc Do() { (&T[int]{}).Do() }" {
		t.Errorf("references: %+v", refs)
	}
}

func TestOverview_depth(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": box})
	for depth, want := range map[int]string{
		-1: `{"Struct":["Basket","Crate"],"Interface":["Sizer"],"Function":["Size"]}`,
		1:  `{"Struct":[{"Basket":{"Method":["Add","Size"]}},{"Crate":{"Method":["Size"]}}],"Interface":[{"Sizer":{"Method":["Size"]}}],"Function":["Size"]}`,
	} {
		r := f.Into(t, nil, "lsp", "get_symbols_overview", args{"relative_path": "box/box.go", "depth": depth})
		if r.Text != want {
			t.Errorf("depth %d: %s, want %s", depth, r.Text, want)
		}
	}
	f.fails(sdk.KindValue, "lsp", "get_symbols_overview", args{"relative_path": "box/box.go", "depth": -2}, "depth")
}

func TestFindSymbol_detail(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/names\n", "box/box.go": strings.Replace(box, "func Size(", "// Size is the size.\nfunc Size(", 1)})
	got := f.find("/Basket", args{"depth": 1}).Symbols[0]
	var names []string
	for _, c := range got.Children {
		names = append(names, c.KindName+" "+c.NamePath)
	}
	if want := []string{"Field Basket/n", "Method Basket/Add", "Method Basket/Size"}; !slices.Equal(names, want) {
		t.Errorf("children %v, want %v", names, want)
	}
	info := f.find("/Size", args{"include_info": true}).Symbols[0].Info
	if info == nil || !strings.Contains(*info, "func Size(s Sizer) int") || !strings.Contains(*info, "Size is the size.") {
		t.Errorf("info %v", info)
	}
	r := f.Into(t, nil, "lsp", "find_symbol", args{"name_path": "/Basket/Add", "include_body": true})
	if want := `[{"name_path":"Basket/Add","kind":"Method","relative_path":"box/box.go","body_location":{"start_line":10,"end_line":10},"body":"func (b *Basket) Add(k int) { b.n += k }"}]`; r.Text != want {
		t.Errorf("text %s\nwant %s", r.Text, want)
	}
	if got := f.find("Size", args{"include_kinds": []int{12}}).Symbols; len(got) != 1 || got[0].KindName != "Function" {
		t.Errorf("functions: %+v", got)
	}
	none := f.find("Size", args{"exclude_kinds": []int{6, 12}})
	if len(none.Symbols) != 0 || len(none.Notes) != 1 || !strings.Contains(none.Notes[0], "leave out all 4") {
		t.Errorf("all excluded: %+v", none)
	}
	err := f.fails(sdk.KindValue, "lsp", "find_symbol", args{"name_path": "Size", "max_matches": 3}, "4 symbols match", `{"box/box.go":["Sizer/Size","Basket/Size","Crate/Size","Size"]}`)
	if !sdk.AsError(err).Listing {
		t.Error("a classic tool would answer too many matches with an error")
	}
	if want := `{"matches":4,"name_paths":{"box/box.go":["Sizer/Size","Basket/Size","Crate/Size","Size"]}}`; string(sdk.AsError(err).Data) != want {
		t.Errorf("data %s, want %s", sdk.AsError(err).Data, want)
	}
	r = f.Into(t, nil, "lsp", "find_symbol", args{"name_path": "Size", "max_answer_chars": 120})
	if !strings.HasPrefix(r.Text, `{"box/box.go":["Sizer/Size","Basket/Size","Crate/Size","Size"]}`+"\nshortened:") || !strings.Contains(r.Text, "4 symbols in all") {
		t.Errorf("shortened: %s", r.Text)
	}
	r = f.Into(t, nil, "lsp", "find_symbol", args{"name_path": "Size", "max_answer_chars": 10})
	if !strings.HasPrefix(r.Text, "The answer has ") || !strings.Contains(r.Text, "4 symbols") {
		t.Errorf("too short: %s", r.Text)
	}
}

func TestReferences_containers(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/r\n", "t.go": "package r\n\ntype T int\n", "use.go": `package r

type holder struct {
	t T
}

type maker interface {
	make(a int) T
}

const (
	first T = iota
)

func (h *holder) get() T { return h.t }

var _ T = 1

func rec(n T) T {
	return rec(n)
}
`})
	var got []string
	for _, r := range f.references("T", "t.go").References {
		got = append(got, fmt.Sprintf("%d:%d %s %s", r.Line, r.Column, r.Symbol.KindName, r.Symbol.NamePath))
	}
	want := []string{"3:3 Struct holder", "7:13 Method maker/make", "11:7 Constant first", "14:23 Method holder/get", "16:6 File <file>", "18:11 Function rec", "18:14 Function rec"}
	if !slices.Equal(got, want) {
		t.Errorf("references\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	self := f.references("rec", "use.go").References
	if len(self) != 1 || self[0].Line != 19 || self[0].Symbol.NamePath != "rec" || self[0].Content != "func rec(n T) T {\n\treturn rec(n)\n}" {
		t.Errorf("recursion: %+v", self)
	}
	r := f.Into(t, nil, "lsp", "find_referencing_symbols", args{"name_path": "rec", "relative_path": "use.go"})
	if want := `[{"name_path":"rec","kind":"Function","relative_path":"use.go","line":19,"content_around_reference":"...  18:func rec(n T) T {\n  >  19:\treturn rec(n)\n...  20:}"}]`; r.Text != want {
		t.Errorf("text %s\nwant %s", r.Text, want)
	}
	none := f.references("holder/get", "use.go")
	if len(none.References) != 0 || !none.Complete || len(none.Notes) != 1 {
		t.Errorf("no references: %+v", none)
	}
}
