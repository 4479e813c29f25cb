//go:build !windows

package files

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

// shot is a whole tree, byte for byte, with types and modes.
type shot struct{ content, modes map[string]string }

func (p *place) shoot(t *testing.T) shot {
	t.Helper()
	return shot{tree(t, p.root), modes(t, p.root)}
}

func (a shot) equal(b shot) bool {
	return maps.Equal(a.content, b.content) && maps.Equal(a.modes, b.modes)
}

// Names that can be each other's folder, and of several depths.
var modelNames = []string{"a", "b", "d", "d/e", "d/e/f", "g/h", "g/i", "link"}

// randomWrite makes up one to four changes that may fit the tree.
func randomWrite(rng *rand.Rand, now map[string]string) []sdk.Change {
	var changes []sdk.Change
	for range 1 + rng.IntN(4) {
		name := modelNames[rng.IntN(len(modelNames))]
		old, there := now[name]
		isBase := base(old)
		if target, isLink := strings.CutPrefix(old, "-> "); isLink {
			isBase = base(now[target])
		}
		if !there {
			isBase = sdk.Absent
		}
		text := []byte(strings.Repeat("line\r\n", rng.IntN(4)) + fmt.Sprint(rng.IntN(5)) + "\x00end")
		switch at := rng.IntN(len(old) + 1); rng.IntN(5) {
		case 0:
			changes = append(changes, sdk.DeleteFile(name, isBase))
		case 1:
			changes = append(changes, sdk.RenameFile(name, isBase, modelNames[rng.IntN(len(modelNames))]))
		case 2:
			changes = append(changes, sdk.EditFile(name, isBase, sdk.ByteEdit{Start: at, End: at, Text: text[:rng.IntN(len(text))]}))
		default:
			changes = append(changes, sdk.WriteFile(name, isBase, text))
		}
	}
	return changes
}

// Random edits, transactions and undos against the trees as they were: each is exactly back, or refused without a trace.
func TestUndo_against_a_model(t *testing.T) {
	t.Parallel()
	for seed := range uint64(16) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := &model{rng: rand.New(rand.NewPCG(seed, 5)), place: newPlace(t, map[string]string{"a": "A\n", "d/e": "E", "g/h": "H\r\nH", "g/i": ""})}
			for name, mode := range map[string]os.FileMode{"a": 0o755, "d/e": 0o600, "g/h": 0o444} {
				if err := os.Chmod(filepath.Join(m.place.root, name), mode); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("a", filepath.Join(m.place.root, "link")); err != nil {
				t.Fatal(err)
			}
			for range 50 {
				m.act(t)
				if t.Failed() {
					t.Fatalf("after %s", strings.Join(m.did, "\n  "))
				}
			}
		})
	}
}

type model struct {
	rng    *rand.Rand
	place  *place
	before []shot // of each edit that can be taken back
	number int    // of the open transaction
	begun  shot   // as it was at its beginning
	writes int    // in it
	did    []string
}

func (m *model) act(t *testing.T) {
	t.Helper()
	switch n := m.rng.IntN(10); {
	case n < 6:
		m.write(t)
	case n < 8 && m.number == 0:
		m.undo(t)
	case m.number == 0:
		m.number, m.begun, m.writes = m.place.begin(t), m.place.shoot(t), 0
		m.did = append(m.did, "begin")
	default:
		m.endTransaction(t, n == 8)
	}
	if h := m.place.history(t); len(h) != len(m.before)+min(1, m.writes) {
		t.Errorf("the history has %d edits, the model %d", len(h), len(m.before)+min(1, m.writes))
	}
}

func (m *model) write(t *testing.T) {
	t.Helper()
	before := m.place.shoot(t)
	changes := randomWrite(m.rng, before.content)
	m.did = append(m.did, fmt.Sprintf("%+v", changes))
	_, err := m.place.store.Apply(t.Context(), me, changes)
	after := m.place.shoot(t)
	switch {
	case err != nil:
		if !after.equal(before) {
			t.Errorf("refused (%v), but it changed\n%v\nto\n%v", err, before, after)
		}
	case after.equal(before): // it changed nothing
	case m.number != 0:
		m.writes++
	default:
		m.before = append(m.before, before)
	}
}

func (m *model) undo(t *testing.T) {
	t.Helper()
	if len(m.before) == 0 {
		return
	}
	steps := 1 + m.rng.IntN(min(3, len(m.before)))
	m.did = append(m.did, fmt.Sprint("undo ", steps))
	m.place.undo(t, steps)
	want := m.before[len(m.before)-steps]
	m.before = m.before[:len(m.before)-steps]
	m.compare(t, want)
}

func (m *model) endTransaction(t *testing.T, commit bool) {
	t.Helper()
	m.did = append(m.did, fmt.Sprint("end, commit: ", commit))
	if commit {
		if err := m.place.store.Commit(me.Session, m.number); err != nil {
			t.Error(err)
		}
		if m.writes > 0 {
			m.before = append(m.before, m.begun)
		}
	} else {
		if err := m.place.store.Fail(t.Context(), me.Session, m.number); err != nil {
			t.Error(err)
		}
		m.compare(t, m.begun)
	}
	m.number, m.writes = 0, 0
}

func (m *model) compare(t *testing.T, want shot) {
	t.Helper()
	if got := m.place.shoot(t); !got.equal(want) {
		t.Errorf("taken back to\n%v\nwant\n%v", got, want)
	}
	if left := slices.DeleteFunc(slices.Collect(maps.Keys(tree(t, m.place.root))), func(name string) bool { return !staged.Is(filepath.Base(name)) }); len(left) > 0 {
		t.Errorf("staged files are left: %q", left)
	}
}
