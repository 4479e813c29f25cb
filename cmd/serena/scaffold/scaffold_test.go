package scaffold_test

import (
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/cmd/serena/scaffold"
	"github.com/serena-go/serena/sdk"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	checkout := filepath.Join(t.TempDir(), "check out")
	if err := os.Mkdir(checkout, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module github.com/serena-go/serena\n\ngo 1.30.1\n\nrequire a.b/c v1.0.0\n\nrequire (\n\td.e/f/v2 v2.0.0-x // indirect\n)\n\nreplace g => h v1.1.1\n",
		"go.sum": "sums\n",
	} {
		if err := os.WriteFile(filepath.Join(checkout, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parent := t.TempDir()
	folder, err := scaffold.Write(scaffold.Options{Name: "clock", Parent: parent, SDK: checkout})
	if err != nil || filepath.Base(folder) != "clock" {
		t.Fatal(folder, err)
	}
	want := "module example.org/clock\n\ngo 1.30.1\n\nrequire github.com/serena-go/serena v0.0.0\n\nrequire (\n\ta.b/c v1.0.0 // indirect\n\td.e/f/v2 v2.0.0-x // indirect\n)\n\n" +
		"replace github.com/serena-go/serena => \"" + checkout + "\"\n"
	if got := read(t, folder, "go.mod"); got != want {
		t.Errorf("go.mod is\n%s\nwant\n%s", got, want)
	}
	if got := read(t, folder, "go.sum"); got != "sums\n" {
		t.Errorf("go.sum is %q", got)
	}
	for _, name := range []string{"main.go", "main_test.go"} {
		text := read(t, folder, name)
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s is not formatted: %v", name, err)
		}
		if lines := strings.Count(text, "\n"); lines > 60 {
			t.Errorf("%s has %d lines", name, lines)
		}
		if strings.Contains(text, "{{") && !strings.Contains(text, "[]sdk.Facade{{") {
			t.Errorf("%s is not filled in:\n%s", name, text)
		}
	}
	if text := read(t, folder, "README.md"); strings.Contains(text, "tidy") || !strings.Contains(text, "go build -o ~/.serena/plugins/clock .") {
		t.Errorf("README.md is\n%s", text)
	}
	// What is there is left as it is.
	before := read(t, folder, "main.go")
	if _, err := scaffold.Write(scaffold.Options{Name: "clock", Parent: parent, SDK: checkout}); !sdk.IsKind(err, sdk.KindFileExists) || read(t, folder, "main.go") != before {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
		t.Errorf("left %v %v", entries, err)
	}
}

func TestWrite_againstARelease(t *testing.T) {
	t.Parallel()
	folder, err := scaffold.Write(scaffold.Options{Name: "clock", Parent: t.TempDir(), Version: "v1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, folder, "go.mod"); got != "module example.org/clock\n\ngo 1.26.0\n\nrequire github.com/serena-go/serena v1.2.3\n" {
		t.Errorf("go.mod is\n%s", got)
	}
	if text := read(t, folder, "README.md"); !strings.Contains(text, "go mod tidy") {
		t.Errorf("README.md is\n%s", text)
	}
}

func TestWrite_refuses(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	for name, says := range map[string]string{
		"my-plugin": "try my_plugin", "3d": "try my_3d", "class": "try my_class", "MyPlugin-2": "try my_plugin_2", "": "try my",
		"../up": "try up", "fs": "is taken by serena itself: choose another, such as my_fs", "-fs-": "try my_fs",
	} {
		_, err := scaffold.Write(scaffold.Options{Name: name, Parent: parent, Taken: []string{"fs"}})
		if !sdk.IsKind(err, sdk.KindValue) || !strings.HasSuffix(err.Error(), says) {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := scaffold.Write(scaffold.Options{Name: "good", Parent: parent, SDK: t.TempDir()})
	if !sdk.IsKind(err, sdk.KindValue) || !strings.Contains(err.Error(), "is no checkout of serena") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) != 0 {
		t.Errorf("left %v %v", entries, err)
	}
}
