package repl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// program writes an executable shell script and returns its folder and path. Each run of it adds a line to the file `runs` beside it.
func program(t *testing.T, name, body string) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, name)
	script := "#!/bin/sh\necho run >>'" + filepath.Join(dir, "runs") + "'\n" + body + "\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, path
}

func runs(t *testing.T, dir string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(data), "run\n")
}

func find(t *testing.T, o FindOptions) (Interpreter, error) {
	t.Helper()
	return FindPython(limited(t), o)
}

func TestFindPython_takes_the_first_that_fits(t *testing.T) {
	t.Parallel()
	old, _ := program(t, "python3", "echo 3.8.20; echo /opt/old")
	broken, _ := program(t, "python3", "echo kaputt >&2; exit 9")
	good, path := program(t, "python3", "echo 3.12.1; echo")
	last, _ := program(t, "python", "echo 3.13.0; echo")
	env := []string{"PATH=relative:" + strings.Join([]string{last, t.TempDir(), old, broken, good}, ":") + ":/usr/bin:/bin"}
	home := t.TempDir()
	for range 2 {
		got, err := find(t, FindOptions{Env: env, Home: home})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "found", got, Interpreter{path, "3.12.1"})
	}
	equal(t, "runs of the one that fits", runs(t, good), 1)
	equal(t, "runs of the one after", runs(t, last), 0)
}

func TestFindPython_asks_again_when_the_program_changed(t *testing.T) {
	t.Parallel()
	dir, path := program(t, "python3", "echo 3.12.1; echo")
	o := FindOptions{Env: []string{"PATH=" + dir + ":/bin"}, Home: t.TempDir()}
	if _, err := find(t, o); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho 3.14.0; echo # another\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := find(t, o)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "version", got.Version, "3.14.0")
}

func TestFindPython_resolves_a_shim(t *testing.T) {
	t.Parallel()
	_, real := program(t, "python3.13", "exit 1")
	dir, _ := program(t, "python3", "echo 3.13.2; echo '"+real+"'")
	got, err := find(t, FindOptions{Env: []string{"PATH=" + dir + ":/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "found", got, Interpreter{real, "3.13.2"})
}

func TestFindPython_a_named_one_is_the_only_one(t *testing.T) {
	t.Parallel()
	onPath, _ := program(t, "python3", "echo 3.12.1; echo")
	_, named := program(t, "mine", "echo 3.11.4; echo")
	_, other := program(t, "other", "echo 3.10.0; echo")
	env := []string{"PATH=" + onPath + ":/bin", "SERENA_PYTHON=" + other}
	got, err := find(t, FindOptions{Configured: named, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "configured", got, Interpreter{named, "3.11.4"})
	got, err = find(t, FindOptions{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "SERENA_PYTHON", got, Interpreter{other, "3.10.0"})
	got, err = find(t, FindOptions{Configured: "python3", Env: env})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "a command's name", got.Version, "3.12.1")
}

func TestFindPython_tells_what_it_found_and_what_to_do(t *testing.T) {
	t.Parallel()
	old, oldPath := program(t, "python3", "echo 3.8.20; echo")
	two, twoPath := program(t, "python", "echo 2.7.18; echo")
	broken, brokenPath := program(t, "python3", "echo kaputt >&2; exit 9")
	silly, sillyPath := program(t, "python3", "echo hello")
	for name, c := range map[string]struct {
		o    FindOptions
		want []string
	}{
		"nothing": {FindOptions{Env: []string{"PATH=" + t.TempDir()}}, []string{"no python3 and no python is on PATH", "install Python 3.10 or newer", "`repl_python`", "SERENA_PYTHON"}},
		"none fit": {FindOptions{Env: []string{"PATH=" + strings.Join([]string{old, broken, two, silly}, ":") + ":/nonexistent"}}, []string{
			oldPath + " is Python 3.8.20", twoPath + " is Python 2.7.18", brokenPath + " does not work: asked for its version it ended with exit code 9: kaputt",
			sillyPath + ` does not work: asked for its version it answered "hello"`, "install Python 3.10 or newer"}},
		"configured is missing":    {FindOptions{Configured: "/nonexistent/python", Env: []string{"PATH=" + old}}, []string{"repl_python names /nonexistent/python", "no such file", "correct `repl_python`"}},
		"configured is no command": {FindOptions{Configured: "python9", Env: []string{"PATH=" + old}}, []string{"repl_python names python9, which is not on PATH"}},
		"configured is too old":    {FindOptions{Configured: oldPath}, []string{oldPath + " is Python 3.8.20", "correct `repl_python`"}},
		"variable is a folder":     {FindOptions{Env: []string{"SERENA_PYTHON=" + old}}, []string{"SERENA_PYTHON names " + old, "directory", "correct SERENA_PYTHON"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := find(t, c.o)
			if !sdk.IsKind(err, sdk.KindFileNotFound) {
				t.Fatalf("err = %v", err)
			}
			contains(t, err.Error(), c.want...)
		})
	}
}

func TestFindPython_survives_a_damaged_cache(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, "cache", "python.json")
	if err := replaceFile(file, []byte("{half")); err != nil {
		t.Fatal(err)
	}
	dir, path := program(t, "python3", "echo 3.12.1; echo")
	got, err := find(t, FindOptions{Env: []string{"PATH=" + dir + ":/bin"}, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "found", got.Path, path)
}
