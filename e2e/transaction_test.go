package e2e

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// trees is every file of a project but those of its data folder, with its content.
func contents(t *testing.T, project string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(project, func(path string, d os.DirEntry, err error) error {
		rel, _ := filepath.Rel(project, path)
		switch {
		case err != nil || rel == ".":
		case rel == ".serena":
			return filepath.SkipDir
		case d.IsDir():
			all[rel+"/"] = ""
		default:
			data, readErr := os.ReadFile(path)
			all[rel], err = string(data), readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func expect(t *testing.T, project string, want map[string]string) {
	t.Helper()
	if got := contents(t, project); !maps.Equal(got, want) {
		t.Errorf("the files are\n%q\nwant\n%q", got, want)
	}
}

var (
	threeFiles = map[string]string{"a.txt": "one\r\ntwo\n", "b.txt": "b", "c.txt": "c"}
	afterTwo   = map[string]string{"a.txt": "uno\r\ntwo\n", "b.txt": "b", "c.txt": "c", "new/": "", "new/n.txt": "n\n"}
)

// twoEdits are those of a block.
const twoEdits = `
    s.edit.replace_content("a.txt", "one", "uno", "literal")
    s.fs.create_text_file("new/n.txt", "n\n")
`

func TestUndoInTheREPL(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	c.gives("len(s.edit.history())", "0")
	c.gives("if True:"+twoEdits+"1", "1")
	c.gives(`s.mem.write_memory("note", "text") and 1`, "1")
	c.gives("[(e.steps, e.methods, e.files) for e in s.edit.history()]",
		"(3, ['edit.replace_content'], ['a.txt'])\n(2, ['fs.create_text_file'], ['new/n.txt'])\n(1, ['mem.write_memory'], ['.serena/memories/note.md'])")
	c.fails(`s.edit.undo(4)`, "RuntimeError", "this session has 3 edits that could be taken back, not 4")
	c.gives(`s.edit.undo()`, "OK, taken back: mem.write_memory in .serena/memories/note.md")
	c.gives(`s.mem.list_memories().memories`, "[]")
	if err := os.WriteFile(filepath.Join(project, "new", "n.txt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.fails(`s.edit.undo(2)`, "StaleError", "somebody else changed new/n.txt after fs.create_text_file at ")
	if err := os.WriteFile(filepath.Join(project, "new", "n.txt"), []byte("n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mine := c.session
	c.session = "another"
	c.fails(`s.edit.undo()`, "RuntimeError", "this session has no edit")
	c.session = mine
	c.gives(`s.edit.undo(2)`, "OK, taken back: fs.create_text_file in new/n.txt; edit.replace_content in a.txt")
	expect(t, project, threeFiles)
}

func TestTransactionInTheREPL(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	c.gives("with s.edit.transaction() as t:"+twoEdits+"    print(s.fs.read_file('a.txt').lines[0])\nlen(s.edit.history())", "1")
	expect(t, project, afterTwo)
	c.fails("t.rollback()", "RuntimeError", "this transaction is over")
	c.gives("s.edit.undo()", "OK, taken back: edit.replace_content, fs.create_text_file in a.txt, new/n.txt")
	expect(t, project, threeFiles)

	c.fails("with s.edit.transaction():"+twoEdits+"    1 / 0", "ZeroDivisionError")
	expect(t, project, threeFiles)
	c.fails("with s.edit.transaction():"+twoEdits+"    raise KeyboardInterrupt", "KeyboardInterrupt")
	expect(t, project, threeFiles)
	c.fails("with s.edit.transaction():"+twoEdits+"    s.edit.undo()", "RuntimeError", "a transaction is open")
	expect(t, project, threeFiles)
	c.fails("with s.edit.transaction():"+twoEdits+"    with s.edit.transaction(): pass", "RuntimeError", "cannot be nested")
	expect(t, project, threeFiles)
	c.gives("with s.edit.transaction() as t:"+twoEdits+"    told = t.rollback()\n    s.fs.create_text_file('d.txt', 'd')\ntold", "OK, taken back: edit.replace_content, fs.create_text_file in a.txt, new/n.txt")
	want := maps.Clone(threeFiles)
	want["d.txt"] = "d"
	expect(t, project, want)
	c.gives("async with s.aio.edit.transaction():\n    await s.aio.edit.replace_content('b.txt', 'b', 'B', 'literal')\nlen(s.edit.history())", "2")
	c.gives("s.edit.undo(2) and 1", "1")
	expect(t, project, threeFiles)

	// Somebody changes a file in the block: nothing is taken back, and both errors are told.
	c.fails("with s.edit.transaction():"+twoEdits+"    open('new/n.txt', 'w').write('mine')\n    1 / 0", "ZeroDivisionError", "StaleError", "somebody else changed new/n.txt")
	want = maps.Clone(afterTwo)
	want["new/n.txt"] = "mine"
	expect(t, project, want)
}

// A plugin that dies in the block is an exception like any other.
func TestTransactionWhosePluginIsKilled(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	c.gives(`s.fs.read_file("a.txt").lines[0]`, "one")
	a := c.stopped(c.member("plugin serve fs"), "edit.replace_content", `
with s.edit.transaction():
    s.mem.write_memory("note", "text")
    s.edit.replace_content("a.txt", "one", "uno", "literal")
`)
	if !a.IsError || !strings.Contains(a.last(), "ConnectionError") {
		t.Errorf("%q (error %t)", a.last(), a.IsError)
	}
	expect(t, project, threeFiles)
	c.gives(`s.mem.list_memories().memories`, "[]")
	c.gives("len(s.edit.history())", "0")
}

func TestTransactionWhosePythonIsKilled(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	c.fails("import os, signal\nwith s.edit.transaction():"+twoEdits+"    os.kill(os.getpid(), signal.SIGKILL)", "Python ended", "a transaction was left open and was taken back: edit.replace_content, fs.create_text_file in a.txt, new/n.txt")
	expect(t, project, threeFiles)
	c.gives("len(s.edit.history())", "0")
}

// A call that is cancelled interrupts the block.
func TestTransactionThatIsCancelled(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	id, ch := c.begin("with s.edit.transaction():" + twoEdits + "    open('marker', 'w').close()\n    import time; time.sleep(60)")
	until(t, "the block", func() bool { _, err := os.Stat(filepath.Join(project, "marker")); return err == nil })
	c.notify("notifications/cancelled", map[string]any{"requestId": id})
	_, _ = await(ch)
	if err := os.Remove(filepath.Join(project, "marker")); err != nil {
		t.Fatal(err)
	}
	until(t, "the taking back", func() bool { return maps.Equal(contents(t, project), threeFiles) })
}

// The next host takes back what a killed one left open; one that merely runs beside it does not.
func TestTransactionWhoseHostIsKilled(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	second := start(t, project, withHome(c.home))
	c.begin("with s.edit.transaction():" + twoEdits + "    open('marker', 'w').close()\n    import time; time.sleep(60)")
	until(t, "the block", func() bool { _, err := os.Stat(filepath.Join(project, "marker")); return err == nil })
	if err := os.Remove(filepath.Join(project, "marker")); err != nil {
		t.Fatal(err)
	}
	second.gives(`s.edit.replace_content("c.txt", "c", "C", "literal")`, "OK") // its owner lives
	third := start(t, project, withHome(c.home))
	third.gives(`s.fs.read_file("a.txt").lines[0]`, "uno")
	want := maps.Clone(afterTwo)
	want["c.txt"] = "C"
	expect(t, project, want)

	c.signal(c.cmd.Process.Pid, syscall.SIGKILL)
	_ = c.cmd.Wait()
	fourth := start(t, project, withHome(c.home))
	told := fourth.call("initial_instructions", map[string]any{})
	if !strings.Contains(told.last(), "was killed in a transaction, which was taken back: edit.replace_content, fs.create_text_file in a.txt, new/n.txt") {
		t.Errorf("it is told %q", told.last())
	}
	want = maps.Clone(threeFiles)
	want["c.txt"] = "C"
	expect(t, project, want)
	second.gives(`s.edit.undo()`, "OK, taken back: edit.replace_content in c.txt")
	expect(t, project, threeFiles)
}

// A transaction may be open for several cells; it ends with its session, also when that is only evicted.
func TestTransactionWhoseSessionIsEvicted(t *testing.T) {
	t.Parallel()
	project, home := makeProject(t, threeFiles), t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "serena_config.yml"), []byte("repl_max_sessions: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, project, withHome(home))
	a := c.cell("from contextlib import ExitStack\nstack = ExitStack()\nt = stack.enter_context(s.edit.transaction())\nif True:" + twoEdits + "len(s.edit.history())")
	if a.IsError || a.last() != "1" || !strings.Contains(a.Content[0].Text, "a transaction is open") {
		t.Errorf("%+v", a)
	}
	c.cell(`s.mem.write_memory("global/note", "text")`)
	expect(t, project, afterTwo)
	memory := filepath.Join(home, "memories", "global", "note.md")
	if data, err := os.ReadFile(memory); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	mine := c.session
	c.session = "another"
	c.gives("1", "1")
	until(t, "the taking back", func() bool { return maps.Equal(contents(t, project), threeFiles) })
	if _, err := os.Stat(memory); err == nil {
		t.Error("the memory is left")
	}
	c.session = mine
	c.gives("len(s.edit.history())", "0")
	c.gives(`s.edit.replace_content("a.txt", "one", "uno", "literal")`, "OK")
	c.session = "another"
	c.gives("2", "2")
	c.session = mine
	c.gives("s.edit.undo()", "OK, taken back: edit.replace_content in a.txt") // its journal returns with it
	expect(t, project, threeFiles)
}

// A server that ends in order leaves no transaction to the next one, but the journal of its sessions.
func TestUndoInTheNextServer(t *testing.T) {
	t.Parallel()
	project := makeProject(t, threeFiles)
	c := start(t, project)
	c.gives(`s.edit.replace_content("b.txt", "b", "B", "literal")`, "OK")
	c.cell("t = s.edit.transaction()\nt.__enter__()\nif True:" + twoEdits)
	expect(t, project, map[string]string{"a.txt": "uno\r\ntwo\n", "b.txt": "B", "c.txt": "c", "new/": "", "new/n.txt": "n\n"})
	c.stdin.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	want := maps.Clone(threeFiles)
	want["b.txt"] = "B"
	expect(t, project, want)
	next := start(t, project, withHome(c.home))
	next.gives("s.edit.undo()", "OK, taken back: edit.replace_content in b.txt")
	expect(t, project, threeFiles)
}
