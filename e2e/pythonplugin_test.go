package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPythonPlugin drives examples/plugin-python: the wire needs no Go.
func TestPythonPlugin(t *testing.T) {
	t.Parallel()
	python := os.Getenv("SERENA_TEST_GRPC_PYTHON")
	switch python {
	case "none":
		t.Skip("grpcio was declared to be missing (GRPC_PYTHON=none), so a plugin in Python cannot be run")
	case "":
		t.Fatal("SERENA_TEST_GRPC_PYTHON must name a Python with grpcio: run `make test`, which gets one")
	}
	home, project := t.TempDir(), t.TempDir()
	install := exec.CommandContext(t.Context(), "../examples/plugin-python/install", filepath.Join(home, "plugins", "words"))
	install.Env = append(os.Environ(), "SERENA="+binary, "PYTHON="+python)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	file := filepath.Join(project, "a.txt")
	if err := os.WriteFile(file, []byte("the cat and the dog and the\r\nold cat\xff"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, "plain.txt"), []byte("the cat and the dog and the\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := start(t, project, withHome(home))
	c.has("words")
	for code, want := range map[string]string{
		`s.words.count("plain.txt", top=2).common`: "{'the': 3, 'and': 2}",
		`s.words.count("plain.txt")`:               `{"total":7,"common":{"the":3,"and":2,"cat":1,"dog":1}}`,
		`[c.total for c in await __import__("asyncio").gather(*[s.aio.words.count("plain.txt") for _ in range(40)])] == [7] * 40`: "True",
		`s.words.capitalize("a.txt", "cat")`: "2",
	} {
		c.gives(code, want)
	}
	c.fails(`s.words.capitalize("none.txt", "cat")`, "FileNotFoundError: words.capitalize: none.txt cannot be read: No such file or directory")
	c.fails(`s.words.capitalize("../x.txt", "cat")`, "PermissionError: words.capitalize: ../x.txt is outside the project")
	c.fails(`s.words.count("none.txt")`, "FileNotFoundError", "none.txt")
	c.fails(`s.words.count("plain.txt", tops=1)`, "TypeError", `did you mean 'top'`)
	got, err := os.ReadFile(file)
	if want := "the Cat and the dog and the\r\nold Cat\xff"; err != nil || string(got) != want {
		t.Errorf("the file holds %q (%v), want %q", got, err, want)
	}
}
