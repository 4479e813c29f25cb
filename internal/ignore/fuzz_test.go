package ignore_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/ignore"
)

// FuzzIgnored puts the rules of two files and a path to git check-ignore.
func FuzzIgnored(f *testing.F) {
	f.Add("*.o\n!keep.o\n", "", "a/keep.o")
	f.Add("/a/**/b\nc/\n", "!c\n", "a/c/b")
	f.Add("a**b\n[!x]y\n\\#z\n", "*\n!*/\n", "a/d/#z")
	f.Add("é\n**/d \n", "/d\\ \n", "a/d ")
	f.Fuzz(func(t *testing.T, top, inner, rel string) {
		if rel != path.Clean(rel) || path.IsAbs(rel) || strings.HasPrefix(rel, "..") || rel == "." || len(rel) > 200 || strings.ContainsAny(rel, "\x00\n\\") ||
			strings.Contains(rel, ".git") || strings.Contains(top+inner, "\x00") || len(top)+len(inner) > 2000 {
			t.Skip("not for this comparison")
		}
		root := t.TempDir()
		file := filepath.Join(root, rel)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Skip(err) // a name that is too long
		}
		if err := os.MkdirAll(filepath.Join(root, "a"), 0o755); err != nil {
			t.Skip(err)
		}
		for name, text := range map[string]string{file: "", filepath.Join(root, ".gitignore"): top, filepath.Join(root, "a", ".gitignore"): inner} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Skip(err)
			}
		}
		git(t, root, "", "init", "-q")
		m, err := ignore.New(root)
		if err != nil {
			t.Fatal(err)
		}
		paths := everything(t, root)
		want := gitIgnores(t, root, paths)
		for p, isDir := range paths {
			if got := m.Ignored(p, isDir); got != want[p] {
				t.Errorf("%q under %q and, in a, %q: ignored %v, git %v", p, top, inner, got, want[p])
			}
		}
	})
}
