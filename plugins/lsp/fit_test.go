package lsp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/sdk"
)

// Each "<" takes six bytes of JSON. A symbol of the fake server has its line for body, and the line without "def " for name and name path.
// 46 MiB are (63 MiB - 4 · 4 000 000 - 1 MiB) = 49 011 712 bytes.
func TestFit_bodiesThenSymbols(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "def a%02d%s\n", i, strings.Repeat("<", 100_000))
	}
	f := withFake(t, fakeserver.Plain, map[string]string{"a.fake": ""})
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)
	write(t, f.root, "a.fake", text.String())
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed}) // so that the fake is shown it
	// With its body a symbol takes 3 · 600 000 bytes and a few: 27 fit, and 0.41 MB are left, less than a symbol without its body.
	got := f.find("a", args{"substring_matching": true, "include_body": true})
	if len(got.Symbols) != 27 || got.Symbols[26].Body == nil {
		t.Errorf("%d symbols", len(got.Symbols))
	}
	expectNotes(t, "with bodies", got.Complete, got.Notes, false, "only the first 27 symbols fit here; 3 more are left out: narrow the question")
	got = f.find("a", args{"substring_matching": true})
	if len(got.Symbols) != 30 {
		t.Errorf("%d symbols without bodies", len(got.Symbols))
	}
	expectNotes(t, "without bodies", got.Complete, got.Notes, true)

	// A body that does not fit by itself.
	c := LspSymbolCollection{Complete: true, Notes: []string{"last"}}
	small, large := "small", strings.Repeat("x", maxListBytes)
	for _, body := range []*string{&small, &large, &small} {
		c.Symbols = append(c.Symbols, LanguageServerSymbol{Name: "s", Body: body})
	}
	c.fit()
	if len(c.Symbols) != 3 || c.Symbols[0].Body == nil || c.Symbols[1].Body != nil || c.Symbols[2].Body != nil {
		t.Errorf("%d symbols, not only the first with its body", len(c.Symbols))
	}
	expectNotes(t, "a large body", c.Complete, c.Notes, false, "the bodies of the last 2 symbols do not fit here: ask for fewer symbols at a time", "last")
}

func TestFit_references(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, map[string]string{"a.fake": "def one\n"})
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)
	write(t, f.root, "a.fake", "def one\n"+strings.Repeat("one"+strings.Repeat("<", 999_997)+"\n", 6))
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed})
	// The first and the last reference show two long lines of 6 MB each, the others three: 12 + 18 + 18 = 48 MB fit into 49.
	r := f.Into(t, nil, "lsp", "find_referencing_symbols", args{"name_path": "one", "relative_path": "a.fake", "max_answer_chars": 1 << 30})
	got := f.references("one", "a.fake")
	if len(got.References) != 3 {
		t.Errorf("%d references", len(got.References))
	}
	expectNotes(t, "references", got.Complete, got.Notes, false, "only the first 3 references fit here; 3 more are left out: narrow the question")
	if total := len(r.Value) + len(r.Text); total > sdk.MaxValueBytes {
		t.Errorf("%d bytes of value and text", total)
	}
}

func TestTooMany_listsTheFirst(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, map[string]string{"a.fake": ""})
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)
	var text strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&text, "def n%04d\n", i)
	}
	write(t, f.root, "a.fake", text.String())
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed})
	err := f.fails(sdk.KindValue, "lsp", "find_symbol", args{"name_path": "n", "substring_matching": true, "max_matches": 1}, "1001 symbols match", "The first 1000 matches:", "n0999")
	if err != nil && strings.Contains(err.Error(), "n1000") {
		t.Error("more are listed")
	}
}
