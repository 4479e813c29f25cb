//go:build unix

package fs_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

const unreadableRoot = "FS_TEST_UNREADABLE_ROOT"

// Root may read everything, so the checks run in a child that is nobody.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, content := range map[string]string{"open": "x\n", "shut": "x\n", "locked/f": "x\n", "seen/f": "x\n", "seen/deep/f": "x\n", "fixed": "x\n"} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	program := "/proc/self/exe" // others may not enter the folder of os.Args[0]
	if _, err := os.Stat(program); err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestUnreadable_asNobody$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), unreadableRoot+"="+root)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := os.Chmod(filepath.Dir(root), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	modes := map[string]os.FileMode{"shut": 0, "locked": 0, "seen/deep": 0o444}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		for name := range modes { // so that they can be removed
			_ = os.Chmod(filepath.Join(root, name), 0o755)
		}
	}()
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestUnreadable_asNobody") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestUnreadable_asNobody(t *testing.T) {
	root := os.Getenv(unreadableRoot)
	if root == "" {
		t.Skip("runs as the child of TestUnreadable")
	}
	h := sdktest.New(t, fs.New(), root, sdk.ProjectSettings{})
	for _, m := range fileMethods {
		refused(t, h, m.facade, m.method, with(m.more, "shut"), sdk.KindPermission, "shut", "permission denied")
		refused(t, h, m.facade, m.method, with(m.more, "locked/f"), sdk.KindPermission, "locked/f", "permission denied")
	}
	for _, m := range folderMethods {
		refused(t, h, m.facade, m.method, with(m.more, "locked/f"), sdk.KindPermission, "locked/f", "permission denied")
	}
	refused(t, h, "fs", "list_dir", args{"relative_path": "locked", "recursive": true}, sdk.KindPermission, "locked", "permission denied")
	refused(t, h, "fs", "find_file", args{"relative_path": "locked", "file_mask": "*"}, sdk.KindPermission, "locked", "permission denied")

	var listing fs.DirectoryListing
	h.Into(t, &listing, "fs", "list_dir", args{"relative_path": ".", "recursive": true})
	if got := strings.Join(listing.Files, " "); listing.Complete || !strings.HasPrefix(got, "fixed open") || !strings.Contains(got, "seen/f") || !saysUnread(listing.Notes, "locked") {
		t.Errorf("list_dir: got %+v", listing)
	}
	var files fs.FileMatches
	h.Into(t, &files, "fs", "find_file", args{"relative_path": ".", "file_mask": "o*"})
	if got := strings.Join(files.Files, " "); files.Complete || got != "open" || !saysUnread(files.Notes, "locked") {
		t.Errorf("find_file: got %+v", files)
	}
	for _, mask := range []string{"none/*", "none/**/*.go"} { // fits nothing below other folders, so these are not entered
		if h.Into(t, &files, "fs", "find_file", args{"relative_path": ".", "file_mask": mask}); !files.Complete || saysUnread(files.Notes, "locked") {
			t.Errorf("find_file %s: got %+v", mask, files)
		}
	}
	found, _ := search(t, h, "x", nil)
	if got := strings.Join(places(found), " "); found.Complete || got != "fixed:0 open:0 seen/f:0" || !saysUnread(found.Notes, "locked") || !strings.Contains(strings.Join(found.Notes, "\n"), "unreadable: ") {
		t.Errorf("search: got %s, %q", got, found.Notes)
	}
	preview := dryRun(t, h, args{"needle": "x", "repl": "y", "mode": "literal"})
	if len(preview.Occurrences) != 3 || preview.Complete || !saysUnread(preview.Notes, "locked") {
		t.Errorf("replace_in_files: got %+v", preview)
	}
}

// saysUnread tells whether notes name a folder that could not be read.
func saysUnread(notes []string, folder string) bool {
	for _, n := range notes {
		if strings.HasPrefix(n, "cannot be read: ") && strings.Contains(n, folder) {
			return true
		}
	}
	return false
}
