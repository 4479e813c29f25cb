package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopped starts a cell whose call is under way while the process stands still, by SIGSTOP, then kills the process: the
// call is in mid-flight for certain, without any fake.
func (c *client) stopped(pid int, method, code string) answer {
	c.t.Helper()
	c.signal(pid, syscall.SIGSTOP)
	_, ch := c.begin(code)
	until(c.t, "the call of "+method, func() bool { return c.logSays("call begins", method) })
	c.signal(pid, syscall.SIGKILL)
	m, err := await(ch)
	if err != nil {
		c.t.Fatalf("%s: %v", code, err)
	}
	return c.result(m.Result)
}

func TestFsPluginKilled(t *testing.T) {
	t.Parallel()
	project := newProject(t)
	c := start(t, project)
	const suffix = "plugin serve fs"

	c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
	c.signal(c.member(suffix), syscall.SIGKILL) // while idle
	c.gives(`s.fs.read_file("notes.txt").lines[1]`, "two")

	a := c.stopped(c.member(suffix), "fs.list_dir", `s.fs.list_dir("box", recursive=False).files`) // a read in mid-call
	if a.IsError || a.last() != "box/box.go\nbox/use.go" {
		t.Errorf("a read in mid-call: %q (error %t)", a.last(), a.IsError)
	}

	a = c.stopped(c.member(suffix), "edit.replace_content", `s.edit.replace_content("notes.txt", "one", "uno", "literal")`) // an edit
	if !a.IsError || !strings.Contains(a.last(), "ConnectionError") || !strings.Contains(a.last(), "not tried again") {
		t.Errorf("an edit in mid-call: %q (error %t)", a.last(), a.IsError)
	}
	if data, err := os.ReadFile(filepath.Join(project, "notes.txt")); err != nil || string(data) != "one\ntwo\nthree\n" {
		t.Errorf("notes.txt is %q, %v", data, err)
	}
	c.gives(`s.edit.replace_content("notes.txt", "one", "uno", "literal")`, "OK")
	c.gives(`s.fs.read_file("notes.txt").text`, "uno\ntwo\nthree\n")
}

func TestGoplsKilled(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	const find, found = `[(r.relative_path, r.line) for r in s.lsp.find_referencing_symbols("Basket/Add", "box/box.go")]`, "('box/use.go', 3)\n('box/use.go', 4)"
	c.gives(find, found)
	c.signal(c.member("gopls"), syscall.SIGKILL) // while idle
	c.gives(find, found)
	a := c.stopped(c.member("gopls"), "lsp.find_referencing_symbols", `len(s.lsp.find_referencing_symbols("Basket/Add", "box/box.go"))`)
	if a.IsError || a.last() != "2" {
		t.Errorf("references while gopls is killed: %q (error %t)", a.last(), a.IsError)
	}
	gopls := c.member("gopls")
	c.signal(c.member("plugin serve lsp"), syscall.SIGKILL) // the plugin that owns it
	c.gives(find, found)
	gone(t, []int{gopls}, 3*time.Second)
}

// TestHostKilledLeavesNothing kills the host while everything that it can start is at work.
func TestHostKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	c.gives(`len(s.lsp.find_symbol("Basket"))`, "1")
	c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
	c.gives("import subprocess\np = subprocess.Popen(['sleep', '300'])\np.poll()\n1", "1") // a child of the runtime
	c.gives("q = subprocess.Popen(['sleep', '304'], start_new_session=True)\n1", "1")      // one that left its group and session
	c.session = "busy"
	c.begin("while True: pass") // a runtime that cannot listen
	c.session = "shell"
	c.begin(`s.shell.execute_shell_command("sleep 301 & setsid sleep 302 & sleep 303")`)
	var family []int
	until(t, "all processes", func() bool {
		family = descendants(c.cmd.Process.Pid)
		var all strings.Builder
		for _, pid := range family {
			fmt.Fprintln(&all, commandLine(pid))
		}
		for _, want := range []string{"sleep 300\n", "sleep 301\n", "sleep 302\n", "sleep 303\n", "sleep 304\n", "gopls\n", "serve fs\n", "serve lsp\n", "serve shell\n"} {
			if !strings.Contains(all.String(), want) {
				return false
			}
		}
		return strings.Count(all.String(), "rlm.repl") >= 3
	})
	c.signal(c.cmd.Process.Pid, syscall.SIGKILL)
	gone(t, family, 3*time.Second)
}

// TestPluginAskedToEnd sends an idle plugin SIGTERM and calls it at once.
func TestPluginAskedToEnd(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
	c.gives(`len(s.lsp.find_referencing_symbols("Basket/Add", "box/box.go"))`, "2")
	c.signal(c.member("plugin serve fs"), syscall.SIGTERM)
	c.gives(`s.fs.read_file("notes.txt").lines[1]`, "two")
	c.signal(c.member("plugin serve lsp"), syscall.SIGTERM)
	c.gives(`len(s.lsp.find_referencing_symbols("Basket/Add", "box/box.go"))`, "2")
}

// TestPluginThatStandsStill stops a plugin for good: it answers no ping, is replaced, and the read is answered.
func TestPluginThatStandsStill(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	c.gives(`s.fs.read_file("notes.txt").lines[0]`, "one")
	stopped := c.member("plugin serve fs")
	c.signal(stopped, syscall.SIGSTOP)
	c.gives(`s.fs.read_file("notes.txt").lines[1]`, "two")
	gone(t, []int{stopped}, 3*time.Second)
}

// TestLanguageServerThatStandsStill does the same to gopls.
func TestLanguageServerThatStandsStill(t *testing.T) {
	t.Parallel()
	c := start(t, newProject(t))
	const references = `len(s.lsp.find_referencing_symbols("Basket/Add", "box/box.go"))`
	c.gives(references, "2")
	stopped := c.member("gopls")
	c.signal(stopped, syscall.SIGSTOP)
	c.gives(references, "2")
	gone(t, []int{stopped}, 3*time.Second)
}

// TestAKilledCellLeavesNothing ends a Python that ignores its interrupt, with a child that left everything, its environment too.
func TestAKilledCellLeavesNothing(t *testing.T) {
	t.Parallel()
	project := makeProject(t, map[string]string{"n.txt": "1\n", ".serena/project.yml": "repl_cell_timeout: 1\n"})
	c := start(t, project)
	c.fails("import os, signal, subprocess\n"+
		"p = subprocess.Popen(['sleep', '305'], start_new_session=True, env={'PATH': os.environ['PATH']})\n"+
		"open('n.txt', 'w').write(str(p.pid))\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", "TimeoutError")
	data, err := os.ReadFile(filepath.Join(project, "n.txt"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, []int{pid}, 3*time.Second)
}
