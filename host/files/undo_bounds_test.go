//go:build !windows

package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/sdk"
)

func TestJournal_keeps_so_many_edits(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "0"})
	for i := range journal.MaxEdits + 3 {
		p.apply(t, me, sdk.WriteFile("a", base(fmt.Sprint(i)), []byte(fmt.Sprint(i+1))))
	}
	edits, dropped, err := p.store.Edits(t.Context(), me.Session)
	if err != nil || !dropped || len(edits) != 200 {
		t.Errorf("%d, %v, %v", len(edits), dropped, err)
	}
	p.undo(t, 200)
	p.checkTree(t, map[string]string{"a": "3"})
}

func TestJournal_keeps_so_many_bytes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	fill := func(c byte, mib int) []byte { return slices.Repeat([]byte{c}, mib<<20) }
	p.apply(t, me, sdk.WriteFile("a", sdk.Absent, fill('a', 30)))
	p.apply(t, me, sdk.WriteFile("b", sdk.Absent, fill('a', 65)))
	for _, c := range []byte("bcd") {
		p.apply(t, me, sdk.WriteFile("a", sdk.BaseOf(fill(c-1, 30)), fill(c, 30)))
	}
	if edits, dropped, err := p.store.Edits(t.Context(), me.Session); err != nil || !dropped || len(edits) != 2 {
		t.Errorf("after 90 MiB: %+v, %v, %v", edits, dropped, err)
	}
	// One that is too large alone cannot be taken back, and says so, nor what was before it.
	p.apply(t, me, sdk.WriteFile("b", sdk.BaseOf(fill('a', 65)), fill('b', 65)))
	edits, _, err := p.store.Edits(t.Context(), me.Session)
	if err != nil || len(edits) != 1 || !edits[0].Lost {
		t.Errorf("after 65 MiB: %+v, %v", edits, err)
	}
	if _, err := p.store.Undo(t.Context(), me.Session, 1); !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "edit.test in b replaced more than the 64 MiB") {
		t.Errorf("%v", err)
	}
	// Only what differs is kept.

	p.apply(t, me, sdk.WriteFile("b", sdk.BaseOf(fill('b', 65)), append(fill('b', 64), "x"...)))
	p.undo(t, 1)
	if got, err := hashFile(filepath.Join(p.root, "b")); err != nil || got != sdk.BaseOf(fill('b', 65)) {
		t.Errorf("%v, %v", got, err)
	}

}

func TestJournal_is_the_users_alone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "1"})
	p.apply(t, me, sdk.WriteFile("a", base("1"), []byte("2")))
	for path, st := range stamps(t, filepath.Join(p.home, "undo")) {
		if want := uint32(0o600); st.mode&0o777 != want && !(st.isFolder() && st.mode&0o777 == 0o700) {
			t.Errorf("%s has the mode %o", path, st.mode)
		}
	}
}
