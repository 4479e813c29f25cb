package contain_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/serena-go/serena/internal/contain"
)

// tree makes outside/secret.txt, project/… and the links that the tests need; it returns the base folder.
func tree(t *testing.T) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"outside/deep", "project/src/sub", "project-two", "data/memories"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"outside/secret.txt", "project/src/a.go", "project/a\\b.txt", "project/..hidden", "project-two/x"} {
		if err := os.WriteFile(filepath.Join(base, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"alias":               "project",
		"project/out":         "../outside",
		"project/outfile":     filepath.Join(base, "outside/secret.txt"),
		"project/dangling":    "../outside/new.txt",
		"project/inner":       "src",
		"project/infile":      "src/a.go",
		"project/new":         "src/not-yet.go",
		"project/self":        "self",
		"project/ping":        "pong",
		"project/pong":        "ping",
		"project/up":          "..",
		"project/around":      "../project/src",
		"project/deeplink":    "../outside/deep",
		"project/sneaky":      "deeplink/../new.txt",
		"project/throughgone": "gone/../../outside/secret.txt",
		"project/.data":       "../data",
		"project/loop2":       "inner/../loop2",
	} {
		if err := os.Symlink(target, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func TestResolve_inside(t *testing.T) {
	t.Parallel()
	base := tree(t)
	project := filepath.Join(base, "project")
	for path, want := range map[string][2]string{ // path → Rel, Real below the project
		"":                               {".", "."},
		".":                              {".", "."},
		"./":                             {".", "."},
		"src":                            {"src", "src"},
		"src/":                           {"src", "src"},
		"src//a.go":                      {"src/a.go", "src/a.go"},
		"./src/../src/./a.go":            {"src/a.go", "src/a.go"},
		"../project/src":                 {"src", "src"},
		"src/sub/../../src":              {"src", "src"},
		"nope/new/file.txt":              {"nope/new/file.txt", "nope/new/file.txt"},
		"src/new.go":                     {"src/new.go", "src/new.go"},
		"a\\b.txt":                       {"a\\b.txt", "a\\b.txt"},
		"..\\x":                          {"..\\x", "..\\x"},
		"..hidden":                       {"..hidden", "..hidden"},
		"...":                            {"...", "..."},
		"~":                              {"~", "~"},
		"inner/a.go":                     {"inner/a.go", "src/a.go"},
		"inner/new/x":                    {"inner/new/x", "src/new/x"},
		"infile":                         {"infile", "src/a.go"},
		"new":                            {"new", "src/not-yet.go"},
		"around/a.go":                    {"around/a.go", "src/a.go"},
		"up/project/src":                 {"up/project/src", "src"},
		"out/../src":                     {"src", "src"},
		project:                          {".", "."},
		project + "/":                    {".", "."},
		project + "/src/a.go":            {"src/a.go", "src/a.go"},
		project + "/inner/a.go":          {"inner/a.go", "src/a.go"},
		base + "/alias/src/a.go":         {"src/a.go", "src/a.go"},
		base + "/alias":                  {".", "."},
		base + "/alias/src/new":          {"src/new", "src/new"},
		base + "/outside/../project/src": {"src", "src"},
	} {
		got, err := contain.Resolve(project, path)
		want := contain.Path{Rel: want[0], Abs: filepath.Join(project, want[0]), Real: filepath.Join(project, want[1])}
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", path, got, err, want)
		}
	}
}

func TestResolve_outside(t *testing.T) {
	t.Parallel()
	base := tree(t)
	project := filepath.Join(base, "project")
	for path, real := range map[string]string{
		"..":                        base,
		"../":                       base,
		"../outside/secret.txt":     base + "/outside/secret.txt",
		"src/../../outside":         base + "/outside",
		"../project-two/x":          base + "/project-two/x",
		base:                        base,
		base + "/project-two":       base + "/project-two",
		project + "/../outside":     base + "/outside",
		"/etc/passwd":               "/etc/passwd",
		"/":                         "/",
		"out":                       base + "/outside",
		"out/secret.txt":            base + "/outside/secret.txt",
		"out/new.txt":               base + "/outside/new.txt",
		"outfile":                   base + "/outside/secret.txt",
		"dangling":                  base + "/outside/new.txt",
		"up":                        base,
		"up/outside":                base + "/outside",
		"up/project-two/x":          base + "/project-two/x",
		"sneaky":                    base + "/outside/new.txt",
		".data/memories":            base + "/data/memories",
		project + "/out/secret.txt": base + "/outside/secret.txt",
	} {
		_, err := contain.Resolve(project, path)
		var out *contain.OutsideError
		if !errors.As(err, &out) {
			t.Errorf("%q: got %v, want an OutsideError", path, err)
			continue
		}
		if *out != (contain.OutsideError{Path: path, Root: project, Real: real}) {
			t.Errorf("%q: got %+v", path, *out)
		}
	}
	_, err := contain.Resolve(project, "../outside")
	want := `"../outside" leads to ` + base + `/outside, outside the project ` + project +
		`: only paths inside the project can be used; give a path relative to the project's root`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestResolve_other_errors(t *testing.T) {
	t.Parallel()
	base := tree(t)
	project := filepath.Join(base, "project")
	for path, check := range map[string]func(error) bool{
		"a\x00b":                 func(err error) bool { return strings.Contains(err.Error(), "NUL byte") },
		"src\x00/../..":          func(err error) bool { return strings.Contains(err.Error(), "NUL byte") },
		"self":                   func(err error) bool { return strings.Contains(err.Error(), "more than 40 links") },
		"ping/x":                 func(err error) bool { return strings.Contains(err.Error(), "more than 40 links") },
		"loop2":                  func(err error) bool { return strings.Contains(err.Error(), "more than 40 links") },
		"throughgone":            func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
		"src/a.go/x":             func(err error) bool { return errors.Is(err, syscall.ENOTDIR) },
		strings.Repeat("n", 300): func(err error) bool { return errors.Is(err, syscall.ENAMETOOLONG) },
	} {
		got, err := contain.Resolve(project, path)
		if err == nil || !check(err) || got != (contain.Path{}) {
			t.Errorf("%q: got %+v, %v", path, got, err)
		}
		var out *contain.OutsideError
		if errors.As(err, &out) {
			t.Errorf("%q: reported as outside", path)
		}
	}
}

func TestRoot_that_is_a_link(t *testing.T) {
	t.Parallel()
	base := tree(t)
	root, err := contain.NewRoot(filepath.Join(base, "alias"))
	if err != nil {
		t.Fatal(err)
	}
	if root.Abs() != base+"/alias" || root.Real() != base+"/project" {
		t.Errorf("root is %s, %s", root.Abs(), root.Real())
	}
	for _, path := range []string{"src/a.go", base + "/alias/src/a.go", base + "/project/src/a.go"} {
		got, err := root.Resolve(path)
		want := contain.Path{Rel: "src/a.go", Abs: base + "/alias/src/a.go", Real: base + "/project/src/a.go"}
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", path, got, err, want)
		}
	}
	if _, err := root.Resolve("out"); err == nil {
		t.Error("a link out of the linked root is accepted")
	}
}

func TestRoot_further_roots(t *testing.T) {
	t.Parallel()
	base := tree(t)
	root, err := contain.NewRoot(filepath.Join(base, "project"),
		contain.AlsoAllowed(filepath.Join(base, "data")), contain.AlsoAllowed(filepath.Join(base, "not-yet")))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]contain.Path{
		".data/memories/m.md": {Rel: ".data/memories/m.md", Abs: base + "/project/.data/memories/m.md", Real: base + "/data/memories/m.md"},
		base + "/data":        {Rel: base + "/data", Abs: base + "/data", Real: base + "/data"},
		base + "/data/x/../y": {Rel: base + "/data/y", Abs: base + "/data/y", Real: base + "/data/y"},
		base + "/not-yet/f":   {Rel: base + "/not-yet/f", Abs: base + "/not-yet/f", Real: base + "/not-yet/f"},
	} {
		got, err := root.Resolve(path)
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v; want %+v", path, got, err, want)
		}
	}
	for _, path := range []string{"../data", "../data/memories", base + "/data/../outside", "out", base + "/data2", base} {
		var out *contain.OutsideError
		if _, err := root.Resolve(path); !errors.As(err, &out) {
			t.Errorf("%q: got %v, want an OutsideError", path, err)
		}
	}
}

func TestNewRoot_refuses_what_is_no_folder(t *testing.T) {
	t.Parallel()
	base := tree(t)
	if _, err := contain.NewRoot(base + "/gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing root: %v", err)
	}
	if _, err := contain.NewRoot(base + "/project/src/a.go"); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("file as root: %v", err)
	}
	if _, err := contain.NewRoot(base+"/project", contain.AlsoAllowed(base+"/project/self")); err == nil {
		t.Error("a further root that is a loop of links is accepted")
	}
}
