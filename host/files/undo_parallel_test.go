//go:build !windows

package files

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// Sessions of two hosts edit one project at once, each its own file: what each takes back is its own, and nothing gets lost.
func TestUndo_in_parallel(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	hosts := []*Store{p.store, p.open(t)}
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			worker{t: t, store: hosts[n%2], me: Author{Session: fmt.Sprint(n)}, file: fmt.Sprintf("f%d", n)}.work(uint64(n))
		})
	}
	all.Wait()
	p.checkTree(t, map[string]string{})
}

type worker struct {
	t     *testing.T
	store *Store
	me    Author
	file  string
}

func (w worker) work(seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	states := []string{""} // of the file, "" for absent; the last is now
	write := func() {
		now, next := sdk.Absent, fmt.Sprint("text ", rng.IntN(1000), len(states))
		if last := states[len(states)-1]; last != "" {
			now = base(last)
		}
		if _, err := w.store.Apply(w.t.Context(), w.me, []sdk.Change{sdk.WriteFile(w.file, now, []byte(next))}); err != nil {
			w.t.Error(err)
		}
		states = append(states, next)
	}
	undo := func(steps int) {
		if _, err := w.store.Undo(w.t.Context(), w.me.Session, steps); err != nil {
			w.t.Error(err)
		}
		states = states[:len(states)-steps]
	}
	for range 25 {
		switch n := rng.IntN(4); {
		case n < 2:
			write()
		case n == 2 && len(states) > 1:
			undo(1 + rng.IntN(len(states)-1))
		default:
			w.transaction(rng.IntN(2) == 0, write, &states)
		}
	}
	if len(states) > 1 {
		undo(len(states) - 1)
	}
}

// transaction makes two writes one state.
func (w worker) transaction(commit bool, write func(), states *[]string) {
	before := len(*states)
	number, err := w.store.Begin(w.t.Context(), w.me.Session)
	if err != nil {
		w.t.Error(err)
		return
	}
	write()
	write()
	if commit {
		err = w.store.Commit(w.me.Session, number)
		*states = append((*states)[:before], (*states)[len(*states)-1])
	} else {
		err = w.store.Fail(w.t.Context(), w.me.Session, number)
		*states = (*states)[:before]
	}
	if err != nil {
		w.t.Error(err)
	}
}
