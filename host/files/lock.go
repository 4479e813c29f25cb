package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/serena-go/serena/internal/filelock"
	"github.com/serena-go/serena/sdk"
)

// lockWait bounds the wait for another writer. A write takes milliseconds.
const lockWait = 30 * time.Second

// acquire makes the caller the only writer of the project, among this process's and among other hosts. release must be called.
// Waiting ends with ctx, and after lockWait with a TimeoutError.
func (s *Store) acquire(ctx context.Context) (release func(), err error) {
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	if s.isClosed() {
		return nil, errClosed
	}
	select {
	case s.writing <- struct{}{}:
	case <-s.closed:
		return nil, errClosed
	case <-wait.Done():
		return nil, s.waited(ctx)
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		file, err := s.lockFile()
		if err == nil {
			return func() { file.Close(); <-s.writing }, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
			<-s.writing
			return nil, sdk.Errorf(sdk.AsError(osError("lock", s.lockPath, err)).Kind,
				"the lock %s cannot be taken: %w; the Serena home must be writable", s.lockPath, err)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.closed:
			err = errClosed
		case <-wait.Done():
			err = s.waited(ctx)
		}
		timer.Stop()
		if !errors.Is(err, filelock.ErrHeld) {
			<-s.writing
			return nil, err
		}
	}
}

func (s *Store) waited(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return sdk.Errorf(sdk.KindTimeout, "another writer has held the project %s for %v: nothing was changed; end the other serena process if it hangs, and try again", s.root, lockWait)
}

// tryAcquire is acquire without any wait.
func (s *Store) tryAcquire() (release func(), err error) {
	select {
	case s.writing <- struct{}{}:
	default:
		return nil, filelock.ErrHeld
	}
	file, err := s.lockFile()
	if err != nil {
		<-s.writing
		return nil, err
	}
	return func() { file.Close(); <-s.writing }, nil
}

// lockFile opens the project's lock file and locks it; closing it, which the end of the process does too, unlocks. The file
// itself stays: removing it would let two processes lock two files of one name.
func (s *Store) lockFile() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(s.lockPath), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(s.lockPath, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := filelock.Try(file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
