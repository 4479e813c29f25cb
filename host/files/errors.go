package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/sdk"
)

// kindOS is Python's name for failures of the system that have no name of their own, such as a full disk.
const kindOS = "OSError"

var errClosed = sdk.Errorf(sdk.KindRuntime, "the project is closed: activate it again")

// osError gives a failure of the file system its kind and says what it means for the caller. An error that has a kind keeps it.
func osError(doing, path string, err error) error {
	var known *sdk.Error
	if errors.As(err, &known) {
		return err
	}
	kind, advice := kindOS, "nothing was changed"
	var (
		outside *contain.OutsideError
		owner   *ownerError
	)
	switch {
	case errors.As(err, &owner):
		advice := "write it as its owner"
		if owner.uid == uint32(os.Geteuid()) {
			advice = "you are its owner, but not in its group: give it one of your groups first (chgrp)"
		}
		return sdk.Errorf(sdk.KindPermission, "%s %s: %w; nothing was changed; %s", doing, path, owner, advice)
	case errors.As(err, &outside):
		return sdk.Errorf(sdk.KindPermission, "%w", err)
	case errors.Is(err, fs.ErrNotExist):
		kind = sdk.KindFileNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		kind, advice = sdk.KindPermission, "nothing was changed; the file and its folder must be writable"
	case errors.Is(err, fs.ErrExist):
		kind = sdk.KindFileExists
	case errors.Is(err, syscall.ENOTDIR):
		kind, advice = sdk.KindNotADirectory, "nothing was changed; a part of the path is a file"
	case errors.Is(err, syscall.EISDIR):
		kind = sdk.KindIsADirectory
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ELOOP):
		kind = sdk.KindValue
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		advice = "nothing was changed; free some space first"
	}
	return sdk.Errorf(kind, "%s %s: %w; %s", doing, path, cause(err), advice)
}

// ownerError reports that a new file cannot be given the owner of the one that it is to replace.
type ownerError struct {
	uid, gid uint32
	err      error
}

func (e *ownerError) Error() string {
	return fmt.Sprintf("its owner (user %d, group %d) could not be kept: %v", e.uid, e.gid, e.err)
}

func (e *ownerError) Unwrap() error { return e.err }

// cause strips the names of staged files, which mean nothing to a caller.
func cause(err error) error {
	var (
		path *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

func stale(path string) error {
	return sdk.Errorf(sdk.KindStale, "%s changed since it was read, so nothing was changed: read it again and repeat the edit on what it holds now", path)
}

func gone(path string) error {
	return sdk.Errorf(sdk.KindFileNotFound, "%s is not there: nothing was changed; look at its folder for the right name", path)
}

func invalid(path, format string, args ...any) error {
	return sdk.Errorf(sdk.KindValue, "%s: %s; nothing was changed", path, fmt.Sprintf(format, args...))
}
