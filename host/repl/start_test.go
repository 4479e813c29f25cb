package repl

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

func TestExtract_is_whole_private_and_done_once(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	var hosts sync.WaitGroup
	dirs := make([]string, 8)
	for i := range dirs {
		hosts.Go(func() {
			dir, err := Extract(home)
			if err != nil {
				t.Error(err)
			}
			dirs[i] = dir
		})
	}
	hosts.Wait()
	entries, err := os.ReadDir(filepath.Join(home, "runtime"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	dir := dirs[0]
	equal(t, "folder", dir, filepath.Join(home, "runtime", entries[0].Name()))
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "mode", info.Mode().Perm(), 0o700)

	file := filepath.Join(dir, "serena_repl", "bootstrap.py")
	want, err := os.ReadFile(filepath.Join("python", "serena_repl", "bootstrap.py"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, 3); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "rlm", "repl.py")); err != nil {
		t.Fatal(err)
	}
	if _, err := Extract(home); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "mended file", string(got), string(want))
	if _, err := os.Stat(filepath.Join(dir, "rlm", "repl.py")); err != nil {
		t.Error(err)
	}
}

func TestExtract_tells_where_it_cannot_write(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Extract(file)
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), file, "SERENA_HOME")
}

func TestStart_failures(t *testing.T) {
	t.Parallel()
	dir, err := Extract(filepath.Join(t.TempDir(), "home"))
	if err != nil {
		t.Fatal(err)
	}
	_, crashing := program(t, "python3", "echo 'no module named rlm' >&2; exit 1")
	_, older := program(t, "python3", `echo '{"event":"ready","protocol":2,"python":"3.12.1"}'; exec cat`)
	for name, c := range map[string]struct {
		python, dir string
		kind        string
		want        []string
	}{
		"no interpreter":   {"/nonexistent/python3", dir, sdk.KindFileNotFound, []string{"/nonexistent/python3", "no such file"}},
		"it crashes":       {crashing, dir, sdk.KindRuntime, []string{"exit code 1", "no module named rlm"}},
		"another protocol": {older, dir, sdk.KindRuntime, []string{"it speaks protocol 2, not 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Start(limited(t), Options{Interpreter: Interpreter{c.python, "3.12.1"}, Dir: c.dir, Env: os.Environ(), Backend: newFakeBackend("")})
			if r != nil || !sdk.IsKind(err, c.kind) {
				t.Fatalf("%v, kind %s: %v", r, sdk.AsError(err).Kind, err)
			}
			contains(t, err.Error(), c.want...)
		})
	}
}

func TestStart_ends_with_its_context(t *testing.T) {
	t.Parallel()
	dir, silent := program(t, "python3", "echo $$ >"+filepath.Join("$0.pid")+"; exec sleep 300")
	ctx, cancel := context.WithCancel(limited(t))
	failed := make(chan error, 1)
	go func() {
		_, err := Start(ctx, Options{Interpreter: Interpreter{silent, "3.12.1"}, Dir: dir, Env: os.Environ(), Backend: newFakeBackend("")})
		failed <- err
	}()
	var pid string
	eventually(t, "it has started", func() bool {
		data, err := os.ReadFile(silent + ".pid")
		pid = string(data)
		return err == nil && strings.HasSuffix(pid, "\n")
	})
	cancel()
	if err := await(t, "Start returns", failed); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	equal(t, "alive", process.Alive(atoi(t, pid)), false)
}

func TestStart_environment(t *testing.T) {
	t.Parallel()
	r, _ := start(t, func(o *Options) {
		o.Env = append(o.Env, "PYTHONPATH=/nonexistent/mine", "PYTHONSAFEPATH=1", "PYTHONINSPECT=1", "GREETING=hi")
	})
	equal(t, "variables", value(t, r, "import os\n[os.environ.get(n) for n in ('PYTHONPATH', 'PYTHONINSPECT', 'GREETING')]"), "/nonexistent/mine\nNone\nhi")
}

func TestHost_killed_takes_python_and_its_children_along(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), hostVar+"="+t.TempDir())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		lines <- line
	}()
	pids := strings.Fields(await(t, "the host's runtime is ready", lines))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if len(pids) != 2 {
		t.Fatalf("pids: %v", pids)
	}
	for _, pid := range pids {
		eventually(t, pid+" is gone", func() bool { return !process.Alive(atoi(t, pid)) })
	}
}
