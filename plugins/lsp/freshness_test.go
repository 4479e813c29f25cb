package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

func TestChangesByOthers(t *testing.T) {
	t.Parallel()
	two := "package f\n\n// note\n// note\n\nfunc One() int { return 11 }\n"
	f := withGopls(t, map[string]string{"go.mod": "module example.com/f\n", "f/f.go": "package f\n\nfunc One() int { return 1 }\n"})
	one := func() string {
		t.Helper()
		out := ""
		for _, s := range f.find("One", args{"include_body": true}).Symbols {
			out += fmt.Sprintf("%s:%d %s;", s.RelativePath, s.StartLine, *s.Body)
		}
		return out
	}
	expect := func(step, got, want string) {
		t.Helper()
		if got != want {
			t.Fatalf("%s: %q, want %q", step, got, want)
		}
	}
	twos := func() string {
		t.Helper()
		out := ""
		for _, r := range f.references("One", "f/f.go").References {
			out += fmt.Sprintf("%s:%d %s;", r.RelativePath, r.Line, r.Symbol.NamePath)
		}
		return fmt.Sprint(out, len(f.find("Two", nil).Symbols))
	}
	change := func(name, text string, kind sdk.ChangeKind) {
		t.Helper()
		write(t, f.root, name, text)
		f.Host.Report(sdk.FileChange{Path: name, Kind: kind})
	}
	expect("at first", one(), "f/f.go:2 func One() int { return 1 };")
	change("f/f.go", two, sdk.Changed)
	expect("rewritten", one(), "f/f.go:5 func One() int { return 11 };")
	change("f/g.go", "package f\n\nfunc Two() int { return One() }\n", sdk.Created)
	expect("a new file", twos(), "f/g.go:2 Two;1")
	if err := os.Remove(filepath.Join(f.root, "f/g.go")); err != nil {
		t.Fatal(err)
	}
	f.Host.Report(sdk.FileChange{Path: "f/g.go", Kind: sdk.Deleted})
	expect("deleted", twos(), "0")

	change("f/f.go", strings.Replace(two, "One", "Uno", 1), sdk.Changed)
	f.fails(sdk.KindLookup, "edit", "replace_symbol_body", args{"name_path": "One", "relative_path": "f/f.go", "body": "func One() int { return 0 }"}, "One", "f/f.go")
	expect("refused", contents(t, f.root, "f/f.go"), strings.Replace(two, "One", "Uno", 1))

	change("f/f.go", two, sdk.Changed)
	expect("before", one(), "f/f.go:5 func One() int { return 11 };")
	path := filepath.Join(f.root, "f/f.go")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, f.root, "f/f.go", strings.Replace(two, "return 11", "return 22", 1)) // nobody tells of it
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	expect("same size and time", one(), "f/f.go:5 func One() int { return 22 };")
}

// A file that no call has looked at before changes with its old time, and the server goes by times.
func TestChangesByOthers_backdated(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/f\n", "a.go": "package f\n\nfunc One() int { return 1 }\n", "b.go": "package f\n\nvar x = 1 + 111\n"})
	old := time.Now().Add(-time.Hour)
	path := filepath.Join(f.root, "b.go")
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	if n := len(f.references("One", "a.go").References); n != 0 {
		t.Fatalf("%d references at first", n)
	}
	write(t, f.root, "b.go", "package f\n\nvar x = 1+One()\n")
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	f.Host.Report(sdk.FileChange{Path: "b.go", Kind: sdk.Changed})
	if refs := f.references("One", "a.go").References; len(refs) != 1 || refs[0].Symbol.NamePath != "x" {
		t.Errorf("references: %+v", refs)
	}
}

func TestNothingFoundAndCouldNotLook(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"e.go": "package e\n", "tool.py": "def run(): pass\n", "sub/": ""})
	r := f.Into(t, nil, "lsp", "get_symbols_overview", args{"relative_path": "e.go"})
	if want := "{}\ne.go declares no symbols"; r.Text != want {
		t.Errorf("e.go: %q, want %q", r.Text, want)
	}
	f.fails(sdk.KindValue, "lsp", "get_symbols_overview", args{"relative_path": "tool.py"}, ".py", "go (gopls: *.go)")
	f.fails(sdk.KindValue, "lsp", "find_symbol", args{"name_path": "run", "relative_path": "tool.py"}, ".py", "go (gopls: *.go)")
	f.fails(sdk.KindIsADirectory, "lsp", "get_symbols_overview", args{"relative_path": "sub"}, "folder")
	f.fails(sdk.KindFileNotFound, "lsp", "get_symbols_overview", args{"relative_path": "gone.go"}, "does not exist")
	f.fails(sdk.KindFileNotFound, "lsp", "get_symbols_overview", args{"relative_path": "E.go"}, "did you mean e.go?")
	f.fails(sdk.KindPermission, "lsp", "find_symbol", args{"name_path": "x", "relative_path": "../x.go"}, "outside")
	f.fails(sdk.KindValue, "lsp", "find_symbol", args{"name_path": "/"}, "empty")
	f.fails(sdk.KindValue, "lsp", "find_symbol", args{"name_path": "x", "include_kinds": []int{99}}, "99")

	killed := f.pid()
	kill(t, killed)
	r = f.Into(t, nil, "lsp", "get_symbols_overview", args{"relative_path": "e.go"})
	if want := "{}\ne.go declares no symbols"; r.Text != want {
		t.Errorf("e.go after the kill: %q", r.Text)
	}
	write(t, f.root, "e2.go", "package e\n\nfunc E() {}\n")
	f.Host.Report(sdk.FileChange{Path: "e2.go", Kind: sdk.Created})
	if r = f.Into(t, nil, "lsp", "get_symbols_overview", args{"relative_path": "e2.go"}); r.Text != `{"Function":["E"]}` {
		t.Errorf("e2.go after the kill: %q", r.Text)
	}
	if f.pid() == killed {
		t.Error("the killed server is said to run")
	}
}

func TestStop_leavesNoServer(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/e\n", "e.go": "package e\n\nfunc E() {}\n"})
	f.find("E", nil)
	pid := f.pid()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	f.plugin.stop(ctx)
	if alive(t, pid) {
		t.Errorf("gopls (pid %d) lives on", pid)
	}
	f.fails(sdk.KindConnection, "lsp", "find_symbol", args{"name_path": "E"}, "the plugin lsp is ending")
}
