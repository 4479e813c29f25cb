package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

// step is one change, checked against the files as they are: what Apply will do to one path.
type step struct {
	record        // what a later process must know to take it back
	shown  string // the path as the caller named it
	rel    string // what the history calls it; "" for what it does not tell
	toRel  string // likewise, for the target of a move

	content []byte // of a write
	seen    stamp  // the state that base was found in; the zero stamp for what was absent
	kept    kept   // what it takes away

	// Of a write that restores something; their zero values mean a file like the one that is replaced.
	link string // it is a link to this
	like stamp  // it has this owner and mode
}

// plan checks every change and returns the steps that have an effect. It reads and changes nothing.
func (s *Store) plan(ctx context.Context, changes []sdk.Change) ([]*step, error) {
	var steps []*step
	taken := map[string]string{} // real path → how it was named
	for i := range changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &changes[i]
		if err := checkShape(c); err != nil {
			return nil, err
		}
		st, err := s.planOne(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, path := range []string{st.Path, st.To} {
			if path == "" {
				continue
			}
			if other, ok := taken[path]; ok {
				return nil, invalid(c.Path, "the changes name this file twice (as %s, too): put its edits into one change", other)
			}
			taken[path] = c.Path
		}
		if st.Kind != kindWrite || st.Base != st.Next {
			steps = append(steps, st)
		}
	}
	if path, dir, nested := nesting(taken); nested {
		return nil, invalid(taken[path], "%s, which is changed too, would have to be its folder: make the changes one after the other", taken[dir])
	}
	return steps, nil
}

// nesting finds two paths of which one would have to be the other's folder.
func nesting[V any](paths map[string]V) (path, dir string, nested bool) {
	for path := range paths {
		for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, ok := paths[dir]; ok {
				return path, dir, true
			}
		}
	}
	return "", "", false
}

// checkShape refuses what no file could make right.
func checkShape(c *sdk.Change) error {
	kinds := 0
	for _, is := range []bool{c.Whole, c.Delete, c.To != "", len(c.Edits) > 0} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds > 1:
		return invalid(c.Path, "the change is of several kinds at once: edit, write, delete or rename, each is a change of its own")
	case c.Base == "":
		return invalid(c.Path, "the change does not say which content it builds on: give the base of the bytes that were read, or absent")
	case c.Base != sdk.Absent && !isHash(string(c.Base)):
		return invalid(c.Path, "the base %q is neither absent nor the hexadecimal SHA-256 of a content", c.Base)
	case c.Base == sdk.Absent && !c.Whole:
		return invalid(c.Path, "a file that is absent can be created only")
	}
	return nil
}

func isHash(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

func (s *Store) planOne(ctx context.Context, c *sdk.Change) (*step, error) {
	st := &step{shown: c.Path, record: record{Kind: kindWrite}}
	place, err := s.changeable(ctx, c.Path)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Delete || c.To != "":
		return st, s.planEntry(ctx, st, c, place)
	default:
		st.Path = place.Real
		st.rel = s.told(place.Real)
		return st, planWrite(st, c)
	}
}

// changeable is place for a change that a caller asks for.
func (s *Store) changeable(ctx context.Context, path string) (contain.Path, error) {
	place, err := s.place(path)
	if err == nil && s.protect != nil {
		err = s.protect(ctx, place.Real)
	}
	return place, err
}

// maxName is how many bytes a name may have on nearly all file systems. Folders for a longer one are not even made.
const maxName = 255

// place checks a path that is to be changed.
func (s *Store) place(path string) (contain.Path, error) {
	place, err := s.bounds.Resolve(path)
	if err != nil {
		err = osError("resolve", path, err)
		if sdk.AsError(err).Kind == kindOS { // a NUL byte, a loop of links
			return place, invalid(path, "%v", err)
		}
		return place, err
	}
	if place.Real == s.root || place.Rel == "." {
		return place, sdk.Errorf(sdk.KindIsADirectory, "%q is the project's root, not a file; nothing was changed", path)
	}
	for _, name := range []string{place.Rel, s.relative(place.Real)} {
		for part := range strings.SplitSeq(name, "/") {
			if len(part) > maxName {
				return place, invalid(path, "%v: a name may have %d bytes", syscall.ENAMETOOLONG, maxName)
			}
			if strings.EqualFold(part, ".git") {
				return place, sdk.Errorf(sdk.KindPermission, "%s belongs to git, which alone may write there: use git commands; nothing was changed", path)
			}
		}
	}
	if staged.Is(filepath.Base(place.Real)) {
		return place, invalid(path, "names of this form are for files that are being written")
	}
	return place, nil
}

// relative is the path from the root, "/"-separated; "" outside.
func (s *Store) relative(real string) string {
	rel, err := filepath.Rel(s.root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// told is the name under which the history tells of a path; "" if it does not: outside the root, in the data folder.
func (s *Store) told(real string) string {
	if s.dataFolder != "" && (real == s.dataFolder || strings.HasPrefix(real, s.dataFolder+string(filepath.Separator))) {
		return ""
	}
	return s.relative(real)
}

func planWrite(st *step, c *sdk.Change) error {
	now, err := readRegular(st.Path, c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Base != sdk.Absent:
		return gone(c.Path)
	case errors.Is(err, fs.ErrNotExist):
		st.Base = sdk.Absent
		st.content = c.Content
		st.Next = sdk.BaseOf(c.Content)
		return nil
	case err != nil:
		return osError("read", c.Path, err)
	case now.base != c.Base:
		return stale(c.Path)
	}
	st.Base, st.seen = now.base, now.stamp
	if st.content = c.Content; !c.Whole {
		if st.content, err = edited(now.content, c); err != nil {
			return err
		}
	}
	if st.Next = sdk.BaseOf(st.content); st.Next == st.Base {
		return nil
	}
	st.kept = keptOf(now.content, st.content)
	if err := checkWritable(st.Path); err != nil {
		return osError("write", c.Path, err)
	}
	return nil
}

// edited applies byte edits; every byte outside them stays.
func edited(old []byte, c *sdk.Change) ([]byte, error) {
	var (
		out bytes.Buffer
		at  int
	)
	for i, e := range c.Edits {
		switch {
		case e.Start < 0 || e.End < e.Start:
			return nil, invalid(c.Path, "edit %d is no range of bytes: [%d, %d)", i, e.Start, e.End)
		case e.End > len(old):
			return nil, invalid(c.Path, "edit %d, [%d, %d), reaches beyond the file's %d bytes", i, e.Start, e.End, len(old))
		case e.Start < at:
			return nil, invalid(c.Path, "edit %d, [%d, %d), begins before the end of the one before it, %d: edits must be ascending and may not overlap", i, e.Start, e.End, at)
		}
		out.Write(old[at:e.Start])
		out.Write(e.Text)
		at = e.End
	}
	out.Write(old[at:])
	return out.Bytes(), nil
}

// planEntry plans a delete or a rename. Both act on the name itself: where it is a link, on the link, as rm and mv do.
func (s *Store) planEntry(ctx context.Context, st *step, c *sdk.Change, place contain.Path) error {
	real, err := s.entry(place)
	if err != nil {
		return osError("resolve", c.Path, err)
	}
	st.Kind, st.Path, st.rel = kindRemove, real, s.told(real)
	if st.seen, err = lstamp(real); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return gone(c.Path)
		}
		return osError("read", c.Path, err)
	}
	content, err := readRegular(place.Real, c.Path) // through the link
	if err != nil {
		return osError("read", c.Path, err)
	}
	if content.base != c.Base {
		return stale(c.Path)
	}
	if st.Base, err = baseAt(real); err != nil {
		return osError("read", c.Path, err)
	}
	if c.To == "" {
		if st.seen.isRegular() {
			st.kept.content = content.content
		}
		return nil
	}
	to, err := s.changeable(ctx, c.To)
	if err != nil {
		return err
	}
	st.Kind, st.To, st.toRel = kindMove, to.Real, s.told(to.Real)
	now, err := os.Lstat(filepath.Join(filepath.Dir(to.Real), filepath.Base(to.Abs)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return osError("rename to", c.To, err)
	case onlyCaseDiffers(real, to.Real) && sameEntry(real, now):
		return nil
	}
	return sdk.Errorf(sdk.KindFileExists, "%s exists already, so %s was not renamed: choose another name, or delete it first", c.To, c.Path)
}

// entry is the real path of a name that may itself be a link.
func (s *Store) entry(place contain.Path) (string, error) {
	dir, err := s.bounds.Resolve(filepath.Dir(place.Abs))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir.Real, filepath.Base(place.Abs)), nil
}

func onlyCaseDiffers(a, b string) bool { return a != b && strings.EqualFold(a, b) }

func sameEntry(path string, info fs.FileInfo) bool {
	own, err := os.Lstat(path)
	return err == nil && os.SameFile(own, info)
}
