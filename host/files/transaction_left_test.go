//go:build !windows

package files

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

var errBroken = errors.New("broken")

// failAt makes the writer fail at a point.
func (p *place) failAt(point string, index int) {
	p.store.fault = func(at string, i int) error {
		if at == point && i == index {
			return errBroken
		}
		return nil
	}
}

// Where a transaction whose block is over cannot be taken back, what the session edits afterwards is not part of it.
func TestTransaction_that_cannot_be_taken_back_leaves_later_edits_alone(t *testing.T) {
	t.Parallel()
	const stay = "its edits stay until s.edit.undo() can take them back: "
	for name, c := range map[string]struct {
		end func(s *Store, number int) (string, error)
		err string // of end
		// What is told when the session goes on, with taking back still impossible or possible again.
		still, again string
		stays        bool // also when taking back is possible again
	}{
		"failed": {func(s *Store, number int) (string, error) { return "", s.Fail(t.Context(), me.Session, number) },
			"the block failed, but " + stay + "stage 2: broken", "", "", true},
		"forsaken": {func(s *Store, number int) (string, error) { return "", s.Forsake(t.Context(), me.Session, number) },
			"stage 2: broken", "a transaction was left open; " + stay + "stage 2: broken", "a transaction was left open and was taken back: ", false},
		"abandoned": {func(s *Store, number int) (string, error) {
			note, err := s.Abandon(t.Context(), me.Session)
			return note, errors.Join(err, errors.New(note))
		}, "a transaction was left open; " + stay + "stage 2: broken", "", "", true},
		"evicted": {func(s *Store, number int) (string, error) { return s.EndSession(t.Context(), me.Session, false) },
			"stage 2: broken", "a transaction was left open; " + stay + "stage 2: broken", "a transaction was left open and was taken back: ", false},
	} {
		for _, possible := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, manyFiles)
				number := p.begin(t)
				p.inGroup(t)
				after := tree(t, p.root)
				p.failAt("stage", 2) // only what is taken back has so many files
				if _, err := c.end(p.store, number); err == nil || err.Error() != c.err {
					t.Errorf("%v", err)
				}
				p.checkTree(t, after)
				want, told, edits := after, c.still, 2
				if possible {
					p.store.fault, told = nil, c.again
					if !c.stays {
						want, edits = maps.Clone(beforeMany), 1
					}
				}
				p.apply(t, me, sdk.WriteFile("later", sdk.Absent, []byte("mine")))
				want["later"] = "mine"
				if got := p.store.Told(me.Session); got != told && (told == "" || !strings.HasPrefix(got, told)) {
					t.Errorf("the session is told %q, want %q", got, told)
				}
				if h := p.history(t); len(h) != edits || h[len(h)-1].Transaction || h[len(h)-1].Open {
					t.Errorf("the edits are %+v", h)
				}
				p.store.fault = nil
				p.store.Close()
				p.store = p.open(t)
				p.checkTree(t, want)
				p.undo(t, edits)
				p.checkTree(t, beforeMany)
			})
		}
	}
}

// The session of a killed host comes back while its transaction cannot be taken back: it goes on with edits of its own.
func TestTransaction_whose_host_was_killed_leaves_later_edits_alone(t *testing.T) {
	t.Parallel()
	p := newPlace(t, manyFiles)
	order{Root: p.root, Home: p.home, Session: me.Session, Open: true, Earlier: [][]sdk.Change{manyChanges}, StopAt: "end"}.startStopped(t)()
	in := filepath.Join(p.root, "c")
	if err := errors.Join(os.Rename(in, in+"2"), os.WriteFile(in, nil, 0o600)); err != nil { // a file where the folder was
		t.Fatal(err)
	}
	p.store = p.open(t)
	p.apply(t, me, sdk.WriteFile("later", sdk.Absent, []byte("mine")))
	if told := p.store.Told(me.Session); !strings.HasPrefix(told, "a transaction was left open; its edits stay") {
		t.Errorf("the session is told %q", told)
	}
	if h := p.history(t); len(h) != 2 || !h[0].Transaction || h[0].Open || h[1].Transaction {
		t.Errorf("the edits are %+v", h)
	}
	if err := errors.Join(os.Remove(in), os.Rename(in+"2", in)); err != nil {
		t.Fatal(err)
	}
	p.store.Close()
	p.store = p.open(t)
	want := tree(t, p.root)
	if want["later"] != "mine" {
		t.Errorf("the later edit is gone: %v", want)
	}
	p.undo(t, 2)
	p.checkTree(t, beforeMany)
}

// However long it takes: who waits for it bounds the wait for the project, not the work.
func TestTransaction_is_taken_back_after_its_time(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(ctx context.Context, s *Store, number int) error{
		"failed":    func(ctx context.Context, s *Store, number int) error { return s.Fail(ctx, me.Session, number) },
		"forsaken":  func(ctx context.Context, s *Store, number int) error { return s.Forsake(ctx, me.Session, number) },
		"abandoned": func(ctx context.Context, s *Store, _ int) error { _, err := s.Abandon(ctx, me.Session); return err },
		"evicted": func(ctx context.Context, s *Store, _ int) error {
			_, err := s.EndSession(ctx, me.Session, false)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			number := p.begin(t)
			p.inGroup(t)
			ctx, cancel := context.WithCancel(t.Context())
			p.store.fault = func(string, int) error {
				if open, over := p.store.InTransaction(me.Session); !open || !over {
					t.Errorf("while it is taken back it is open: %v, over: %v", open, over)
				}
				cancel()
				return nil
			}
			if err := end(ctx, p.store, number); err != nil || ctx.Err() == nil {
				t.Errorf("%v", err)
			}
			p.store.fault = nil
			p.checkTree(t, beforeMany)
			if h := p.history(t); len(h) != 0 {
				t.Errorf("the edits are %+v", h)
			}
		})
	}
}

// Another host writes for longer than the end of the block can wait. What is committed need not wait.
func TestTransaction_whose_end_finds_the_project_locked(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(ctx context.Context, s *Store, number int) error{
		"committed": func(_ context.Context, s *Store, number int) error { return s.Commit(me.Session, number) },
		"failed":    func(ctx context.Context, s *Store, number int) error { return s.Fail(ctx, me.Session, number) },
		"forsaken":  func(ctx context.Context, s *Store, number int) error { return s.Forsake(ctx, me.Session, number) },
		"abandoned": func(ctx context.Context, s *Store, _ int) error { _, err := s.Abandon(ctx, me.Session); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, manyFiles)
			number := p.begin(t)
			p.inGroup(t)
			release, err := p.open(t).acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var want error
			edits := 2
			if name != "committed" {
				want, edits = context.Canceled, 1
			}
			if err := end(ctx, p.store, number); !errors.Is(err, want) {
				t.Errorf("%v", err)
			}
			release()
			p.apply(t, me, sdk.WriteFile("later", sdk.Absent, []byte("mine")))
			p.store.Close()
			p.store = p.open(t)
			p.undo(t, edits)
			p.checkTree(t, beforeMany)
		})
	}
}
