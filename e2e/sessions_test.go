package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// leave ends the server as its client's end does, and says how long that took.
func (c *client) leave() time.Duration {
	c.t.Helper()
	begun := time.Now()
	c.stdin.Close()
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_, _ = c.cmd.Process.Wait() // the test's end calls the other Wait, for the pipes
	}()
	select {
	case <-exited:
	case <-time.After(patience):
		c.t.Fatal("the server does not end")
	}
	return time.Since(begun)
}

func (a answer) notes() string {
	var notes []string
	for _, c := range a.Content {
		if strings.HasPrefix(c.Text, "note: ") {
			notes = append(notes, c.Text)
		}
	}
	return strings.Join(notes, "\n")
}

func says(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not say %q", text, p)
		}
	}
}

// TestSessionsOutliveTheServer ends the server at once after a cell, and revives the session in another one.
func TestSessionsOutliveTheServer(t *testing.T) {
	t.Parallel()
	project, home := newProject(t), t.TempDir()
	one := start(t, project, withHome(home))
	one.gives("import socket\nk = socket.socket()\nx = 20\ndef f(): return x + len(s.fs.read_file('notes.txt').lines)\nhits = s.fs.list_dir('box', recursive=False)\nf()", "23")
	if took := one.leave(); took > 8*time.Second {
		t.Errorf("the end took %v", took)
	}
	two := start(t, project, withHome(home))
	a := two.cell("(f(), list(hits.files))")
	if a.IsError || a.last() != "(23, ['box/box.go', 'box/use.go'])" {
		t.Errorf("%+v", a)
	}
	says(t, a.notes(), "variables restored from the snapshot of ", "could not be kept: k (TypeError: cannot pickle 'socket' object)")
	two.gives("x = 100; f()", "103")
	if a := two.cell("1"); a.notes() != "" {
		t.Errorf("told again: %q", a.notes())
	}
	info, err := os.Stat(filepath.Join(home, "sessions"))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("sessions: %v, %v", info, err)
	}
	if left, err := os.ReadDir(project); err != nil || len(left) != 3 {
		t.Errorf("the project has %v, %v", left, err)
	}
}

// TestSessionsAreKeptWhileTheyAreIdle kills the server some time after the cell: no orderly end has kept anything.
func TestSessionsAreKeptWhileTheyAreIdle(t *testing.T) {
	t.Parallel()
	project, home := newProject(t), t.TempDir()
	one := start(t, project, withHome(home))
	one.gives("x = 20; x", "20")
	until(t, "the snapshot", func() bool {
		found, _ := filepath.Glob(filepath.Join(home, "sessions", "*", "[0-9]*", "manifest.json"))
		return len(found) == 1
	})
	one.gives("y = 1; y", "1")
	a := one.cell("import os; os._exit(3)")
	if !a.IsError {
		t.Error("no error")
	}
	says(t, a.last(), "Python ended during the cell (exit code 3)", "those of the snapshot of ", "newer or could not be kept: y")
	one.gives("x", "20")
	one.signal(one.cmd.Process.Pid, syscall.SIGKILL)
	two := start(t, project, withHome(home))
	two.gives("x", "20")
	two.fails("y", "NameError")
}

// TestSessionsOfEvalAreNotKept: nobody can ask for their ids.
func TestSessionsOfEvalAreNotKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if status, out, errs := eval(t, environment(home), "--project", newProject(t), "x = 1\nx"); status != 0 || out != "1\n" {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
	if _, err := os.Stat(filepath.Join(home, "sessions")); !os.IsNotExist(err) {
		t.Errorf("sessions: %v", err)
	}
}

func configure(t *testing.T, home, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSessionLimitsAreConfigured(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	configure(t, home, "repl_max_sessions: 2\nrepl_max_output_chars: 100\nrepl_max_memory_mb: 1024\nrepl_session_idle_minutes: 0.02\n")
	c := start(t, newProject(t), withHome(home))
	for i := range 4 {
		c.session = fmt.Sprint("s", i)
		c.gives(fmt.Sprintf("x = %d; x", i), strconv.Itoa(i))
	}
	c.session = "s0"
	c.gives("x", "0") // it was evicted, and is back
	a := c.cell("print('o' * 1000)\n'p' * 3000000")
	if len(a.Content) != 2 {
		t.Fatalf("%+v", a)
	}
	half := func(s string) string { return strings.Repeat(s, 50) }
	if got, want := a.Content[0].Text, "stdout:\n"+half("o")+"\n[… 901 of 1001 characters are left out here …]\n"+half("o")[1:]+"\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got, want := a.last(), half("p")+"\n[… 2999900 of 3000000 characters are left out here; the value itself is in `_` …]\n"+half("p"); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	c.gives("len(_)", "3000000")
	c.fails("b = bytearray(2 << 30)", "MemoryError")
	c.gives("x", "0")
	// 1.2 s of idleness end them all; one spare is left.
	until(t, "the idle sessions are gone", func() bool {
		n := 0
		for _, pid := range descendants(c.cmd.Process.Pid) {
			if strings.HasSuffix(commandLine(pid), "-m rlm.repl") {
				n++
			}
		}
		return n == 1
	})
	c.gives("x", "0")
}

// TestFiftySessionsAtOnce runs small cells side by side.
func TestFiftySessionsAtOnce(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			_, ch := c.send("tools/call", map[string]any{"name": "serena_repl", "arguments": map[string]any{
				"session_id": fmt.Sprint("many", i), "code": fmt.Sprintf("x = %d\nx * len(s.fs.read_file('notes.txt').lines)", i)}})
			m, err := await(ch)
			if err != nil {
				t.Errorf("session %d: %v", i, err)
				return
			}
			if a := c.result(m.Result); a.IsError || a.last() != strconv.Itoa(3*i) {
				t.Errorf("session %d: %+v", i, a)
			}
		})
	}
	all.Wait()
	if took := c.leave(); took > 8*time.Second {
		t.Errorf("the end took %v", took)
	}
}

// TestASpareIsStartedAfterTheFirstAnswer sees it by its process, and that it becomes the session's.
func TestASpareIsStartedAfterTheFirstAnswer(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	c.must("tools/list", map[string]any{})
	pid := c.member("-m rlm.repl")
	c.gives("import os; os.getpid()", strconv.Itoa(pid))
	until(t, "the next spare", func() bool {
		n := 0
		for _, p := range descendants(c.cmd.Process.Pid) {
			if strings.HasSuffix(commandLine(p), "-m rlm.repl") {
				n++
			}
		}
		return n == 2
	})
}

func TestProgressReachesTheClientBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 3000 {
		files[fmt.Sprintf("d%d/f%d.txt", i%50, i)] = "text\n"
	}
	c := start(t, makeProject(t, files))
	c.gives("1+1", "2")
	const code = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: s.fs.search_for_pattern('text')\n1"
	_, ch := c.send("tools/call", map[string]any{"name": "serena_repl", "_meta": map[string]any{"progressToken": "token-1"},
		"arguments": map[string]any{"session_id": c.session, "code": code}})
	if _, err := await(ch); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.told); n < 2 || n > 60 {
		t.Errorf("%d notifications", n)
	}
	last := -1.0
	for _, m := range c.told {
		var p struct {
			Token    string  `json:"progressToken"`
			Progress float64 `json:"progress"`
			Message  string  `json:"message"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/progress" || p.Token != "token-1" || p.Progress <= last {
			t.Errorf("%s %s after %g: %v", m.Method, m.Params, last, err)
		}
		last = p.Progress
	}
}

// TestReplRuntime drives the runtime as a client of one's own does, in a project's virtual environment.
func TestReplRuntime(t *testing.T) {
	t.Parallel()
	project, home := newProject(t), t.TempDir()
	venv := filepath.Join(project, ".venv")
	if out, err := exec.CommandContext(t.Context(), "python3", "-m", "venv", "--without-pip", venv).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packages, _ := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages"))
	if err := os.WriteFile(filepath.Join(packages[0], "only_here.py"), []byte("answer = 42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(project, ".serena"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, ".serena", "project.yml"), []byte("repl_python: .venv\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	configure(t, home, "trusted_project_path_patterns: ['"+project+"']\n")

	cmd := exec.CommandContext(t.Context(), binary, "repl-runtime", "--project", project)
	cmd.Env, cmd.Dir = environment(home), project
	stdin, _ := cmd.StdinPipe()
	stdout, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	next := func() string {
		if !lines.Scan() {
			t.Fatal("the runtime ended")
		}
		return lines.Text()
	}
	says(t, next(), `"event":"ready","protocol":3,`)
	if got := commandLine(cmd.Process.Pid); got != filepath.Join(venv, "bin", "python3")+" -m rlm.repl" {
		t.Errorf("the process became %q", got)
	}
	fmt.Fprintln(stdin, `{"type":"execute","id":"1","code":"import os, only_here\n(only_here.answer, os.getcwd(), 's' in globals())"}`)
	want := fmt.Sprintf(`"text":"(42, '%s', False)"`, project)
	says(t, next(), `"event":"result"`, want)
	says(t, next(), `"event":"done"`, `"status":"ok"`)
	stdin.Close()
	if lines.Scan() {
		t.Errorf("more: %s", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the end: %v", err)
	}

	// The same environment through the server, as the project names it.
	c := start(t, project, withHome(home))
	c.gives("import only_here; only_here.answer", "42")
}

func TestReplRuntimeSaysWhyThereIsNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		env  string
		want string
	}{
		"no such Python":  {nil, "SERENA_PYTHON=/nowhere/python", "FileNotFoundError: the REPL needs Python 3.10 or newer, and none was found: SERENA_PYTHON names /nowhere/python"},
		"no such project": {[]string{"--project", "/nowhere"}, "A=b", "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), binary, append([]string{"repl-runtime"}, c.args...)...)
			cmd.Env = environment(t.TempDir(), c.env)
			var errs strings.Builder
			cmd.Stderr = &errs
			out, _ := cmd.Output()
			if status := cmd.ProcessState.ExitCode(); status != 1 || len(out) > 0 {
				t.Errorf("status %d, stdout %q", status, out)
			}
			says(t, errs.String(), c.want)
		})
	}
}
