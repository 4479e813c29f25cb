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
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return nil, err
	}
	// What lies here is unpickled, which runs code: nobody else may put anything here.
	if err := os.Chmod(s.dir, dirMode); err != nil {
		return nil, err
	}
	lock, err := filelock.Own(dir)
	if errors.Is(err, filelock.ErrHeld) {
		err = fmt.Errorf("%s: %w", dir, ErrHeld)
	}
	if err != nil {
		return nil, err
	}
	slot := &Slot{Key: key, dir: dir, lock: lock, keep: s.keep}
	return slot, slot.clean()
}

// Expire removes the sessions that nobody has used for the store's time, and leaves those that are held.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	return filelock.Expire(ctx, s.dir, func(string) time.Time { return now.Add(-s.keep) })
}
