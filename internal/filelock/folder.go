package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const lockName = "lock"

// Own makes the calling process the owner of a folder, which is made, for this user alone, if it is missing. Closing the file, or the
// end of the process, gives the folder up. ErrHeld when somebody else owns it. The time of the lock file is that of the last
// owner's beginning.
func Own(dir string) (*os.File, error) {
	for range 3 {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue // the folder expired this moment
		}
		if err != nil {
			return nil, err
		}
		err = Try(lock)
		if err == nil && StillThere(lock) {
			now := time.Now()
			if err = os.Chtimes(lock.Name(), now, now); err == nil {
				return lock, nil
			}
		}
		lock.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil, fmt.Errorf("%s is removed again and again", dir)
}

// StillThere reports whether an open file still has its name: the lock of a folder that was removed is no lock.
func StillThere(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// Expire removes those folders in parent, made by Own, in which nothing is newer than what before says of them, and leaves those that are
// owned.
func Expire(ctx context.Context, parent string, before func(dir string) time.Time) error {
	entries, err := os.ReadDir(parent)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	faults := []error{err}
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		dir := filepath.Join(parent, e.Name())
		if !e.IsDir() || !lastUse(dir).Before(before(dir)) {
			continue
		}
		lock, err := Own(dir)
		if errors.Is(err, ErrHeld) {
			continue
		}
		if err == nil {
			err = os.RemoveAll(dir) // while it is locked: whoever opens it now sees that it is gone
			lock.Close()
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// lastUse is the newest time of what lies in a folder.
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
