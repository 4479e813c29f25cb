package lsp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

// expectNotes compares an answer's completeness and all of its notes.
func expectNotes(t *testing.T, what string, complete bool, notes []string, wantComplete bool, want ...string) {
	t.Helper()
	if complete != wantComplete || !slices.Equal(notes, want) {
		t.Errorf("%s: complete %v, want %v; notes\n  %s\nwant\n  %s", what, complete, wantComplete, strings.Join(notes, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestFindSymbol_noFileOfAnyServer(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"a.py": "def foo(): pass\n", "b.py": "", "README.md": "foo\n", "Makefile": "", "doc/x.md": "", "e/d/": "", "c.py": "",
		"1.a": "", "1.b": "", "1.c": ""})
	got := f.find("foo", nil)
	if len(got.Symbols) != 0 {
		t.Errorf("symbols %+v", got.Symbols)
	}
	expectNotes(t, "the project", got.Complete, got.Notes, false,
		"nothing was searched: no active language server handles the files there: .py (3 files), .md (2 files), no extension (1 file), .a (1 file), .b (1 file) and 1 more; "+
			"active: go (gopls: *.go). Search them as text instead, or add their language to language_servers")
	got = f.find("foo", args{"relative_path": "e"})
	expectNotes(t, "an empty folder", got.Complete, got.Notes, true, "no match in 0 files (e/, go (gopls: *.go))")
}

func TestFindSymbol_otherLanguagesMentionIt(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/m\n", "a.go": "package m\n\nfunc Bar() {}\n", "tool.py": "def foo(): pass\n", "other.py": "def food(): pass\n",
		"notes.md": "foo\n"})
	got := f.find("foo", nil)
	expectNotes(t, "foo", got.Complete, got.Notes, false,
		"not searched, though what is looked for is mentioned there, for no active language server handles them: tool.py", "no match in 1 file (the whole project, go (gopls: *.go))")
	if got = f.find("Bar", nil); len(got.Symbols) != 1 {
		t.Errorf("Bar: %+v", got)
	}
	expectNotes(t, "Bar", got.Complete, got.Notes, true)
}

// with opens the project once more under other settings.
func (f *fixture) with(settings sdk.ProjectSettings) {
	f.t.Helper()
	data, err := json.Marshal(settings)
	if err != nil {
		f.t.Fatal(err)
	}
	other := *f.Project
	other.ID, other.Settings = "other", data
	if err := f.plugin.open(f.t.Context(), &other); err != nil {
		f.t.Fatal(err)
	}
	f.Project = &other
}

func TestUnknownLanguages(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/u\n", "a.go": "package u\n\nfunc A() {}\n"})
	own := f.plugin.workspaces["test"].settings.LanguageServers
	f.with(sdk.ProjectSettings{Languages: []string{"klingon"}, LanguageServers: own})
	klingon := `language_servers asks for "klingon", and there is no such language server; known: go`
	f.fails(sdk.KindValue, "lsp", "get_symbols_overview", args{"relative_path": "a.go"}, ".go files", "none (configured: klingon)", klingon)
	got := f.find("A", nil)
	expectNotes(t, "klingon", got.Complete, got.Notes, false, klingon, "nothing was searched: no active language server handles the files there: .go (1 file), .mod (1 file); "+
		"active: none (configured: klingon). Search them as text instead, or add their language to language_servers")

	f.with(sdk.ProjectSettings{Languages: []string{"go", "nope", "go_"}, LanguageServers: own})
	if got = f.find("A", nil); len(got.Symbols) != 1 {
		t.Errorf("A: %+v", got)
	}
	expectNotes(t, "go, nope", got.Complete, got.Notes, false, `language_servers asks for "nope", "go_" (did you mean go?), and there is no such language server; known: go`)
}

func TestReferences_filesLeftOutOfTheBuild(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"GOOS", "GOARCH", "GOFLAGS"} {
		if os.Getenv(name) != "" {
			t.Fatalf("%s is set: the test needs the build of this machine", name)
		}
	}
	files := map[string]string{
		"go.mod": "module example.com/b\n\ngo 1.21\n", "f.go": "package b\n\nfunc F() {}\n\nfunc f() {}\n", "l.go": "package b\n\nfunc L() { F(); f() }\n",
		"w_windows.go": "package b\n\nfunc W() { F() }\n", "w2_windows.go": "package b\n\nfunc W2() { W() }\n", "p_plan9.go": "package b\n\nfunc P() {}\n",
		"i.go": "//go:build integration\n\npackage b\n\nfunc I() { F() }\n", "sub/f_windows.go": "package sub\n\nfunc f() {}\n",
		"testdata/t_windows.go": "package b\n\nfunc T() { F() }\n", "_u.go": "package b\n\nfunc U() { F() }\n",
	}
	f := withGopls(t, files)
	platform := goEnv(t, "GOOS") + "/" + goEnv(t, "GOARCH")
	got := f.references("F", "f.go")
	if len(got.References) != 1 || got.References[0].RelativePath != "l.go" {
		t.Errorf("references: %+v", got.References)
	}
	const out = "not searched, though %s is mentioned there, for they are not in the build that gopls looks at: "
	expectNotes(t, "F", got.Complete, got.Notes, false, strings.Replace(out, "%s", "F", 1)+
		`_u.go (its name begins with "_"), i.go (//go:build integration), w_windows.go (its name says another platform than `+platform+")")
	got = f.references("f", "f.go")
	expectNotes(t, "f, which is another one in sub", got.Complete, got.Notes, true)
	got = f.references("W", "w_windows.go") // gopls takes the build for windows then
	if len(got.References) != 1 || got.References[0].RelativePath != "w2_windows.go" {
		t.Errorf("references to W: %+v", got.References)
	}
	expectNotes(t, "W", got.Complete, got.Notes, true)

	f.fails(sdk.KindRuntime, "lsp", "find_referencing_symbols", args{"name_path": "I", "relative_path": "i.go"}, "gopls refused", "i.go is not in the build", "//go:build integration")

	for i := range 6 {
		write(t, f.root, "v"+string(rune('0'+i))+"_windows.go", "package b\n\nvar _ = F\n")
	}
	got = f.references("F", "f.go")
	if len(got.Notes) != 1 || !strings.HasSuffix(got.Notes[0], " and 4 more") || strings.Count(got.Notes[0], ".go (") != 5 {
		t.Errorf("nine files: %q", got.Notes)
	}
}

// What the user tells gopls of the build is heeded.
func TestReferences_buildSettings(t *testing.T) {
	t.Parallel()
	own := `{"ls_path": ` + jsonText(goplsPath(t)) + `, "gopls_settings": {"build.buildFlags": ["-tags=integration,more"], "env": {"GOOS": "windows", "GOARCH": "amd64"}}}`
	root := project(t, map[string]string{
		"go.mod": "module example.com/b\n\ngo 1.21\n", "f.go": "package b\n\nfunc F() {}\n", "i.go": "//go:build integration\n\npackage b\n\nfunc I() { F() }\n",
		"w_windows.go": "package b\n\nfunc W() { F() }\n", "l_linux.go": "package b\n\nfunc L() { F() }\n",
	})
	f := newFixture(t, servers.Table(), root, sdk.ProjectSettings{LanguageServers: map[string]json.RawMessage{"go": json.RawMessage(own)}})
	if got := f.places("F", "f.go"); got != "i.go:4 w_windows.go:2" {
		t.Errorf("references on %q", got)
	}
	got := f.references("F", "f.go")
	expectNotes(t, "F", got.Complete, got.Notes, false,
		"not searched, though F is mentioned there, for they are not in the build that gopls looks at: l_linux.go (its name says another platform than windows/amd64)")
}

func TestNotUTF8(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/n\n", "f.go": "package n\n\nfunc Foo() {}\n\nfunc Maß() {}\n",
		"mention.go": "package n\n\n// \xe9t\xe9\nvar _ = Foo\n", "other.go": "package n\n\n// \xe9t\xe9\nvar x = 1\n", "wide.go": "\xff\xfep\x00a\x00"})
	const notUTF8 = " is not UTF-8, which language servers want: read and edit it as text instead"
	want := []string{"not searched: mention.go" + notUTF8, "not searched: wide.go" + notUTF8}
	refs := f.references("Foo", "f.go")
	expectNotes(t, "references", refs.Complete, refs.Notes, false, want...)
	found := f.find("Foo", nil)
	expectNotes(t, "find", found.Complete, found.Notes, false, want...)
	if len(found.Symbols) != 1 {
		t.Errorf("found %+v", found.Symbols)
	}
	// A name that another encoding writes otherwise: its ASCII part counts.
	if found = f.find("Maß", nil); len(found.Symbols) != 1 || len(found.Notes) != 1 || found.Notes[0] != want[1] {
		t.Errorf("Maß: %+v", found)
	}
	f.fails(sdk.KindUnicode, "lsp", "find_symbol", args{"name_path": "Nothing", "relative_path": "other.go"}, "not UTF-8")
}

func TestSyntaxError(t *testing.T) {
	t.Parallel()
	// go vet says of it: a.go:6:17: syntax error: unexpected { …, which is line 5 from 0.
	const broken = "package s\n\nfunc Before() {}\n\n// Lost is not among the symbols.\nfunc Lost(a int {\n\tBefore()\n}\n\ntype After struct{}\n"
	f := withGopls(t, map[string]string{"go.mod": "module example.com/s\n", "a.go": broken, "b.go": "package s\n\nfunc B() { Before() }\n"})
	const symbolsMissing = "a.go has a syntax error at line 5: symbols after it may be missing"
	got := f.find("Missing", nil)
	expectNotes(t, "a name that is nowhere", got.Complete, got.Notes, true, "no match in 2 files (the whole project, go (gopls: *.go))")
	got = f.find("a", nil)
	expectNotes(t, "a name that is no symbol", got.Complete, got.Notes, false, symbolsMissing, "no match in 2 files (the whole project, go (gopls: *.go))")
	got = f.find("s", args{"relative_path": "a.go"})
	expectNotes(t, "in one file", got.Complete, got.Notes, false, symbolsMissing, "no match in 1 file (a.go)")
	got = f.find("B", nil)
	expectNotes(t, "in another file", got.Complete, got.Notes, true)
	got = f.find("Before", nil) // is found, and stands again behind the error
	expectNotes(t, "found before the error", got.Complete, got.Notes, false, symbolsMissing)

	var overview LspSymbolCollection
	f.Into(t, &overview, "lsp", "get_symbols_overview", overviewOf("a.go"))
	expectNotes(t, "overview", overview.Complete, overview.Notes, false, symbolsMissing)
	f.Into(t, &overview, "lsp", "get_symbols_overview", overviewOf("b.go"))
	expectNotes(t, "overview of another file", overview.Complete, overview.Notes, true)
	f.fails(sdk.KindLookup, "lsp", "find_referencing_symbols", args{"name_path": "Nowhere", "relative_path": "a.go"}, symbolsMissing)
	refs := f.references("Before", "a.go")
	expectNotes(t, "references", refs.Complete, refs.Notes, false, "a.go has a syntax error at line 5: references after it may be missing")

	write(t, f.root, "a.go", "package s\n\nfunc Before() {}\n")
	f.Host.Report(sdk.FileChange{Path: "a.go", Kind: sdk.Changed})
	got = f.find("s", args{"relative_path": "a.go"})
	expectNotes(t, "mended", got.Complete, got.Notes, true, "no match in 1 file (a.go)")
}

func overviewOf(rel string) args { return args{"relative_path": rel} }

func TestDanglingLinks(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, map[string]string{"a.fake": "def one\n"})
	for _, name := range []string{"config", "x.txt", "dir"} {
		link(t, f.root, "nowhere", name)
	}
	got := f.find("two", nil)
	expectNotes(t, "links that no server handles", got.Complete, got.Notes, true, "no match in 1 file (the whole project, fake (fakels: *.fake))")
	link(t, f.root, "nowhere", "b.fake")
	got = f.find("two", nil)
	if got.Complete || len(got.Notes) != 2 || !strings.HasPrefix(got.Notes[0], "not searched: b.fake: ") {
		t.Errorf("a link that a server handles: %+v", got)
	}
}

func link(t *testing.T, root, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
		t.Fatal(err)
	}
}
