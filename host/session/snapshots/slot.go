package snapshots

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// Latest returns the last complete snapshot. A folder without one has none, which is no error.
func (s *Slot) Latest() (Snapshot, bool) {
	numbers := s.numbers()
	for _, n := range slices.Backward(numbers) {
		dir := s.numbered(n)
		info, err := os.Stat(filepath.Join(dir, manifestName))
		if err != nil {
			continue
		}
		var manifest struct {
			Saved []string `json:"savedNames"`
			Left  []Left   `json:"skipped"`
		}
		data, err := os.ReadFile(filepath.Join(dir, manifestName))
		if err != nil || json.Unmarshal(data, &manifest) != nil {
			continue
		}
		return Snapshot{Path: filepath.Join(dir, payloadName), Taken: info.ModTime(), Saved: manifest.Saved, Left: manifest.Left, number: n}, true
	}
	return Snapshot{}, false
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

// SetAside takes a snapshot that cannot be restored out of the way; the last one of them stays on disk.
func (s *Slot) SetAside(snapshot Snapshot) error {
	broken := filepath.Join(s.dir, brokenName)
	if err := os.RemoveAll(broken); err != nil {
		return err
	}
	return os.Rename(s.numbered(snapshot.number), broken)
}

// Close gives the folder up.
func (s *Slot) Close() {
	_ = s.lock.Close() // what was written is written; the lock ends with the descriptor
}

// clean removes what a host that was killed left unfinished, and marks the use.
func (s *Slot) clean() error {
	now := time.Now()
	err := errors.Join(os.RemoveAll(filepath.Join(s.dir, newName)), os.Chtimes(s.lock.Name(), now, now))
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
