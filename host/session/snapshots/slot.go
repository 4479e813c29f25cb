package snapshots

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	payloadName  = "namespace.dill"
	manifestName = "manifest.json"
)

// Slot is one session's folder, owned by the caller. Its methods are called one at a time.
type Slot struct {
	Key  string
	dir  string
	lock *os.File
	keep time.Duration
}

// Snapshot is one that is complete.
type Snapshot struct {
	Path   string // of the variables
	Taken  time.Time
	Saved  []string // names
	Left   []Left
	number int
}

// Left is a variable that a snapshot left out, and why.
type Left struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Latest returns the last snapshot whose variables are there and that has not expired. A folder without one has none, which is
// no error; one that is damaged is passed over, and told of by TakeNotes.
func (s *Slot) Latest() (Snapshot, bool) {
	for _, n := range slices.Backward(s.numbers()) {
		dir := s.numbered(n)
		path := filepath.Join(dir, payloadName)
		info, err := os.Stat(path)
		if err != nil {
			s.Note(fmt.Sprintf("variables that had been kept in %s are damaged: %v", dir, err))
			if _, err := s.SetAside(Snapshot{number: n}); err != nil {
				return Snapshot{}, false
			}
			continue
		}
		if time.Since(info.ModTime()) > s.keep {
			continue
		}
		var manifest struct { // without it the variables are restored all the same; they have an index of their own
			Saved []string `json:"savedNames"`
			Left  []Left   `json:"skipped"`
		}
		if data, err := os.ReadFile(filepath.Join(dir, manifestName)); err == nil {
			_ = json.Unmarshal(data, &manifest)
		}
		return Snapshot{Path: path, Taken: info.ModTime(), Saved: manifest.Saved, Left: manifest.Left, number: n}, true
	}
	return Snapshot{}, false
}

// Note has something told with the session's next answer, in whatever host; what cannot be written is lost.
func (s *Slot) Note(text string) {
	f, err := os.OpenFile(filepath.Join(s.dir, notesName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
}

// TakeNotes returns what Note was given, once.
func (s *Slot) TakeNotes() []string {
	path := filepath.Join(s.dir, notesName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	_ = os.Remove(path) // at worst it is told again
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// Draft is a snapshot that is being written: first the files, then Commit or Discard.
type Draft struct {
	Path, ManifestPath string
	slot               *Slot
}

// Begin makes room for a snapshot.
func (s *Slot) Begin() (*Draft, error) {
	dir := filepath.Join(s.dir, newName)
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, dirMode); err != nil {
		return nil, err
	}
	return &Draft{Path: filepath.Join(dir, payloadName), ManifestPath: filepath.Join(dir, manifestName), slot: s}, nil
}

// Commit makes the draft the last snapshot and removes the earlier ones.
func (d *Draft) Commit() error {
	s := d.slot
	earlier := s.numbers()
	next := 1
	if len(earlier) > 0 {
		next = earlier[len(earlier)-1] + 1
	}
	for _, path := range []string{d.Path, d.ManifestPath} {
		if err := os.Chmod(path, 0o600); err != nil {
			return fmt.Errorf("the snapshot is not complete: %w", err)
		}
	}
	if err := os.Rename(filepath.Dir(d.Path), s.numbered(next)); err != nil {
		return err
	}
	var faults []error
	for _, n := range earlier {
		faults = append(faults, os.RemoveAll(s.numbered(n)))
	}
	return errors.Join(faults...)
}

// Discard removes the draft.
func (d *Draft) Discard() error { return os.RemoveAll(filepath.Dir(d.Path)) }

// SetAside takes a snapshot out of the way of later ones and returns where it is now. The last few stay on disk until the session
// expires.
func (s *Slot) SetAside(snapshot Snapshot) (string, error) {
	aside := filepath.Join(s.dir, asidePrefix+time.Now().UTC().Format("20060102-150405.000000000"))
	if err := os.Rename(s.numbered(snapshot.number), aside); err != nil {
		return "", err
	}
	older, err := fs.Glob(os.DirFS(s.dir), asidePrefix+"*") // sorted, so by time
	for len(older) > keptAside {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, older[0])))
		older = older[1:]
	}
	return aside, err
}

// Close gives the folder up.
func (s *Slot) Close() {
	_ = s.lock.Close() // what was written is written; the lock ends with the descriptor
}

// clean removes what a host that was killed left unfinished.
func (s *Slot) clean() error {
	err := os.RemoveAll(filepath.Join(s.dir, newName))
	if err != nil {
		s.Close()
	}
	return err
}

func (s *Slot) numbered(n int) string { return filepath.Join(s.dir, strconv.Itoa(n)) }

// numbers lists the snapshots, the earliest first.
func (s *Slot) numbers() []int {
	entries, _ := os.ReadDir(s.dir) // one that cannot be read has none that could be used
	var all []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}
