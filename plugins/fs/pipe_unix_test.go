//go:build unix

package fs_test

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// Opening a pipe that nobody writes to would wait for ever.
func TestPipes_are_not_opened(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "x\n"})
	if err := syscall.Mkfifo(filepath.Join(h.Project.Root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, h, "fs", "read_file", args{"relative_path": "pipe"}, sdk.KindValue, "no regular file")
	refused(t, h, "edit", "replace_content", args{"relative_path": "pipe", "needle": "x", "repl": "y", "mode": "literal"}, sdk.KindValue, "no regular file")
	got, _ := search(t, h, "x", nil)
	if !slices.Equal(places(got), []string{"a:0"}) || !slices.Equal(got.Notes, []string{"not searched, since no regular files: pipe"}) {
		t.Errorf("got %q, %q", places(got), got.Notes)
	}
}
