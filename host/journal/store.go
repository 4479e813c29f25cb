package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/filelock"
)

// Store is the journals of one project.
type Store struct {
	parent string // of all projects
	dir    string
	keep   time.Duration
}

// New returns the journals of a project, named by a word that is its own, below a Serena home. What nobody has used for keep is removed by
// Expire. Nothing is made on disk yet.
func New(home, project string, keep time.Duration) *Store {
	parent := filepath.Join(home, "undo")
	return &Store{parent: parent, dir: filepath.Join(parent, project), keep: keep}
}

// key names a session's folder: ids are the model's choice and may be anything.
func key(session string) string {
	sum := sha256.Sum256([]byte(session))
	return hex.EncodeToString(sum[:16])
}

// maxHosts bounds how many hosts can have a session of one id in a project.
const maxHosts = 100

// Has reports whether something may be kept of that session.
func (s *Store) Has(session string) bool {
	_, err := os.Stat(filepath.Join(s.dir, key(session)))
	return err == nil
}

// Open takes a session's journal over, or begins it. Where another host has a session of that id, this one has its own.
func (s *Store) Open(session string) (*Log, error) {
	name := key(session)
	for n := range maxHosts {
		dir := filepath.Join(s.dir, name)
		if n > 0 {
			dir += "-" + strconv.Itoa(n+1)
		}
		l, err := open(dir)
		if errors.Is(err, filelock.ErrHeld) {
			continue
		}
		if err == nil {
			l.session = session
		}
		return l, err
	}
	return nil, fmt.Errorf("%d serena processes have a session %q of this project open: use another id", maxHosts, session)
}

func open(dir string) (*Log, error) {
	// Here is the text of files: nobody else may read it.
	if err := os.MkdirAll(filepath.Dir(filepath.Dir(dir)), 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(filepath.Dir(filepath.Dir(dir)), 0o700); err != nil {
		return nil, err
	}
	lock, err := filelock.Own(dir)
	if err != nil {
		return nil, err
	}
	l, err := load(dir, lock)
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("read the journal in %s: %w", dir, err)
	}
	return l, nil
}

// Orphans takes over the journals in which a group is open and that nobody owns. Each must be closed. What cannot be taken over is
// part of the error and hides none of the others.
func (s *Store) Orphans() ([]*Log, error) {
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var orphans []*Log
	faults := []error{err}
	for _, e := range entries {
		dir := filepath.Join(s.dir, e.Name())
		if _, err := os.Stat(filepath.Join(dir, openName)); err != nil {
			continue
		}
		l, err := open(dir)
		switch {
		case errors.Is(err, filelock.ErrHeld): // its owner lives
		case err != nil:
			faults = append(faults, err)
		default:
			orphans = append(orphans, l)
		}
	}
	return orphans, errors.Join(faults...)
}

// HasOpen reports whether a group is open in the project, whoever owns it.
func (s *Store) HasOpen() bool {
	entries, _ := os.ReadDir(s.dir) // what cannot be listed cannot be taken over either, see Orphans
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		_, err := os.Lstat(filepath.Join(s.dir, e.Name(), openName))
		return err == nil
	})
}

// Dir is where the sessions' folders are.
func (s *Store) Dir() string { return s.dir }

// Holds reports whether a path is that of an entry in one of the project's journals.
func (s *Store) Holds(path string) bool {
	return filepath.Dir(filepath.Dir(path)) == s.dir && strings.HasSuffix(path, entrySuffix)
}

// Remove gives a journal up and removes it.
func (s *Store) Remove(l *Log) error {
	err := os.RemoveAll(l.dir) // while it is locked: whoever opens it now sees that it is gone
	l.Close()
	_ = os.Remove(s.dir) // fails while there are other sessions
	return err
}

// keepOpen is how many times longer than others a journal stays in which a group is open: its project has not been opened since its host was
// killed, and holds half of what was to be done.
const keepOpen = 20

// Expire removes the journals of all projects that nobody has used for the store's time, and leaves those that are owned.
func (s *Store) Expire(ctx context.Context, now time.Time) error {
	projects, err := os.ReadDir(s.parent)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	faults := []error{err}
	for _, p := range projects {
		dir := filepath.Join(s.parent, p.Name())
		faults = append(faults, filelock.Expire(ctx, dir, func(session string) time.Time {
			if _, err := os.Stat(filepath.Join(session, openName)); err == nil {
				return now.Add(-keepOpen * s.keep)
			}
			return now.Add(-s.keep)
		}))
		_ = os.Remove(dir) // fails while there are sessions
	}
	return errors.Join(faults...)
}
