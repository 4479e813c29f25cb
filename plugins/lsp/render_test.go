package lsp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestDeclaration(t *testing.T) {
	t.Parallel()
	p := New()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	type flags struct{ tool, backend, edit, server bool }
	got := map[string]flags{}
	for _, f := range p.Manifest().Facades {
		for _, m := range f.Methods {
			got[f.Name+"."+m.Name] = flags{m.Tool == m.Name, m.Backend == "lsp", m.CanEdit, m.UsesProjectServer}
		}
	}
	for name, want := range map[string]flags{
		"lsp.get_symbols_overview": {true, true, false, true}, "lsp.find_symbol": {true, true, false, true},
		"lsp.find_referencing_symbols": {true, true, false, true}, "edit.replace_symbol_body": {true, true, true, false},
	} {
		if got[name] != want {
			t.Errorf("%s: %+v, want %+v", name, got[name], want)
		}
	}
	signature := `find_symbol(name_path_pattern: str, depth: int = 0, relative_path: str = "", include_body: bool = False, include_info: bool = False, ` +
		`include_kinds: list[SymbolKind] = (), exclude_kinds: list[SymbolKind] = (), substring_matching: bool = False, max_matches: int = -1, max_answer_chars: int = -1) -> LspSymbolCollection`
	for _, m := range p.Manifest().Facades[0].Methods {
		if m.Name == "find_symbol" && m.Signature() != signature {
			t.Errorf("signature %s\nwant %s", m.Signature(), signature)
		}
	}
}

// policy is an answer limit, with what else marks the method the value came from.
func policy(limit int, more ...string) sdk.Policy {
	data, _ := json.Marshal(limit)
	p := sdk.Policy{"max_answer_chars": data}
	for _, name := range more {
		p[name] = json.RawMessage("false")
	}
	return p
}

func TestRender_overviewShortens(t *testing.T) {
	t.Parallel()
	c := LspSymbolCollection{Complete: true, Symbols: []LanguageServerSymbol{
		{Name: "A", NamePath: "A", KindName: "Struct", Children: []LanguageServerSymbol{{Name: "m<T>", NamePath: "A/m<T>", KindName: "Method"}}},
		{Name: "bbbbbbbbbbbbbbbbbbbbbb", NamePath: "bbbbbbbbbbbbbbbbbbbbbb", KindName: "Function"},
		{Name: "C", NamePath: "C", KindName: "Struct"},
	}}
	for limit, want := range map[int]string{
		200: `{"Struct":[{"A":{"Method":["m<T>"]}},"C"],"Function":["bbbbbbbbbbbbbbbbbbbbbb"]}`,
		70:  `{"Struct":["A","C"],"Function":["bbbbbbbbbbbbbbbbbbbbbb"]}` + "\nshortened: ",
		30:  `{"Struct":2,"Function":1}` + "\nshortened: ",
		10:  "The answer has 80 characters, the limit is 10",
	} {
		got := c.RenderText(policy(limit))
		if !strings.HasPrefix(got, want) || limit == 200 && got != want || limit < 200 && !strings.Contains(got, "3 top-level symbols") {
			t.Errorf("limit %d: %s\nwant %s", limit, got, want)
		}
	}
}

func TestRender_referencesShorten(t *testing.T) {
	t.Parallel()
	ref := func(rel string, line int) ReferenceInLanguageServerSymbol {
		return ReferenceInLanguageServerSymbol{Symbol: LanguageServerSymbol{NamePath: "f", KindName: "Function"}, RelativePath: rel, Line: line, Content: "x\ny && z\n"}
	}
	c := LspReferenceCollection{References: []ReferenceInLanguageServerSymbol{ref("a", 1), ref("a", 12), ref("b", 0)}, Notes: []string{"a note"}}
	for limit, want := range map[int]string{
		1000: `[{"name_path":"f","kind":"Function","relative_path":"a","line":1,"content_around_reference":"...   0:x\n  >   1:y && z\n...   2:"},` +
			`{"name_path":"f","kind":"Function","relative_path":"a","line":12,"content_around_reference":"...  11:x\n  >  12:y && z\n...  13:"},` +
			`{"name_path":"f","kind":"Function","relative_path":"b","line":0,"content_around_reference":"  >   0:x\n...   1:y && z\n...   2:"}]` + "\na note",
		250: `[{"name_path":"f","kind":"Function","relative_path":"a","line":1},{"name_path":"f","kind":"Function","relative_path":"a","line":12},` +
			`{"name_path":"f","kind":"Function","relative_path":"b","line":0}]` + "\nshortened: ",
		20: `{"a":2,"b":1}` + "\nshortened: ",
		2:  "The answer has ",
	} {
		got := c.RenderText(policy(limit))
		if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\na note") || limit < 1000 && !strings.Contains(got, "3 references") {
			t.Errorf("limit %d: %s\nwant %s", limit, got, want)
		}
	}
}

// The text of a value that went over the wire is the same as that of the call.
func TestRender_afterTheWire(t *testing.T) {
	t.Parallel()
	body := "func f() {}"
	c := LspSymbolCollection{Complete: true, Symbols: []LanguageServerSymbol{{Name: "f", NamePath: "f", KindName: "Function", RelativePath: "a.go", Body: &body}}}
	value, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"name_path":"f","kind":"Function","relative_path":"a.go","body_location":{"start_line":0,"end_line":0},"body":"func f() {}"}]`
	got, err := New().Render("LspSymbolCollection", value, json.RawMessage(`{"include_body":true,"max_answer_chars":1000}`))
	if err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	element, err := json.Marshal(c.Symbols[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, err := New().Render("LanguageServerSymbol", element, nil); err != nil || "["+got+"]" != want {
		t.Errorf("element %s, %v", got, err)
	}
}
