//go:build !windows

package files

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestApply_changes_of_every_kind_at_once(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"edit.txt": "\ufeffone\r\ntwo\rthree\nfour", "write.bin": "a\x00b\xff", "sub/delete.txt": "x", "move.txt": "m", "stay.txt": "s",
	})
	before := p.store.Last()
	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
		sdk.EditFile("edit.txt", base("\ufeffone\r\ntwo\rthree\nfour"), edit(0, 0, "<"), edit(3, 6, "1"), edit(8, 8, "é"), edit(22, 22, ">")),
		sdk.WriteFile("write.bin", base("a\x00b\xff"), []byte("new\xfe")),
		sdk.WriteFile("deep/er/new.txt", sdk.Absent, nil),
		sdk.DeleteFile("sub/delete.txt", base("x")),
		sdk.RenameFile("move.txt", base("m"), "moved/to.txt"),
	})
	if err != nil || number != before+1 || p.store.Last() != number {
		t.Fatalf("got %d, %v; last was %d and is %d", number, err, before, p.store.Last())
	}
	p.checkTree(t, map[string]string{
		"edit.txt": "<\ufeff1\r\nétwo\rthree\nfour>", "write.bin": "new\xfe", "deep/": "", "deep/er/": "", "deep/er/new.txt": "",
		"sub/": "", "moved/": "", "moved/to.txt": "m", "stay.txt": "s",
	})
	p.checkHome(t)
}

func TestApply_what_changes_nothing_writes_nothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a.txt": "abc", "b.txt": "b"})
	before := stamps(t, p.root)
	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
		sdk.WriteFile("a.txt", base("abc"), []byte("abc")), sdk.EditFile("b.txt", base("b"), edit(0, 1, "b"), edit(1, 1, "")),
	})
	if err != nil || number != 1 || !maps.Equal(stamps(t, p.root), before) {
		t.Errorf("got %d, %v", number, err)
	}
	if number, err = p.store.Apply(t.Context(), Author{}, nil); err != nil || number != 1 {
		t.Errorf("no changes: got %d, %v", number, err)
	}
	number, err = p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a.txt", base("abc"), []byte("abc")), sdk.WriteFile("b.txt", base("b"), []byte("c"))})
	if err != nil || number != 2 || stamps(t, p.root)[filepath.Join(p.root, "a.txt")] != before[filepath.Join(p.root, "a.txt")] {
		t.Errorf("one of two: got %d, %v", number, err)
	}
}

func TestApply_follows_links_and_keeps_them(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"real/a.txt": "abc", "real/c.txt": "c", "real/d.txt": "d"})
	for link, target := range map[string]string{
		"link": "real/a.txt", "dir": "real", "chain": "link2", "link2": "real/c.txt", "fresh": "real/new.txt", "gone": "real/d.txt", "old": "real/d.txt",
	} {
		if err := os.Symlink(target, filepath.Join(p.root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
		sdk.EditFile("link", base("abc"), edit(1, 2, "B")), sdk.WriteFile("chain", base("c"), []byte("C")),
		sdk.WriteFile("fresh", sdk.Absent, []byte("N")), sdk.WriteFile("dir/sub/e.txt", sdk.Absent, []byte("E")),
		sdk.DeleteFile("gone", base("d")), sdk.RenameFile("old", base("d"), "new"),
	}); err != nil {
		t.Fatal(err)
	}
	p.checkTree(t, map[string]string{
		"link": "-> real/a.txt", "dir": "-> real", "chain": "-> link2", "link2": "-> real/c.txt", "fresh": "-> real/new.txt", "new": "-> real/d.txt",
		"real/": "", "real/a.txt": "aBc", "real/c.txt": "C", "real/d.txt": "d", "real/new.txt": "N", "real/sub/": "", "real/sub/e.txt": "E",
	})
	p.checkHome(t)
}

func TestApply_keeps_mode_owner_and_the_umask_of_new_files(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"run.sh": "#!/bin/sh\n", "secret": "s", "set": "x"})
	for name, mode := range map[string]uint32{"run.sh": 0o755, "secret": 0o600, "set": 0o2751} {
		if err := syscall.Chmod(filepath.Join(p.root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	owner := uint32(os.Getuid())
	if owner == 0 { // only root can make files of others
		owner = 12345
		for _, name := range []string{"run.sh", "set"} {
			if err := os.Chown(filepath.Join(p.root, name), 12345, 54321); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Chmod(filepath.Join(p.root, "set"), 0o2751); err != nil {
			t.Fatal(err)
		}
	}
	var changes []sdk.Change
	for name, content := range map[string]string{"run.sh": "#!/bin/sh\n", "secret": "s", "set": "x"} {
		changes = append(changes, sdk.WriteFile(name, base(content), []byte("new")))
	}
	changes = append(changes, sdk.WriteFile("d/new", sdk.Absent, []byte("n")))
	if _, err := p.store.Apply(t.Context(), Author{}, changes); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]uint32{"run.sh": 0o755, "secret": 0o600, "set": 0o2751, "d/new": 0o666 &^ umask(t)} {
		st, err := lstamp(filepath.Join(p.root, name))
		if err != nil || st.mode&0o7777 != mode {
			t.Errorf("%s: mode is %o, want %o (%v)", name, st.mode&0o7777, mode, err)
		}
		if name == "run.sh" && st.uid != owner {
			t.Errorf("%s: owner is %d, want %d", name, st.uid, owner)
		}
	}
}

func TestApply_in_data_folder_and_further_folders(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": ""})
	memory := filepath.Join(p.home, "memories", "global", "m.md")
	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{
		sdk.WriteFile(".serena/memories/x.md", sdk.Absent, []byte("x")), sdk.WriteFile(memory, sdk.Absent, []byte("m")),
	})
	if err != nil || number != 2 {
		t.Fatalf("got %d, %v", number, err)
	}
	if got := tree(t, p.root)[".serena/memories/x.md"] + tree(t, p.home)["memories/global/m.md"]; got != "xm" {
		t.Errorf("got %q", got)
	}
	if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile(filepath.Join(p.home, "other"), sdk.Absent, nil)}); !sdk.IsKind(err, sdk.KindPermission) {
		t.Errorf("elsewhere in the home: %v", err)
	}
}

func TestApply_two_names_of_one_file(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "x"})
	if err := os.Link(filepath.Join(p.root, "a"), filepath.Join(p.root, "b")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("x"), []byte("A")), sdk.WriteFile("b", base("x"), []byte("B"))}); err != nil {
		t.Fatal(err)
	}
	p.checkTree(t, map[string]string{"a": "A", "b": "B"})
}

// A write that comes between the last look at a file and its replacement would go away with the old file.
func TestApply_takes_back_what_would_lose_anothers_write(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "x", "b": "y"})
	p.store.fault = func(point string, i int) error {
		if point != "replace" || i != 0 {
			return nil
		}
		file, err := os.OpenFile(filepath.Join(p.root, "a"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = file.WriteString(" and mine")
		return errors.Join(err, file.Close())
	}
	_, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("x"), []byte("A")), sdk.WriteFile("b", base("y"), []byte("B"))})
	if !sdk.IsKind(err, sdk.KindStale) {
		t.Errorf("got %v", err)
	}
	p.checkTree(t, map[string]string{"a": "x and mine", "b": "y"})
	p.checkHome(t)
}

// Editors and git replace files by renaming new ones over them: whenever that happens, theirs stays.
func TestApply_never_replaces_a_file_that_was_renamed_into_place(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"rename", "keep", "replace"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{"a": "x", "b": "y", "theirs": "theirs"})
			p.store.fault = func(point string, i int) error {
				if point != at || i != 0 {
					return nil
				}
				return os.Rename(filepath.Join(p.root, "theirs"), filepath.Join(p.root, "a"))
			}
			_, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("x"), []byte("A")), sdk.WriteFile("b", base("y"), []byte("B"))})
			if !sdk.IsKind(err, sdk.KindStale) {
				t.Errorf("got %v", err)
			}
			p.checkTree(t, map[string]string{"a": "theirs", "b": "y"})
			p.checkHome(t)
		})
	}
}

func TestApply_cancelled_or_closed(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	p.store.fault = func(point string, _ int) error {
		if point == "stage" {
			cancel()
		}
		return nil
	}
	change := []sdk.Change{sdk.WriteFile("a", base("x"), []byte("y")), sdk.WriteFile("n/b", sdk.Absent, []byte("y"))}
	if _, err := p.store.Apply(ctx, Author{}, change); err == nil || err != ctx.Err() {
		t.Errorf("cancelled while staging: %v", err)
	}
	p.checkTree(t, map[string]string{"a": "x"})
	p.checkHome(t)
	if _, err := p.store.Apply(ctx, Author{}, change); err != ctx.Err() {
		t.Errorf("cancelled before: %v", err)
	}
	p.store.Close()
	if _, err := p.store.Apply(t.Context(), Author{}, change); !sdk.IsKind(err, sdk.KindRuntime) {
		t.Errorf("closed: %v", err)
	}
	if _, err := p.store.Changes(t.Context(), 0); !sdk.IsKind(err, sdk.KindRuntime) {
		t.Errorf("closed: %v", err)
	}
}
