package e2e

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// eval runs `serena eval` and returns its status and what it printed.
func eval(t *testing.T, env []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"eval"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &errs, env
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestEval(t *testing.T) {
	t.Parallel()
	project, home := newProject(t), t.TempDir()
	env := environment(home)
	for name, c := range map[string]struct {
		cell, stdout string
	}{
		"a value":             {"1+1", "2\n"},
		"nothing":             {"x = 1", ""},
		"printed and a value": {"print('a')\n'b'", "a\nb\n"},
		"a file":              {`s.fs.read_file("notes.txt").lines`, "one\ntwo\nthree\n"},
		"a symbol":            {`[x.name_path for x in s.lsp.find_symbol("Fill")]`, "Fill\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := eval(t, env, "--project", project, c.cell)
			if status != 0 || stdout != c.stdout || stderr != "" {
				t.Errorf("status %d, stdout %q, stderr %q; want 0 and %q", status, stdout, stderr, c.stdout)
			}
		})
	}
	missing := filepath.Join(project, "missing")
	for name, c := range map[string]struct {
		project, cell, says string
	}{
		"an exception":     {project, "print('before')\n1/0", "ZeroDivisionError: division by zero"},
		"a syntax error":   {project, "q = (2", "SyntaxError"},
		"a facade's error": {project, `s.fs.read_file("gone")`, "FileNotFoundError"},
		"no such project":  {missing, "1", missing},
		"like a flag":      {project, "-1", "behind --"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, stdout, stderr := eval(t, env, "--project", c.project, c.cell)
			if status != 1 || stdout != "" || !strings.Contains(stderr, c.says) {
				t.Errorf("status %d, stdout %q, stderr %q; want 1, nothing, and %q", status, stdout, stderr, c.says)
			}
		})
	}
	t.Run("a faulty configuration", func(t *testing.T) {
		t.Parallel()
		project := makeProject(t, map[string]string{".serena/project.yml": "nope: 1\nplugins: {fss: {x: 1}}\n"})
		status, stdout, stderr := eval(t, env, "--project", project, "1")
		if status != 0 || stdout != "1\n" || !strings.Contains(stderr, `nobody knows the key "nope"`) || !strings.Contains(stderr, "there is no plugin fss, so what is said of it has no effect; did you mean fs?") {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	})
	t.Run("no cell", func(t *testing.T) {
		t.Parallel()
		if status, stdout, stderr := eval(t, env); status != 1 || stdout != "" || stderr == "" {
			t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
		}
	})
}
