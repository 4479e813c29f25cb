package lsp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func (f *fixture) places(namePath, rel string) string {
	f.t.Helper()
	var out []string
	for _, r := range f.references(namePath, rel).References {
		out = append(out, fmt.Sprintf("%s:%d", r.RelativePath, r.Line))
	}
	return strings.Join(out, " ")
}

// gopls answers for one module at a time, unless a go.work joins them: that is said.
func TestReferences_severalModules(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"lib/go.mod":            "module example.com/lib\n\ngo 1.21\n",
		"lib/lib.go":            "package lib\n\nfunc F() {}\n",
		"lib/other/other.go":    "package other\n\nimport \"example.com/lib\"\n\nvar _ = lib.F\n",
		"app/go.mod":            "module example.com/app\n\ngo 1.21\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ../lib\n",
		"app/app.go":            "package app\n\nimport \"example.com/lib\"\n\nfunc G() { lib.F() }\n",
		"lib/testdata/x/go.mod": "module example.com/x\n",
		"lib/testdata/x/x.go":   "package x\n",
	}
	f := withGopls(t, files)
	if got := f.places("F", "lib/lib.go"); got != "lib/other/other.go:4" {
		t.Errorf("references on %q", got)
	}
	got := f.references("F", "lib/lib.go")
	if want := "only the module in lib was searched: the project has 2, and no go.work joins them"; got.Complete || len(got.Notes) != 1 || got.Notes[0] != want {
		t.Errorf("complete %v, notes %q", got.Complete, got.Notes)
	}
	files["go.work"] = "go 1.21\n\nuse (\n\t./app\n\t./lib\n)\n"
	f = withGopls(t, files)
	if got := f.references("F", "lib/lib.go"); len(got.References) != 2 || got.References[0].RelativePath != "app/app.go" || !got.Complete {
		t.Errorf("joined: %+v", got)
	}
}

func TestIgnoredFiles(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{
		"go.mod": "module example.com/i\n", ".gitignore": "gen.go\n/out/\n", "a.go": "package i\n\nfunc F() {}\n",
		"gen.go": "package i\n\nfunc G() { F() }\n", "out/o.go": "package out\n\nfunc F() {}\n",
	})
	if got := f.find("F", nil); len(got.Symbols) != 1 || got.Symbols[0].RelativePath != "a.go" {
		t.Errorf("F: %+v", got)
	}
	if got := f.find("F", args{"relative_path": "out/o.go"}); len(got.Symbols) != 1 {
		t.Errorf("F in an ignored file that was named: %+v", got)
	}
	got := f.references("F", "a.go")
	if len(got.References) != 0 || len(got.Notes) != 2 || got.Notes[0] != "1 reference in ignored files not listed" {
		t.Errorf("references: %+v", got)
	}
}

func TestReferences_loadingFailed(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "modul example.com/n\n", "a.go": "package n\n\nfunc F() {}\n\nfunc g() { F() }\n"})
	f.fails(sdk.KindRuntime, "lsp", "find_referencing_symbols", args{"name_path": "F", "relative_path": "a.go"}, "gopls", "unknown directive: modul")
}
