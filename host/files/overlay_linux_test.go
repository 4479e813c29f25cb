package files

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/serena-go/serena/sdk"
)

// A file with several names in a lower layer of an overlay, such as the image of a container, becomes another one when it is first linked.
func TestApply_hard_links_in_a_lower_layer(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := func(name string) string { return filepath.Join(base, name) }
	for _, name := range []string{"lower", "upper", "work", "project"} {
		if err := os.Mkdir(dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.WriteFile(filepath.Join(dir("lower"), "a"), []byte("a"), 0o640), os.Link(filepath.Join(dir("lower"), "a"), filepath.Join(dir("lower"), "b")))
	if err != nil {
		t.Fatal(err)
	}
	options := "lowerdir=" + dir("lower") + ",upperdir=" + dir("upper") + ",workdir=" + dir("work")
	if err := unix.Mount("overlay", dir("project"), "overlay", 0, options); err != nil {
		t.Skip("no overlay can be mounted: ", err)
	}
	t.Cleanup(func() { // after the store is closed
		if err := unix.Unmount(dir("project"), 0); err != nil {
			t.Error(err)
		}
	})
	p := &place{root: dir("project"), home: dir("home")}
	p.store = p.open(t)
	before := modes(t, p.root)
	p.apply(t, me, sdk.WriteFile("a", sdk.BaseOf([]byte("a")), []byte("A")), sdk.EditFile("b", sdk.BaseOf([]byte("a")), edit(0, 1, "B")))
	p.checkTree(t, map[string]string{"a": "A", "b": "B"})
	p.undo(t, 1)
	p.checkTree(t, map[string]string{"a": "a", "b": "a"})
	for name, mode := range modes(t, p.root) {
		if before[name] != mode {
			t.Errorf("the mode of %s is %s, was %s", name, mode, before[name])
		}
	}
}
