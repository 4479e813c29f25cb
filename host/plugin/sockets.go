package plugin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// socketPrefix begins the name of the folder that holds one Manager's sockets; lockName is the file in it that its owner locks.
const (
	socketPrefix = "serena-plugins-"
	lockName     = "lock"
	// longestBase bounds the folder's parent: a socket's whole path has to fit into about a hundred bytes.
	longestBase = 40
	// settleTime is how old a folder must be before it can be taken for abandoned: its owner needs a moment to lock it.
	settleTime = time.Minute
)

// socketFolder is a private folder for sockets. Its owner holds a lock in it, so that the next Manager can tell and remove
// the folders that killed hosts left behind.
type socketFolder struct {
	path string
	lock *os.File
}

func newSocketFolder() (*socketFolder, error) {
	base := os.TempDir()
	if len(base) > longestBase && shortBase != "" {
		base = shortBase
	}
	removeAbandoned(base, time.Now())
	path, err := os.MkdirTemp(base, socketPrefix) // mode 0700
	if err != nil {
		return nil, fmt.Errorf("a folder for the plugins' sockets: %w; make %s writable or set TMPDIR", err, base)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil && !tryLock(lock) {
		err = fmt.Errorf("its lock is held by somebody else")
		lock.Close()
	}
	if err != nil {
		os.RemoveAll(path)
		return nil, fmt.Errorf("the folder for the plugins' sockets %s: %w", path, err)
	}
	return &socketFolder{path: path, lock: lock}, nil
}

func (f *socketFolder) remove() error {
	err := os.RemoveAll(f.path)
	f.lock.Close()
	return err
}

// removeAbandoned removes the socket folders in base whose owners are gone. Others' folders cannot be opened and stay.
func removeAbandoned(base string, now time.Time) {
	names, _ := fs.Glob(os.DirFS(base), socketPrefix+"*") // the pattern is valid
	for _, name := range names {
		folder := filepath.Join(base, name)
		info, err := os.Stat(filepath.Join(folder, lockName))
		if err != nil || now.Sub(info.ModTime()) < settleTime {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if tryLock(lock) {
			os.RemoveAll(folder)
		}
		lock.Close()
	}
}
