package files

import (
	"cmp"
	"slices"
	"sync"

	"github.com/serena-go/serena/sdk"
)

const (
	maxTold  = 10_000 // files that the history remembers; who asks for more starts over
	maxTurns = 16     // of one file; of what was before them only the outcome is kept
)

// history numbers the changes of a project's files, from 1. Every Apply and every scan that found something is one number.
type history struct {
	mu    sync.Mutex // guards the fields below
	last  uint64
	floor uint64 // what happened up to this number is forgotten
	files map[string]*life
}

// life is what is remembered of one file.
type life struct {
	last   uint64 // number of its last change
	before bool   // did it exist before the first of turns
	turns  []turn
}

// turn is a creation or a removal.
type turn struct {
	number uint64
	exists bool
}

func newHistory() *history { return &history{last: 1, floor: 1, files: map[string]*life{}} }

func (h *history) lastNumber() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// forget makes every number that was given until now too old: what was not watched before cannot be told.
func (h *history) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	h.floor = h.last
	h.files = map[string]*life{}
}

// add gives the changes one new number, also when there are none.
func (h *history) add(changes []sdk.FileChange) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	for _, c := range changes {
		f := h.files[c.Path]
		if f == nil {
			f = &life{before: c.Kind != sdk.Created}
			h.files[c.Path] = f
		}
		f.last = h.last
		if c.Kind != sdk.Changed {
			f.turns = append(f.turns, turn{number: h.last, exists: c.Kind == sdk.Created})
			if len(f.turns) > maxTurns {
				f.before = f.turns[0].exists
				f.turns = slices.Delete(f.turns, 0, 1)
			}
		}
	}
	h.trim()
	return h.last
}

// trim forgets the older half of too many files.
func (h *history) trim() {
	if len(h.files) <= maxTold {
		return
	}
	numbers := make([]uint64, 0, len(h.files))
	for _, f := range h.files {
		numbers = append(numbers, f.last)
	}
	slices.Sort(numbers)
	h.floor = max(h.floor, numbers[len(numbers)-maxTold/2-1])
	for path, f := range h.files {
		if f.last <= h.floor {
			delete(h.files, path)
		}
	}
}

// existed reports whether the file was there after the change number.
func (f *life) existed(number uint64) bool {
	there := f.before
	for _, t := range f.turns {
		if t.number <= number {
			there = t.exists
		}
	}
	return there
}

// since answers what changed after a number, in the order of the last changes.
func (h *history) since(number uint64) sdk.Changes {
	h.mu.Lock()
	defer h.mu.Unlock()
	answer := sdk.Changes{Last: h.last}
	if number == 0 {
		return answer
	}
	if number < h.floor || number > h.last {
		answer.Reset = true
		return answer
	}
	type found struct {
		change sdk.FileChange
		last   uint64
	}
	var all []found
	for path, f := range h.files {
		if f.last <= number {
			continue
		}
		kind := sdk.Changed
		switch now := f.existed(h.last); {
		case !now: // told also to who never knew of it: the name may be in an answer meanwhile
			kind = sdk.Deleted
		case !f.existed(number):
			kind = sdk.Created
		}
		all = append(all, found{sdk.FileChange{Path: path, Kind: kind}, f.last})
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.change.Path, b.change.Path))
	})
	for _, f := range all {
		answer.Files = append(answer.Files, f.change)
	}
	return answer
}
