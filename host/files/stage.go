package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"
)

// prepare chooses the names that the steps will need and the folders that will be made, for the journal.
func prepare(steps []*step) *intent {
	j := &intent{Version: intentVersion}
	for _, st := range steps {
		target := st.Path
		switch st.Kind {
		case kindWrite:
			st.Temp = stagedName(st.Path)
			if st.seen != (stamp{}) {
				st.Kept = stagedName(st.Path)
			}
		case kindRemove:
			st.Kept = stagedName(st.Path)
		case kindMove:
			target = st.To
		}
		var missing []string
		for dir := filepath.Dir(target); !exists(dir) && !slices.Contains(j.Folders, dir); dir = filepath.Dir(dir) {
			missing = append(missing, dir)
		}
		slices.Reverse(missing)
		j.Folders = append(j.Folders, missing...)
		j.Steps = append(j.Steps, st.record)
	}
	return j
}

// stage makes the folders and writes every new content beside its target.
func (s *Store) stage(j *intent, steps []*step) error {
	for _, dir := range j.Folders {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return osError("make the folder", dir, err)
		}
	}
	group, failed := errgroup.WithContext(context.Background()) // stage ends them all, whatever the caller's context does
	group.SetLimit(stagedAtOnce)
	if s.fault != nil {
		group.SetLimit(1)
	}
	for i, st := range steps {
		if st.Kind != kindWrite {
			continue
		}
		if failed.Err() != nil {
			break
		}
		group.Go(func() error {
			if err := s.at("stage", i); err != nil {
				return err
			}
			if err := stageContent(st); err != nil {
				return osError("write", st.shown, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// stagedAtOnce is how many contents wait for the disk together; one after the other they would take several times as long.
const stagedAtOnce = 16

func stageContent(st *step) error {
	if st.link != "" {
		return os.Symlink(st.link, st.Temp)
	}
	like := st.like
	if like == (stamp{}) {
		like = st.seen
	}
	mode := fs.FileMode(0o666) // less the umask
	if like != (stamp{}) {
		mode = 0o600 // until it has its owner and mode
	}
	fill := func(file *os.File) error {
		_, err := file.Write(st.content)
		return err
	}
	from := ""
	if st.seen != (stamp{}) {
		from = st.Path
	}
	err := writeNew(st.Temp, mode, like, from, fill)
	if owner := (*ownerError)(nil); st.seen == (stamp{}) && errors.As(err, &owner) && os.Remove(st.Temp) == nil {
		return writeNew(st.Temp, mode, like.own(), "", fill) // what was removed comes back as the user's
	}
	return err
}

// writeNew makes a file that survives the machine's end, with the owner and mode of like if that is not the zero stamp, and
// with the attributes of the file from if that is not "".
func writeNew(path string, mode fs.FileMode, like stamp, from string, fill func(*os.File) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	err = fill(file)
	if err == nil && like != (stamp{}) {
		err = like.inherit(file, from)
	}
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// keep makes the old content of a write reachable as Kept: by a second link, which a later rename puts back with all it had; by a
// copy where the file system or its rules have no such links.
func keep(st *step) error {
	err := os.Link(st.Path, st.Kept)
	if err == nil {
		now, err := lstamp(st.Kept)
		if err == nil && (now.sameFile(st.seen) || st.copiedUp(now)) {
			return nil
		}
		return errors.Join(stale(st.shown), err) // another file has come to its place
	}
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return writeNew(st.Kept, 0o600, st.seen, st.Path, func(file *os.File) error {
		old, err := os.Open(st.Path)
		if err != nil {
			return err
		}
		defer old.Close()
		_, err = io.Copy(file, old)
		return err
	})
}

// copiedUp takes note of a file that became another one by being linked: an overlay file system, as containers have, makes a copy of one with
// several names in a lower layer.
func (st *step) copiedUp(kept stamp) bool {
	now, err := lstamp(st.Path)
	if err != nil || !now.sameFile(kept) || now.size != st.seen.size || now.mtime != st.seen.mtime || !sameAttributes(now, st.seen) {
		return false
	}
	if base, err := hashFile(st.Kept); err != nil || base != st.Base {
		return false
	}
	st.seen = now
	return true
}

// placeNew gives a file the name to, at which nothing may be: a rename that replaces nothing. The error is fs.ErrExist where
// something is. A regular file gets its second name first, which the system refuses if it is taken; where that is not to be had, a
// look must do.
func placeNew(from, to string) error {
	st, err := lstamp(from)
	if err != nil {
		return err
	}
	if st.isRegular() {
		if err := os.Link(from, to); err == nil {
			return os.Remove(from)
		}
	}
	if exists(to) && !(onlyCaseDiffers(from, to) && sameFile(from, to)) {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// ledgerAt is at for the points of a write that a journal is kept of.
func (s *Store) ledgerAt(l ledger, point string) error {
	if l.log == nil {
		return nil
	}
	return s.at(point, 0)
}

// at lets a test stop the writer at a named point.
func (s *Store) at(point string, index int) error {
	if s.fault == nil {
		return nil
	}
	if err := s.fault(point, index); err != nil {
		return fmt.Errorf("%s %d: %w", point, index, err)
	}
	return nil
}
