package e2e

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// command runs serena in a folder and returns its status and what it printed.
func command(t *testing.T, home, dir string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &out, &errs, environment(home)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// installScripts puts programs that are no plugins into a Serena home.
func installScripts(t *testing.T, home string, scripts map[string]string) {
	t.Helper()
	for name, script := range scripts {
		path := filepath.Join(home, "plugins", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// columns reads what list prints: the rest of each line by its first word.
func columns(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		all[name] = strings.Join(strings.Fields(rest), " ")
	}
	return all
}

func TestPluginList(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if status, stdout, stderr := command(t, home, home, "plugin", "list"); status != 0 || stdout != "" || !strings.Contains(stderr, "no plugins of others") {
		t.Errorf("none: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	installTrial(t, home)
	installScripts(t, home, map[string]string{"talks": "echo hello\n", "fails": "echo no licence >&2; exit 3\n", "deep/plugin": "echo hello\n", "off": "touch '" + home + "/ran'\n"})
	if err := os.WriteFile(filepath.Join(home, "plugins", "README.md"), []byte("# plugins\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte("plugins:\n  off:\n    enabled: false\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, "plugins")
	for range 2 { // asked, and remembered
		status, stdout, stderr := command(t, home, home, "plugin", "list")
		got := columns(stdout)
		if status != 0 || stderr != "" || len(got) != 6 {
			t.Fatalf("status %d, stderr %q\n%s", status, stderr, stdout)
		}
		for name, want := range map[string]string{
			"trial": "ready " + folder + "/trial 1 s.trial", "talks": "refused " + folder + `/talks ` + folder + `/talks is no plugin that can be used: "` + folder + `/talks manifest" was run for its declaration, and it printed "hello", which is no manifest`,
			"fails": "refused " + folder + "/fails ", "deep": "refused " + folder + "/deep/plugin ", "off": "disabled " + folder + "/off",
			"README.md": "ignored " + folder + "/README.md is not executable: chmod +x it if it is a plugin",
		} {
			if !strings.HasPrefix(got[name], want) {
				t.Errorf("%s is %q, want %q", name, got[name], want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(home, "ran")); err == nil {
		t.Error("a disabled plugin was run")
	}
}

func TestPluginCheck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	installTrial(t, home)
	path, err := trial()
	if err != nil {
		t.Fatal(err)
	}
	installScripts(t, home, map[string]string{
		"talks": "echo hello\n", "liar": "if [ \"$1\" = manifest ]; then exec '" + path + "' manifest; fi\necho no handshake\n",
	})
	folder := filepath.Join(home, "plugins")
	for arg, says := range map[string]string{
		"trial": "", filepath.Join(folder, "trial"): "",
		"talks": `it printed "hello", which is no manifest`, "liar": `printed "no handshake" first, where the handshake belongs`,
		"missing": "missing is not there", ".": "plugins/plugin is not there",
	} {
		status, stdout, stderr := command(t, home, folder, "plugin", "check", arg)
		if says == "" {
			if status != 0 || stderr != "" || !strings.HasPrefix(stdout, arg+" can be used: trial 1 s.trial") {
				t.Errorf("%s: status %d, stdout %q, stderr %q", arg, status, stdout, stderr)
			}
		} else if status != 1 || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", arg, status, stdout, stderr)
		}
	}
}

func TestPluginEnableAndDisable(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), newProject(t)
	installTrial(t, home)
	file := filepath.Join(home, "serena_config.yml")
	const before = "# mine\nprojects: []  # none yet\n"
	if err := os.WriteFile(file, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ word, prints, file, has string }{
		{"enable", "trial is enabled already\n", before, "True\n"},
		{"disable", "trial is disabled, in " + file + "\n", before + "plugins:\n  trial:\n    enabled: false\n", "False\n"},
		{"disable", "trial is disabled already\n", before + "plugins:\n  trial:\n    enabled: false\n", "False\n"},
		{"enable", "trial is enabled, in " + file + "\n", before + "plugins:\n  trial:\n    enabled: true\n", "True\n"},
	} {
		status, stdout, stderr := command(t, home, home, "plugin", step.word, "trial")
		if status != 0 || stdout != step.prints || stderr != "" {
			t.Errorf("%s: status %d, stdout %q, stderr %q", step.word, status, stdout, stderr)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != step.file {
			t.Errorf("%s: %v, the file is %q", step.word, err, got)
		}
		if _, stdout, stderr := eval(t, environment(home), "--project", project, `hasattr(s, "trial")`); stdout != step.has {
			t.Errorf("%s: there is %q, %q", step.word, stdout, stderr)
		}
	}
	if status, stdout, stderr := command(t, home, home, "plugin", "disable", "trail"); status != 1 || stdout != "" || !strings.Contains(stderr, `there is no plugin "trail"; did you mean trial?`) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestPluginInfo(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), newProject(t)
	installTrial(t, home)
	path, err := trial()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte("plugins:\n  trial: {sha256: '"+sum+"'}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := command(t, home, home, "plugin", "info", "trial")
	for _, part := range []string{"trial 1\nstate: ready\npath: " + home + "/plugins/trial\nsha256: " + sum + "\n", "\ns.trial", "shapes("} {
		if status != 0 || stderr != "" || !strings.Contains(stdout, part) {
			t.Errorf("status %d, stderr %q, no %q in\n%s", status, stderr, part, stdout)
		}
	}
	c := start(t, project, withHome(home))
	c.has("trial")
	c.gives(`s.trial.steal()`, "stolen")
	running := regexp.MustCompile(`(?m)^in the serena of pid \d+: running, pid \d+, \d+\.\d MiB$`)
	until(t, "the running plugin", func() bool {
		_, stdout, _ := command(t, home, home, "plugin", "info", "trial")
		return strings.Contains(stdout, "state: running\n") && running.MatchString(stdout)
	})
	if status, stdout, _ := command(t, home, home, "plugin", "info", "fs"); status != 0 || !strings.Contains(stdout, "built in") || !strings.Contains(stdout, "read_file(") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
	if status, stdout, stderr := command(t, home, home, "plugin", "info", "trail"); status != 1 || stdout != "" || !strings.Contains(stderr, "did you mean trial?") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// TestPluginNew: what is written builds from what a checkout needs anyway, passes the suite, is found, and answers.
func TestPluginNew(t *testing.T) {
	t.Parallel()
	home, work := t.TempDir(), t.TempDir()
	checkout, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := command(t, home, work, "plugin", "new", "words", "--sdk", checkout); status != 0 || !strings.Contains(stdout, "cd words && go test ./...") || stderr != "" {
		t.Fatalf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	module := filepath.Join(work, "words")
	for _, args := range [][]string{{"build", "-o", filepath.Join(home, "plugins", "words"), "."}, {"vet", "./..."}, {"test", "./..."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = module, append(os.Environ(), "GOPROXY=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
	}
	if status, _, stderr := command(t, home, work, "plugin", "check", filepath.Join(home, "plugins", "words")); status != 0 {
		t.Errorf("check: status %d, stderr %q", status, stderr)
	}
	status, stdout, stderr := eval(t, environment(home), `[(w.text, w.count) for w in s.words.count("b a b")]`)
	if status != 0 || stdout != "('b', 2)\n('a', 1)\n" || stderr != "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	if status, _, stderr := command(t, home, work, "plugin", "new", "words"); status != 1 || !strings.Contains(stderr, "is there already and is left as it is") {
		t.Errorf("once more: status %d, stderr %q", status, stderr)
	}
	if status, _, stderr := command(t, home, work, "plugin", "new", "my-words"); status != 1 || !strings.Contains(stderr, "try my_words") {
		t.Errorf("no name: status %d, stderr %q", status, stderr)
	}
}

// TestPluginWithAnotherSum: a changed executable is refused with both sums, by the commands and in a session.
func TestPluginWithAnotherSum(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	installTrial(t, home)
	path, err := trial()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old, now := strings.Repeat("0", 64), fmt.Sprintf("%x", sha256.Sum256(data))
	if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte("plugins:\n  trial: {sha256: '"+old+"'}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	says := "the SHA-256 of " + filepath.Join(home, "plugins", "trial") + " is " + now + ", but plugins.trial.sha256 says " + old
	if status, stdout, _ := command(t, home, home, "plugin", "list"); status != 0 || !strings.HasPrefix(columns(stdout)["trial"], "refused") || !strings.Contains(stdout, says) {
		t.Errorf("list: status %d, %q", status, stdout)
	}
	if status, stdout, stderr := command(t, home, home, "plugin", "check", filepath.Join(home, "plugins", "trial")); status != 1 || stdout != "" || !strings.Contains(stderr, says) {
		t.Errorf("check: status %d, %q, %q", status, stdout, stderr)
	}
	if _, stdout, stderr := eval(t, environment(home), `hasattr(s, "trial")`); stdout != "False\n" || !strings.Contains(stderr, says) {
		t.Errorf("a cell: %q, %q", stdout, stderr)
	}
}

// TestPluginOfAProject: a project adds a plugin of its own if it is trusted, and turns off one that is installed either way.
func TestPluginOfAProject(t *testing.T) {
	t.Parallel()
	path, err := trial()
	if err != nil {
		t.Fatal(err)
	}
	project := makeProject(t, map[string]string{".serena/project.yml": "plugins:\n  trial: {path: tools/trial}\n", "tools/readme": ""})
	if err := os.Symlink(path, filepath.Join(project, "tools", "trial")); err != nil {
		t.Fatal(err)
	}
	off := makeProject(t, map[string]string{".serena/project.yml": "plugins:\n  trial: {enabled: false}\n"})
	for name, c := range map[string]struct{ configuration, project, stdout string }{
		"trusted":    {"trusted_project_path_patterns: ['" + project + "']\n", project, "stolen\n"},
		"untrusted":  {"", project, ""},
		"turned off": {"", off, ""},
	} {
		home := t.TempDir()
		if name == "turned off" {
			installTrial(t, home)
		}
		if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte(c.configuration), 0o644); err != nil {
			t.Fatal(err)
		}
		status, stdout, stderr := eval(t, environment(home), "--project", c.project, `s.trial.steal()`)
		if stdout != c.stdout || (status == 0) != (c.stdout != "") || c.stdout == "" && !strings.Contains(stderr, "s has no facade 'trial'") {
			t.Errorf("%s: status %d, stdout %q, stderr %q", name, status, stdout, stderr)
		}
	}
}
