package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/serena-go/serena/internal/filelock"
	"github.com/serena-go/serena/sdk"
)

// rewriteLimit bounds the wait for another process that changes the file.
const rewriteLimit = 5 * time.Second

// rewrite replaces a file, or makes it, with what edit makes of its content: as a whole or not at all, one process at a time, and not when
// somebody else writes meanwhile. A link is followed, and the file's permissions stay.
func rewrite(path string, edit func(data []byte) ([]byte, error)) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	unlock, err := lockBeside(path)
	if err != nil {
		return err
	}
	defer unlock()
	old, mode, err := readForEdit(path)
	if err != nil {
		return err
	}
	edited, err := edit(old)
	if err != nil || bytes.Equal(edited, old) {
		return err
	}
	temp, err := stage(path, edited, mode)
	if err != nil {
		return err
	}
	defer os.Remove(temp) // once renamed it is not there any more
	if now, _, err := readForEdit(path); err != nil || !bytes.Equal(now, old) {
		return sdk.Errorf(sdk.KindStale, "%s was changed by somebody else at the same time and is left as it is: try again", path)
	}
	return os.Rename(temp, path)
}

// readForEdit reads a file; a missing one is empty.
func readForEdit(path string) ([]byte, fs.FileMode, error) {
	data, err := readBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o600, nil
	}
	if err != nil {
		return nil, 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	return data, info.Mode().Perm(), nil
}

// stage writes the new content beside the file.
func stage(path string, data []byte, mode fs.FileMode) (string, error) {
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		os.Remove(temp.Name())
	}
	return temp.Name(), err
}

// lockBeside takes the lock of a file next to it, which stays: the file itself is replaced.
func lockBeside(path string) (unlock func(), err error) {
	lock, err := os.OpenFile(filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	deadline := time.NewTimer(rewriteLimit)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := filelock.Try(lock)
		if err == nil {
			return func() { lock.Close() }, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
			lock.Close()
			return nil, err
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			lock.Close()
			return nil, sdk.Errorf(sdk.KindTimeout, "%s is being changed by another process for more than %s: try again", path, rewriteLimit)
		}
	}
}
