//go:build linux

package files

import (
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/serena-go/serena/sdk"
)

// accessFor is an access control list as the kernel keeps it: owner rw, one more user rw, group r, mask rw, others nothing.
func accessFor(user uint32) []byte {
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 6, ^uint32(0)}, {2, 6, user}, {4, 4, ^uint32(0)}, {16, 6, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.perm)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

func attributesOf(t *testing.T, path string) map[string]string {
	t.Helper()
	names, err := attributeNames(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		value, err := attribute(path, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(value)
	}
	return all
}

func setAttribute(t *testing.T, path, name string, value []byte) {
	t.Helper()
	err := unix.Lsetxattr(path, name, value, 0)
	if errors.Is(err, unix.ENOTSUP) {
		t.Skipf("%s: %v", name, err)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestApply_keeps_attributes_and_access_lists(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1"})
	setAttribute(t, p.path("a"), "user.author", []byte("me\x00"))
	setAttribute(t, p.path("a"), "user.empty", nil)
	setAttribute(t, p.path("a"), accessList, accessFor(4242))
	before := attributesOf(t, p.path("a"))
	mode, err := lstamp(p.path("a"))
	if err != nil || mode.mode&0o777 != 0o660 || before["user.author"] != "me\x00" || before[accessList] == "" {
		t.Fatalf("mode %o, attributes %q, %v", mode.mode, before, err)
	}
	if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("1"), []byte("2"))}); err != nil {
		t.Fatal(err)
	}
	after, err := lstamp(p.path("a"))
	if got := attributesOf(t, p.path("a")); err != nil || after.mode != mode.mode || !maps.Equal(got, before) {
		t.Errorf("mode %o, attributes %q, want %o, %q", after.mode, got, mode.mode, before)
	}
	p.checkTree(t, map[string]string{"a": "2"})
}

// A folder's default list must not open a file that had none.
func TestApply_gives_no_access_list_to_a_file_that_had_none(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"d/a": "1"})
	if err := os.Chmod(p.path("d/a"), 0o640); err != nil {
		t.Fatal(err)
	}
	setAttribute(t, p.path("d"), "system.posix_acl_default", accessFor(4242))
	if _, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("d/a", base("1"), []byte("2")), sdk.WriteFile("d/new", sdk.Absent, nil)}); err != nil {
		t.Fatal(err)
	}
	st, err := lstamp(p.path("d/a"))
	if got := attributesOf(t, p.path("d/a")); err != nil || len(got) > 0 || st.mode&0o777 != 0o640 {
		t.Errorf("mode %o, attributes %q, %v", st.mode, got, err)
	}
	if got := attributesOf(t, p.path("d/new")); got[accessList] == "" {
		t.Errorf("a new file has %q: it should take the folder's list", got)
	}
}

func TestApply_replaces_one_name_of_several(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1"})
	if err := os.Link(p.path("a"), p.path("b")); err != nil {
		t.Skip(err)
	}
	start := p.since(t, 0, nil)
	number, err := p.store.Apply(t.Context(), Author{}, []sdk.Change{sdk.WriteFile("a", base("1"), []byte("2"))})
	if err != nil {
		t.Fatal(err)
	}
	p.checkTree(t, map[string]string{"a": "2", "b": "1"})
	p.since(t, start, map[string]sdk.ChangeKind{"a": sdk.Changed, "b": sdk.Changed}) // its change time, since it has one name less
	p.since(t, number, map[string]sdk.ChangeKind{"b": sdk.Changed})
}
