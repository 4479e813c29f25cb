//go:build linux

package files

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk"
)

// pair is a project with a store that watches and one that looks at everything each time.
type pair struct {
	*place
	scans       *Store
	now, before uint64 // of the watching store, of the other
	mirror      map[string]condition
}

// condition is what a reader of a file depends on.
type condition struct {
	base sdk.Base
	mode os.FileMode
	time time.Time
}

func conditionOf(path string) condition {
	st, err := os.Stat(path)
	if err != nil {
		return condition{}
	}
	base, _ := hashFile(path)
	return condition{base, st.Mode(), st.ModTime()}
}

func newPair(t *testing.T) *pair {
	p := &pair{place: newPlace(t, map[string]string{"a/a": "1", "b": "2"})}
	p.scans = p.open(t)
	p.scans.watch.next = time.Now().Add(time.Hour)
	p.now, p.before = p.since(t, 0, nil), p.scans.changesSince(t, 0).Last
	if p.store.watch.queue == nil {
		t.Skip(p.store.Notes())
	}
	p.mirror = p.truth()
	return p
}

func (s *Store) changesSince(t *testing.T, number uint64) sdk.Changes {
	t.Helper()
	got, err := s.Changes(t.Context(), number)
	if err != nil || got.Reset {
		t.Fatalf("since %d: got %+v, %v", number, got, err)
	}
	return got
}

// truth is the state of all files as a scan lists them now.
func (p *pair) truth() map[string]condition {
	all := map[string]condition{}
	for rel := range p.scans.snapshot.files {
		all[rel] = conditionOf(p.scans.real(rel))
	}
	return all
}

// follow asks the watching store and brings the mirror up to date by nothing but its answer.
func (p *pair) follow(t *testing.T) map[string]sdk.ChangeKind {
	t.Helper()
	told := map[string]sdk.ChangeKind{}
	got := p.store.changesSince(t, p.now)
	for _, c := range got.Files {
		told[c.Path] = c.Kind
		if now := conditionOf(p.store.real(c.Path)); now.base != "" {
			p.mirror[c.Path] = now
		} else {
			delete(p.mirror, c.Path)
		}
	}
	p.now = got.Last
	return told
}

// check compares both stores while nothing changes. exact: both were asked at the same times until now.
func (p *pair) check(t *testing.T, what string, exact bool) {
	t.Helper()
	before := maps.Clone(p.mirror)
	told := p.follow(t)
	scanned := p.scans.changesSince(t, p.before)
	p.before = scanned.Last
	truth := p.truth()
	for rel, want := range truth {
		if p.mirror[rel] != want {
			t.Errorf("%s: %s is %v, and who follows the changes has %v", what, rel, want, p.mirror[rel])
		}
	}
	for rel := range p.mirror {
		if _, ok := truth[rel]; ok {
			continue
		}
		if exact && !exists(filepath.Join(p.root, rel)) {
			t.Errorf("%s: %s is gone, and it was not told", what, rel)
		}
	}
	if exact {
		for _, c := range scanned.Files {
			if kind, ok := told[c.Path]; kind != c.Kind && (ok || truth[c.Path] != before[c.Path]) {
				t.Errorf("%s: %s is %v in a scan and %v in the watch", what, c.Path, c.Kind, kind)
			}
			delete(told, c.Path)
		}
		if len(told) > 0 {
			t.Errorf("%s: told by the watch alone: %v", what, told)
		}
	}
	p.mirror = truth
}

func TestWatch_tells_what_a_scan_finds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			outside := filepath.Join(filepath.Dir(p.root), "outside")
			if err := os.Mkdir(outside, 0o755); err != nil {
				t.Fatal(err)
			}
			m := mutation{Root: p.root, Outside: outside, Seed: seed, Ignore: seed%2 == 0, Hard: seed%2 == 1}.start(t)
			for round := range 40 {
				m.begin(t, 1+round%23)
				m.wait(t)
				p.check(t, fmt.Sprintf("seed %d, round %d", seed, round), true)
				if t.Failed() {
					return
				}
			}
			if n := p.store.watch.pass; n < 40 || p.store.watch.queue == nil {
				t.Errorf("it is not watched: %d passes, %v", n, p.store.Notes())
			}
		})
	}
}

func TestWatch_while_everything_changes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			outside := filepath.Join(filepath.Dir(p.root), "outside")
			if err := os.Mkdir(outside, 0o755); err != nil {
				t.Fatal(err)
			}
			m := mutation{Root: p.root, Outside: outside, Seed: seed, Ignore: seed%2 == 0, Hard: seed%2 == 1}.start(t)
			for round := range 6 {
				m.begin(t, 120)
				done := make(chan struct{})
				go func() { defer close(done); m.wait(t) }()
				for running := true; running; {
					select {
					case <-done:
						running = false
					default:
						p.follow(t)
					}
				}
				p.check(t, fmt.Sprintf("seed %d, round %d", seed, round), false)
				if t.Failed() {
					return
				}
			}
		})
	}
}
