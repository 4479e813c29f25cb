//go:build unix

package ignore_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/serena-go/serena/internal/ignore"
)

func TestWalk_pipes(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"a": ""})
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(root, "to-pipe")); err != nil {
		t.Fatal(err)
	}
	want(t, "entries", walk(t, root, ignore.WalkOptions{}), "a", "pipe?", "to-pipe?")
}
