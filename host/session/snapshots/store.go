package snapshots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/filelock"
)

// ErrHeld reports that a session's folder belongs to another host, or to an earlier session of this one that has not ended yet.
var ErrHeld = errors.New("another serena process holds what was kept of the session")

const (
	lockName    = "lock"
	newName     = ".new"   // a snapshot that is being written
	notesName   = "notes"  // what the session's next answer shall tell
	asidePrefix = "aside-" // snapshots that could not be restored, or that another session of the id had taken
	keptAside   = 5
	dirMode     = 0o700
)

// Store is the folder of all sessions.
type Store struct {
	dir  string
	keep time.Duration
}

// New returns the store below a Serena home. A session that nobody has used for keep is removed by Expire. Nothing is made on disk yet.
func New(home string, keep time.Duration) *Store {
	return &Store{dir: filepath.Join(home, "sessions"), keep: keep}
}

// Key names a session: ids are the model's choice and may repeat, so that who uses it and the project's root belong to it.
func Key(principal, root, id string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{principal, root, id}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Has reports whether there is something of that session.
func (s *Store) Has(key string) bool {
	_, err := os.Stat(filepath.Join(s.dir, key))
	return err == nil
}

// Open makes the caller the owner of a session's folder, until Close. ErrHeld when somebody else is.
func (s *Store) Open(key string) (*Slot, error) {
	dir := filepath.Join(s.dir, key)
	for range 3 {
		if err := os.MkdirAll(dir, dirMode); err != nil {
			return nil, err
		}
		// What lies here is unpickled, which runs code: nobody else may put anything here.
		if err := os.Chmod(s.dir, dirMode); err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue // the folder expired this moment
		}
		if err != nil {
			return nil, err
		}
		if err := filelock.Try(lock); err != nil {
			lock.Close()
			if errors.Is(err, filelock.ErrHeld) {
				err = ErrHeld
			}
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if isThere(lock) {
			slot := &Slot{Key: key, dir: dir, lock: lock, keep: s.keep}
			return slot, slot.clean()
		}
		lock.Close() // the lock of a folder that was removed is no lock
	}
	return nil, fmt.Errorf("%s is removed again and again", dir)
}

// isThere reports whether an open file still has its name.
func isThere(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// Expire removes the sessions that nobody has used for the store's time, and leaves those that are held.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	faults := []error{err}
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dir := filepath.Join(s.dir, e.Name())
		if !e.IsDir() || now.Sub(lastUse(dir)) <= s.keep {
			continue
		}
		slot, err := s.Open(e.Name())
		if errors.Is(err, ErrHeld) {
			continue
		}
		if err == nil {
			err = os.RemoveAll(dir) // while it is locked: whoever opens it now sees that it is gone
			slot.Close()
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// lastUse is the newest time of what lies in a session's folder; the lock's is that of its last owner's beginning.
func lastUse(dir string) time.Time {
	var last time.Time
	entries, _ := os.ReadDir(dir) // one that cannot be read is old, and cannot be removed either
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
