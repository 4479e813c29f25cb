package servers

import (
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGoTags(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string][]string{
		"": nil, "-mod=mod": nil, "-tags=a,b": {"a", "b"}, "--tags=a": {"a"}, "-tags a,b -race": {"a", "b"}, "-tags=a -tags=b": {"b"}, "'-tags=a'": {"a"}, "-tags": nil, "-tags=": {},
	} {
		if got := goTags(strings.Fields(flags)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", flags, got, want)
		}
	}
}

func TestGoLeftOut(t *testing.T) {
	t.Parallel()
	b := goBuild{build.Default}
	b.GOOS, b.GOARCH, b.CgoEnabled, b.BuildTags, b.ReleaseTags = "linux", "amd64", true, []string{"have"}, []string{"go1.1", "go1.2"}
	plain := "package p\n"
	for name, c := range map[string]struct {
		name, declared, path, text, want string
	}{
		"plain":                  {"F", "f.go", "a.go", plain, ""},
		"own platform":           {"F", "f.go", "a_linux_amd64.go", plain, ""},
		"other system":           {"F", "f.go", "d/a_darwin.go", plain, "its name says another platform than linux/amd64"},
		"other processor":        {"F", "f.go", "a_arm64_test.go", plain, "its name says another platform than linux/amd64"},
		"a test":                 {"F", "f.go", "a_test.go", plain, ""},
		"given tag":              {"F", "f.go", "a.go", "//go:build have\n\n" + plain, ""},
		"missing tag":            {"F", "f.go", "a.go", "// Licence.\n\n//go:build missing && !have\n\n" + plain, "//go:build missing && !have"},
		"old constraint":         {"F", "f.go", "a.go", "// +build missing\n\n" + plain, "// +build missing"},
		"later Go":               {"F", "f.go", "a.go", "//go:build go1.3\n\n" + plain, "//go:build go1.3"},
		"cgo":                    {"F", "f.go", "a.go", "//go:build !cgo\n\n" + plain, "//go:build !cgo"},
		"both":                   {"F", "f.go", "a_windows.go", "//go:build missing\n\n" + plain, "//go:build missing"},
		"constraint in the text": {"F", "f.go", "a.go", plain + "\n//go:build missing\n", ""},
		"underscore":             {"F", "f.go", "_a.go", plain, `its name begins with "_"`},
		"unreadable":             {"F", "f.go", "a.go", "not Go", ""},
		"unexported, elsewhere":  {"f", "f.go", "d/a_darwin.go", plain, ""},
		"unexported, here":       {"f", "d/f.go", "d/a_darwin.go", plain, "its name says another platform than linux/amd64"},
		"declared for another":   {"F", "f_windows.go", "a_windows_amd64.go", plain, ""},
		"and used in our own":    {"F", "f_windows.go", "a_linux.go", plain, "its name says another platform than windows/amd64"},
		"declared nowhere":       {"F", "f_windows_s390x.go", "a_darwin.go", plain, "its name says another platform than linux/amd64"},
	} {
		if got := b.leftOut(c.name, File{c.declared, plain}, File{c.path, c.text}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The go command's answer counts: a variable may stand in a file of its own.
func TestGoLeftOut_environment(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(file, []byte("GOFLAGS=-tags=one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	own, err := json.Marshal(map[string]any{"gopls_settings": map[string]any{"env": map[string]string{"GOENV": file, "GOFLAGS": "", "GOOS": "plan9", "GOARCH": "386"}}})
	if err != nil {
		t.Fatal(err)
	}
	leftOut, err := goLeftOut(t.Context(), NewInstaller(0), t.TempDir(), Settings{Own: own})
	if err != nil {
		t.Fatal(err)
	}
	declared := File{"f.go", "package p\n"}
	for name, want := range map[string]string{"a_plan9.go": "", "a_linux.go": "its name says another platform than plan9/386"} {
		if got := leftOut("F", declared, File{name, "package p\n"}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := leftOut("F", declared, File{"a.go", "//go:build one && go1.21\n\npackage p\n"}); got != "" {
		t.Errorf("a tag from the file: %q", got)
	}
	for _, bad := range []string{`{"gopls_settings": 1}`, `{"gopls_settings": {"env": {"GOTOOLCHAIN": "nonsense"}}}`} {
		if _, err := goLeftOut(t.Context(), NewInstaller(0), t.TempDir(), Settings{Own: json.RawMessage(bad)}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestGoSyntaxError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"package p\n\nfunc F() {}\n": -1, "package p\n\nfunc F( {}\n": 19, "": 0, "package p\n//line x:900\nvar = 1\n//line x:1\nvar = 2\n": 27,
		"package p\n\nvar a int = \"type error\"\n": -1,
	} {
		at, found := goSyntaxError(text)
		if found != (want >= 0) || found && at != want {
			t.Errorf("%q: %d %v, want %d", text, at, found, want)
		}
	}
}
