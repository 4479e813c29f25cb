package repl

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestCommand_imports_nothing_of_the_folder_it_starts_in(t *testing.T) {
	t.Parallel()
	python, err := FindPython(limited(t), FindOptions{Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := Extract(sharedHome(t))
	if err != nil {
		t.Fatal(err)
	}
	project, marker := t.TempDir(), filepath.Join(t.TempDir(), "marker")
	if err := os.Mkdir(filepath.Join(project, "rlm"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"json.py", "signal.py", "select.py", "runpy.py", "os.py", "site.py", "asyncio.py", "rlm/__init__.py", "rlm/repl.py"} {
		code := fmt.Sprintf("open(%q, 'a').write(%q)\n", marker, name)
		if err := os.WriteFile(filepath.Join(project, name), []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	argv, env := Command(python, dir, project, append(os.Environ(), "PYTHONPATH=lib:/nonexistent"))
	cmd := exec.CommandContext(limited(t), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const requests = `{"type": "execute", "id": "a", "code": "1+1"}
{"type": "execute", "id": "b", "code": "import os, sys\nsys.path[0], os.getcwd(), os.environ['PYTHONPATH']"}
{"type": "shutdown"}
`
	if _, err := stdin.Write([]byte(requests)); err != nil {
		t.Error(err)
	}
	var lines []string
	for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
		lines = append(lines, scanner.Text())
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if len(lines) != 5 {
		t.Fatalf("frames: %q", lines)
	}
	contains(t, lines[0], `"ready"`)
	contains(t, lines[1], `"result"`, `"2"`)
	contains(t, lines[3], fmt.Sprintf(`('', '%s', '%s/lib:/nonexistent')`, project, project))
	if text, err := os.ReadFile(marker); !os.IsNotExist(err) {
		t.Errorf("imported: %q, %v", text, err)
	}
}
