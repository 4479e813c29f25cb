package snapshots_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/host/session/snapshots"
)

func open(t *testing.T, s *snapshots.Store, key string) *snapshots.Slot {
	t.Helper()
	slot, err := s.Open(key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(slot.Close)
	return slot
}

// write puts a whole snapshot into a draft.
func write(t *testing.T, slot *snapshots.Slot, payload string) *snapshots.Draft {
	t.Helper()
	d, err := slot.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		d.Path: payload, d.ManifestPath: `{"version": 1, "savedNames": ["a", "b"], "skipped": [{"name": "c", "reason": "no"}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func commit(t *testing.T, slot *snapshots.Slot, payload string) {
	t.Helper()
	if err := write(t, slot, payload).Commit(); err != nil {
		t.Fatal(err)
	}
}

func latest(t *testing.T, slot *snapshots.Slot) string {
	t.Helper()
	s, ok := slot.Latest()
	if !ok {
		return ""
	}
	if len(s.Saved) != 2 || len(s.Left) != 1 || s.Left[0] != (snapshots.Left{Name: "c", Reason: "no"}) || time.Since(s.Taken) > time.Minute {
		t.Errorf("%+v", s)
	}
	data, err := os.ReadFile(s.Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestASnapshotCountsWhenItIsComplete(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "no [pattern") // a name as any other
	s := snapshots.New(home, time.Hour)
	slot := open(t, s, "k")
	if got := latest(t, slot); got != "" {
		t.Errorf("a new one: %q", got)
	}
	commit(t, slot, "one")
	d := write(t, slot, "half")
	if got := latest(t, slot); got != "one" {
		t.Errorf("while another is written: %q", got)
	}
	if err := d.Discard(); err != nil {
		t.Fatal(err)
	}
	commit(t, slot, "two")
	if got := latest(t, slot); got != "two" {
		t.Errorf("got %q", got)
	}
	write(t, slot, "left by a host that was killed")
	slot.Close()
	again := open(t, s, "k")
	if got := latest(t, again); got != "two" {
		t.Errorf("after a crash: %q", got)
	}
	entries, err := os.ReadDir(filepath.Join(home, "sessions", "k"))
	if err != nil || len(entries) != 2 || entries[0].Name() != "2" || entries[1].Name() != "lock" {
		t.Errorf("left: %v, %v", entries, err)
	}
	for path, mode := range map[string]os.FileMode{"": 0o700, "k": 0o700, "k/2": 0o700, "k/2/namespace.dill": 0o600, "k/2/manifest.json": 0o600} {
		if info, err := os.Stat(filepath.Join(home, "sessions", path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	last, _ := again.Latest()
	aside, err := again.SetAside(last)
	if err != nil {
		t.Fatal(err)
	}
	if got := latest(t, again); got != "" {
		t.Errorf("set aside: %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(aside, "namespace.dill")); err != nil || string(data) != "two" {
		t.Errorf("what was set aside: %q, %v", data, err)
	}
	for i := range 9 { // the last five of those stay
		commit(t, again, fmt.Sprint(i))
		last, _ := again.Latest()
		if aside, err = again.SetAside(last); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := fs.Glob(os.DirFS(filepath.Join(home, "sessions", "k")), "aside-*")
	if err != nil || len(kept) != 5 || kept[4] != filepath.Base(aside) {
		t.Errorf("kept aside: %q, %v", kept, err)
	}
}

func TestWhatIsDamagedOrExpiredIsPassedOverAndToldOf(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	slot := open(t, snapshots.New(home, time.Hour), "k")
	commit(t, slot, "one")
	last, _ := slot.Latest()
	if err := os.WriteFile(filepath.Join(filepath.Dir(last.Path), "manifest.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, ok := slot.Latest(); !ok || got.Path != last.Path || got.Saved != nil {
		t.Errorf("without a readable manifest: %+v", got)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(last.Path, old, old); err != nil {
		t.Fatal(err)
	}
	if got := latest(t, slot); got != "" {
		t.Errorf("expired: %q", got)
	}
	if err := os.Remove(last.Path); err != nil {
		t.Fatal(err)
	}
	if got := latest(t, slot); got != "" {
		t.Errorf("without its variables: %q", got)
	}
	slot.Note("more\nthan a line")
	notes := slot.TakeNotes()
	if len(notes) != 2 || !strings.Contains(notes[0], "are damaged") || notes[1] != "more than a line" || slot.TakeNotes() != nil {
		t.Errorf("notes: %q", notes)
	}
}

func TestADraftWithoutItsFilesIsNoSnapshot(t *testing.T) {
	t.Parallel()
	slot := open(t, snapshots.New(t.TempDir(), time.Hour), "k")
	commit(t, slot, "one")
	d, err := slot.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Commit(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("err = %v", err)
	}
	if got := latest(t, slot); got != "one" {
		t.Errorf("got %q", got)
	}
}

func TestASlotHasOneOwner(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := snapshots.New(home, time.Hour)
	slot := open(t, s, "k")
	if _, err := snapshots.New(home, time.Hour).Open("k"); !errors.Is(err, snapshots.ErrHeld) {
		t.Errorf("err = %v", err)
	}
	open(t, s, "other")
	slot.Close()
	open(t, s, "k")
}

func TestKeysTellPrincipalProjectAndIdApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, k := range []string{
		snapshots.Key("p", "r", "i"), snapshots.Key("q", "r", "i"), snapshots.Key("p", "s", "i"), snapshots.Key("p", "r", "j"), snapshots.Key("p", "ri", ""),
	} {
		if len(k) != 32 || seen[k] {
			t.Errorf("key %q", k)
		}
		seen[k] = true
	}
	// printf 'p\0r\0i' | sha256sum
	if got := snapshots.Key("p", "r", "i"); got != "b458aeaa5f75652685e7608cce93cb68" {
		t.Errorf("got %q", got)
	}
}

func TestExpiryRemovesWhatNobodyHolds(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := snapshots.New(home, time.Hour)
	if err := s.Expire(t.Context(), time.Now()); err != nil {
		t.Errorf("without a folder: %v", err)
	}
	for _, key := range []string{"old", "held"} {
		slot := open(t, s, key)
		commit(t, slot, key)
		if key == "old" {
			slot.Close()
		}
	}
	if err := s.Expire(t.Context(), time.Now().Add(59*time.Minute)); err != nil || !s.Has("old") {
		t.Errorf("too early: %v", err)
	}
	if err := s.Expire(t.Context(), time.Now().Add(61*time.Minute)); err != nil {
		t.Fatal(err)
	}
	if s.Has("old") || !s.Has("held") {
		t.Errorf("old %t, held %t", s.Has("old"), s.Has("held"))
	}
	open(t, s, "old")
}
