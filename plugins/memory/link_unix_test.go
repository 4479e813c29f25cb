//go:build unix

package memory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// A user may share memories by links; a project cannot make the user's other files pass for memories by them.
func TestLinks(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"db": "tables", "kept": "mem:db"}, sdk.ProjectSettings{})
	elsewhere := t.TempDir()
	put(t, filepath.Join(elsewhere, "shared/style.md"), "tabs, mem:db")
	put(t, filepath.Join(elsewhere, "key"), "secret")
	for name, target := range map[string]string{
		"team": filepath.Join(elsewhere, "shared"), "one.md": filepath.Join(elsewhere, "shared/style.md"), "key.md": filepath.Join(elsewhere, "key"),
		"loop": ".", "self.md": "self.md", "gone.md": "nowhere.md", "also.md": "kept.md",
	} {
		if err := os.Symlink(target, filepath.Join(h.Project.Root, ".serena/memories", name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, text := list(t, h, ""); text != `{"memories": ["also", "db", "kept", "key", "one", "team/style"]}` {
		t.Errorf("listed %s", text)
	}
	ok(t, h, "read_memory", args{"memory_name": "team/style"}, "tabs, mem:db")
	ok(t, h, "read_memory", args{"memory_name": "one"}, "tabs, mem:db")
	refused(t, h, "read_memory", args{"memory_name": "key"}, sdk.KindPermission, "no Markdown file")
	refused(t, h, "read_memory", args{"memory_name": "gone"}, sdk.KindFileNotFound)

	// What lies outside stays as it is, and what two names lead to is rewritten once.
	ok(t, h, "rename_memory", args{"old_name": "db", "new_name": "s"}, "OK (1 reference in 1 memory rewritten to mem:s)\n"+
		"note: mem:db is still named in memories that cannot be changed from here: \"one\"\n"+
		"note: could not be read, so that references in them were not looked for: \"key\"")
	ok(t, h, "read_memory", args{"memory_name": "kept"}, "mem:s")
	ok(t, h, "read_memory", args{"memory_name": "team/style"}, "tabs, mem:db")
}
