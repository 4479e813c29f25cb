package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// newProject makes the small Go project that the tests and js/drive.mjs work on.
func newProject(t *testing.T) string {
	t.Helper()
	return makeProject(t, map[string]string{
		"go.mod":     "module example.com/box\n\ngo 1.24\n",
		"notes.txt":  "one\ntwo\nthree\n",
		"box/box.go": "package box\n\n// Basket holds n.\ntype Basket struct{ n int }\n\n// Add adds k.\nfunc (b *Basket) Add(k int) { b.n += k }\n\nfunc Sum(b Basket) int { return b.n }\n",
		"box/use.go": "package box\n\nfunc Fill(b *Basket) {\n\tb.Add(1)\n\tb.Add(2)\n}\n",
	})
}

// makeProject writes files into a fresh folder and returns its path with links resolved.
func makeProject(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// environment is what a started serena sees: a Serena home of its own, and gopls on the PATH.
func environment(home string, more ...string) []string {
	env := append(os.Environ(), "SERENA_HOME="+home, "PATH="+goplsDir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return append(env, more...)
}

// linkPrograms makes a folder hold just these programs of the machine, so that it can stand for a PATH without the rest.
func linkPrograms(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "python3" { // a version manager's shim needs more than itself
			out, err := exec.CommandContext(t.Context(), path, "-c", "import sys; print(sys.executable)").Output()
			if err != nil {
				t.Fatal(err)
			}
			path = strings.TrimSpace(string(out))
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
