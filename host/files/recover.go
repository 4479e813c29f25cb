package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/internal/filelock"
	"github.com/serena-go/serena/sdk"
)

// recoverLeft takes back what a dead writer left, if there is something and no living writer has the project.
func (s *Store) recoverLeft() error {
	if !exists(s.recordPath) {
		return nil
	}
	release, err := s.tryAcquire()
	if errors.Is(err, filelock.ErrHeld) {
		return nil // its writer lives
	}
	if err == nil {
		defer release()
		err = s.settleLeft()
	}
	if err != nil {
		return fmt.Errorf("an interrupted write to %s cannot be taken back: %w", s.root, err)
	}
	return nil
}

// settleLeft does it, for who holds the project's lock.
func (s *Store) settleLeft() error {
	j, err := s.readIntent()
	if err != nil || j == nil {
		return err
	}
	states, err := progress(j)
	if err != nil {
		return err
	}
	if !slices.Contains(states, notDone) || j.cleaning(states) {
		return s.complete(j)
	}
	touched, err := s.rewind(j)
	if err == nil && len(touched) > 0 {
		s.note(fmt.Sprintf("a write of %d files was interrupted when its process was killed, and taken back, except for %s, which somebody changed since: look at it", len(j.Steps), list(touched)))
	}
	return err
}

// state is how far a step came.
type state int

const (
	notDone state = iota
	done
	foreign // somebody else made the file what it is, after the step was done or before
)

func progress(j *intent) ([]state, error) {
	states := make([]state, len(j.Steps))
	for i, r := range j.Steps {
		var err error
		if states[i], err = r.progress(); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Path, err)
		}
	}
	return states, nil
}

// disown makes foreign what somebody else brought about: what looks like a step that is done, but comes after one that is not, or neither
// it nor one after it has kept what it replaced. Steps are done in their order, and taken back from the end.
func (j *intent) disown(states []state) {
	end := slices.Index(states, notDone)
	if end < 0 {
		end = len(states)
	}
	proven := false
	for i, r := range slices.Backward(j.Steps) {
		proven = proven || i < end && r.Kept != "" && exists(r.Kept)
		if states[i] == done && (i > end || r.Kept != "" && !proven) {
			states[i] = foreign
		}
	}
}

// cleaning reports whether all steps were done and what they needed was being removed, whatever somebody did to the files since.
// The sign is an old content that is gone, of the last step that was done or of one before it, where nothing is staged any more:
// steps are done in their order, and taken back from the end.
func (j *intent) cleaning(states []state) bool {
	begun, later := false, false
	for i, r := range slices.Backward(j.Steps) {
		if r.Temp != "" && exists(r.Temp) {
			return false
		}
		later = later || states[i] == done
		begun = begun || (later && r.Kept != "" && !exists(r.Kept))
	}
	return begun
}

// progress looks at the files. It relies on the order in record, and on staging being complete before the first rename.
func (r record) progress() (state, error) {
	now, err := baseAt(r.Path)
	if err != nil {
		return notDone, err
	}
	switch r.Kind {
	case kindRemove:
		switch {
		case now == r.Base:
			return notDone, nil
		case exists(r.Kept) && now != sdk.Absent:
			return foreign, nil
		case now == sdk.Absent:
			return done, nil
		}
		return notDone, nil
	case kindMove:
		to, err := baseAt(r.To)
		switch {
		case err != nil:
			return notDone, err
		case r.twoNames():
			return done, nil
		case now == r.Base && (to != r.Base || listed(r.Path)):
			return notDone, nil
		case to == r.Base:
			return done, nil
		}
		return foreign, nil
	}
	waits := exists(r.Temp)
	switch {
	case waits && !sameFile(r.Temp, r.Path):
		return notDone, nil
	case now == r.Next:
		return done, nil
	case now == r.Base:
		return notDone, nil
	}
	return foreign, nil
}

// twoNames reports whether a move was interrupted when the new name was there and the old one not yet gone.
func (r record) twoNames() bool { return sameFile(r.Path, r.To) && listed(r.Path) && listed(r.To) }

// listed reports whether a name is in its folder as it is written, also where the file system takes names that differ in case
// for the same.
func listed(path string) bool {
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return err == nil && slices.Contains(names, filepath.Base(path))
}

func sameFile(a, b string) bool {
	x, errX := os.Lstat(a)
	y, errY := os.Lstat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// rewind takes back every step that was done, the last first, then what was staged, and returns the files that somebody else
// changed since, which it leaves alone. The record stays if it fails.
func (s *Store) rewind(j *intent) (touched []string, err error) {
	states, err := progress(j)
	if err != nil {
		return nil, err
	}
	j.disown(states)
	for i, r := range j.Steps { // before anything is taken back: what is kept proves, until then, that steps were done
		if states[i] == done && r.Kept != "" && !exists(r.Kept) {
			return nil, fmt.Errorf("%s: what it held before is gone from %s", r.Path, r.Kept)
		}
	}
	begun := slices.Contains(states, done)
	for i, r := range slices.Backward(j.Steps) {
		switch states[i] {
		case done:
			if err := r.rewind(); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Path, err)
			}
		case foreign:
			if begun || (r.Kept != "" && exists(r.Kept)) {
				touched = append(touched, s.name(r.Path))
			}
		}
	}
	if j.Entry != "" {
		if err := journal.Settle(j.Entry, false); err != nil {
			return touched, err
		}
	}
	if err := s.finish(j, false); err != nil {
		return touched, err
	}
	for _, dir := range slices.Backward(j.Folders) {
		_ = os.Remove(dir) // stays where somebody put something into it
	}
	slices.Sort(touched)
	return touched, nil
}

func (r record) rewind() error {
	switch {
	case r.Kind == kindMove && r.twoNames():
		return os.Remove(r.To)
	case r.Kind == kindMove:
		return placeNew(r.To, r.Path)
	case r.Base == sdk.Absent:
		return os.Remove(r.Path)
	}
	return os.Rename(r.Kept, r.Path)
}

// complete cleans up after a write of which every file was done.
func (s *Store) complete(j *intent) error {
	for _, r := range j.Steps {
		if r.Kind == kindMove && r.twoNames() {
			if err := os.Remove(r.Path); err != nil {
				return err
			}
		}
	}
	if j.Entry != "" {
		if err := journal.Settle(j.Entry, true); err != nil {
			return err
		}
	}
	for _, entry := range j.Drops {
		if err := journal.Settle(entry, false); err != nil {
			return err
		}
	}
	return s.finish(j, true)
}

// finish removes what was staged, then what was kept (cleaning relies on this order), then, if all was done, the folders that are
// left, then the record.
func (s *Store) finish(j *intent, done bool) error {
	var names []string
	for _, r := range j.Steps {
		names = append(names, r.Temp)
	}
	for _, r := range j.Steps {
		names = append(names, r.Kept)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		if err := os.Remove(name); err != nil && exists(name) {
			return err
		}
	}
	if done {
		for _, dir := range j.Leave {
			_ = os.Remove(dir) // stays where there is something in it
		}
	}
	if err := os.Remove(s.recordPath); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// name is a path as the user knows it.
func (s *Store) name(real string) string {
	if rel := s.relative(real); rel != "" {
		return rel
	}
	return real
}

func list(names []string) string { return strings.Join(names, ", ") }
