//go:build !windows

package files

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestApply_on_a_full_disk_changes_nothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	big := bytes.Repeat([]byte("x"), 8192)
	changes := append(slices.Clone(manyChanges[:4]), sdk.WriteFile("b.txt", base("b"), big))
	out, err := order{Root: p.root, Home: p.home, Changes: changes, FileLimit: 4096}.command(t).Output()
	if err != nil || string(out) != "OSError|write b.txt: file too large; nothing was changed; free some space first\n" {
		t.Errorf("the child says %q, %v", out, err)
	}
	p.checkTree(t, beforeMany)
	p.checkHome(t)
}

// asNobody makes the child one who owns nothing, if this process is root; another user's files then are its own parent's.
func asNobody(t *testing.T, cmd *exec.Cmd, p *place) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for dir := filepath.Dir(p.root); dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(p.home, 0o700); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Dir(p.root), func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != filepath.Dir(p.root) {
			err = os.Lchown(path, 65534, 65534)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestApply_without_permission_changes_nothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path    string
		mode    uint32
		changes []sdk.Change
		says    string
	}{
		"read-only file":       {"b.txt", 0o444, manyChanges, "PermissionError|write b.txt: permission denied; nothing was changed; the file and its folder must be writable\n"},
		"unreadable file":      {"b.txt", 0o200, manyChanges, "PermissionError|read b.txt: permission denied; nothing was changed; the file and its folder must be writable\n"},
		"read-only folder":     {"c", 0o555, manyChanges, "PermissionError|write c/d.txt: permission denied; nothing was changed; the file and its folder must be writable\n"},
		"new in such a folder": {"c", 0o555, []sdk.Change{manyChanges[0], sdk.WriteFile("c/n", sdk.Absent, nil)}, "PermissionError|write c/n: permission denied; nothing was changed; the file and its folder must be writable\n"},
		"folder in such":       {"c", 0o555, []sdk.Change{manyChanges[0], sdk.WriteFile("c/n/n", sdk.Absent, nil)}, "PermissionError|make the folder ROOT/c/n: permission denied; nothing was changed; the file and its folder must be writable\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			cmd := order{Root: p.root, Home: p.home, Changes: c.changes}.command(t)
			asNobody(t, cmd, p)
			path := filepath.Join(p.root, c.path)
			if err := syscall.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			out, err := cmd.Output()
			if want := strings.ReplaceAll(c.says, "ROOT", p.root); err != nil || string(out) != want {
				t.Errorf("the child says %q, %v; want %q", out, err, want)
			}
			if err := syscall.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
			p.checkTree(t, beforeMany)
			p.checkHome(t)
		})
	}
}

func TestApply_owner_that_cannot_be_kept(t *testing.T) {
	t.Parallel()
	for user, advice := range map[int]string{0: "write it as its owner", 65534: "you are its owner, but not in its group: give it one of your groups first (chgrp)"} {
		t.Run(fmt.Sprint("user ", user), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			cmd := order{Root: p.root, Home: p.home, Changes: manyChanges}.command(t)
			asNobody(t, cmd, p)
			want, tree := "ok\n", afterMany
			if os.Getuid() == 0 { // only root can make a file of another user
				if err := os.Chown(filepath.Join(p.root, "b.txt"), user, 0); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Chmod(filepath.Join(p.root, "b.txt"), 0o666); err != nil {
					t.Fatal(err)
				}
				want = fmt.Sprintf("PermissionError|write b.txt: its owner (user %d, group 0) could not be kept: operation not permitted; nothing was changed; %s\n", user, advice)
				tree = beforeMany
			}
			if out, err := cmd.Output(); err != nil || string(out) != want {
				t.Errorf("the child says %q, %v; want %q", out, err, want)
			}
			p.checkTree(t, tree)
			p.checkHome(t)
		})
	}
}

func TestApply_home_that_cannot_be_written(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	if err := os.WriteFile(p.home, nil, 0o600); err != nil { // a file, where a folder should be
		t.Fatal(err)
	}
	_, err := p.store.Apply(t.Context(), Author{}, manyChanges)
	if !sdk.IsKind(err, sdk.KindNotADirectory) || !strings.Contains(err.Error(), "the Serena home must be writable") {
		t.Errorf("got %v", err)
	}
	p.checkTree(t, beforeMany)
}

func TestUndo_that_is_not_possible_changes_nothing(t *testing.T) {
	t.Parallel()
	const advice = "nothing was changed; the file and its folder must be writable\n"
	big := string(bytes.Repeat([]byte("x"), 100_000))
	for name, c := range map[string]struct {
		order order
		says  string
	}{
		"read-only file":       {order{Chmod: map[string]uint32{"b.txt": 0o444}}, "PermissionError|write b.txt: permission denied; " + advice},
		"unreadable file":      {order{Chmod: map[string]uint32{"b.txt": 0o200}}, "PermissionError|read b.txt: permission denied; " + advice},
		"read-only folder":     {order{Chmod: map[string]uint32{"c": 0o555}}, "PermissionError|write c/d.txt: permission denied; " + advice},
		"of a new file":        {order{Chmod: map[string]uint32{"new/sub": 0o555}}, "PermissionError|write new/sub/n.txt: permission denied; " + advice},
		"full disk for a file": {order{FileLimit: 50_000}, "OSError|write big: file too large; nothing was changed; free some space first\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			p.write(t, "big", big)
			c.order.Root, c.order.Home, c.order.Session, c.order.Undo = p.root, p.home, me.Session, 1
			if c.order.FileLimit == 0 {
				c.order.Earlier = [][]sdk.Change{manyChanges}
			} else { // what differs is not much, what is written whole is
				c.order.Earlier = [][]sdk.Change{{sdk.EditFile("big", base(big), edit(0, 60_000, ""))}}
				p.apply(t, me, c.order.Earlier[0]...)
				p.store.Close()
				c.order.Earlier = nil
			}
			cmd := c.order.command(t)
			asNobody(t, cmd, p)
			out, err := cmd.Output()
			if err != nil || string(out) != c.says {
				t.Errorf("the child says %q, %v; want %q", out, err, c.says)
			}
			for name := range c.order.Chmod {
				if err := syscall.Chmod(filepath.Join(p.root, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			want := maps.Clone(afterMany)
			want["big"] = big
			if c.order.FileLimit > 0 {
				want = maps.Clone(beforeMany)
				want["big"] = big[60_000:]
			}
			p.checkTree(t, want)
		})
	}
}

// A transaction that cannot be taken back keeps nobody from writing, and is taken back when it can be.
func TestTransaction_whose_host_was_killed_and_that_cannot_be_taken_back_yet(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	order{Root: p.root, Home: p.home, Session: me.Session, Open: true, Earlier: [][]sdk.Change{manyChanges}, StopAt: "end"}.startStopped(t)()
	in := filepath.Join(p.root, "c")
	if err := os.Rename(in, in+"2"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, nil, 0o600); err != nil { // a file where the folder was: nothing can be put there
		t.Fatal(err)
	}
	p.store = p.open(t)
	notes := p.store.Notes()
	if len(notes) != 1 || !strings.Contains(notes[0], "left open in "+p.root+" cannot be taken back now: ") {
		t.Errorf("notes are %q", notes)
	}
	p.apply(t, Author{}, sdk.WriteFile("mine", sdk.Absent, nil))
	if got := p.store.Notes(); len(got) != 1 {
		t.Errorf("notes are %q", got)
	}
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(in+"2", in); err != nil {
		t.Fatal(err)
	}
	p.apply(t, Author{}, sdk.DeleteFile("mine", base("")))
	p.checkTree(t, beforeMany)
}
