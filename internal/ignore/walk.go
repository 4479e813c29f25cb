package ignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/contain"
)

// Kind is what an entry is to a walk.
type Kind int

const (
	File    Kind = iota // a regular file, or a link to one inside the root
	Folder              // a directory
	Symlink             // a link to a directory, out of the root, or to nothing: never followed
	Other               // a pipe, socket or device: do not open it
)

// Entry is one thing a walk comes by.
type Entry struct {
	Rel     string // relative to the root, "/"-separated
	Kind    Kind
	Ignored bool        // by ignore files; only in walks that do not skip those
	Dir     fs.DirEntry // as read from the folder; of the link itself for a link
}

// WalkOptions say what a walk shows. The zero value walks the whole root and skips nothing but ".git".
type WalkOptions struct {
	// Start is the directory to walk, relative to the root; "" is the root. It is walked even if it is ignored, and the rules
	// are asked about what lies in it.
	Start string
	// Matcher holds the rules; nil makes a new one for the root. What its configured patterns ignore is never shown.
	Matcher *Matcher
	// SkipIgnored leaves out what ignore files ignore, without entering ignored directories.
	SkipIgnored bool
	// Prune are names that are left out wherever they occur, besides ".git".
	Prune []string
	// Problem, if not nil, is told of directories and links that could not be read; the walk goes on without them.
	Problem func(rel string, err error)
}

// Walk calls visit for all that lies in a directory of root, each directory before what it holds, in the byte order of
// the names, one at a time. visit may return [fs.SkipDir] for a directory, so that it is not entered, or [fs.SkipAll]; any other
// error ends the walk and is returned, as is ctx's. The start itself is not visited; if it cannot be read, that is an error.
func Walk(ctx context.Context, root string, opts WalkOptions, visit func(Entry) error) error {
	w := &walk{ctx: ctx, opts: opts, visit: visit}
	var err error
	if w.root, err = contain.NewRoot(root); err != nil {
		return err
	}
	start, err := w.root.Resolve(opts.Start)
	if err != nil {
		return err
	}
	m := opts.Matcher
	if m == nil {
		if m, err = New(root); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(start.Abs)
	if err != nil && len(entries) == 0 {
		return fmt.Errorf("walk: %w", err)
	}
	if err != nil {
		w.problem(start.Rel, err)
	}
	if err = w.entries(m.Dir(start.Rel), start.Rel, start.Abs, entries); errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

type walk struct {
	ctx   context.Context
	root  *contain.Root
	opts  WalkOptions
	visit func(Entry) error
}

func (w *walk) problem(rel string, err error) {
	if w.opts.Problem != nil {
		w.opts.Problem(rel, err)
	}
}

// entries visits a directory's entries; they are sorted by name.
func (w *walk) entries(dir Dir, rel, abs string, entries []fs.DirEntry) error {
	if _, found := slices.BinarySearchFunc(entries, ".gitignore", func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	}); !found {
		dir.f.noRules()
	}
	for i, e := range entries {
		if i%64 == 0 && w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		name := e.Name()
		if slices.Contains(w.opts.Prune, name) {
			continue
		}
		parts := append(dir.f.path[:len(dir.f.path):len(dir.f.path)], name)
		v := dir.verdict(name, parts, e.IsDir())
		if v == byConfig || v == byFiles && w.opts.SkipIgnored {
			continue
		}
		entry := Entry{Rel: path.Join(rel, name), Ignored: v == byFiles, Dir: e}
		entry.Kind = w.kind(entry)
		err := w.visit(entry)
		if entry.Kind == Folder {
			if errors.Is(err, fs.SkipDir) {
				continue
			}
			if err == nil {
				err = w.enter(Dir{dir.m, &folder{parent: dir.f, path: parts, excluded: v != kept}}, entry.Rel, filepath.Join(abs, name))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) enter(dir Dir, rel, abs string) error {
	entries, err := os.ReadDir(abs)
	if err != nil {
		w.problem(rel, err)
	}
	return w.entries(dir, rel, abs, entries)
}

// kind looks at a link's target, and at nothing else: the directory has told the rest.
func (w *walk) kind(e Entry) Kind {
	switch mode := e.Dir.Type(); {
	case mode.IsRegular():
		return File
	case mode.IsDir():
		return Folder
	case mode&fs.ModeSymlink == 0:
		return Other
	}
	target, err := w.root.Resolve(e.Rel)
	if err != nil {
		var outside *contain.OutsideError
		if !errors.As(err, &outside) {
			w.problem(e.Rel, err)
		}
		return Symlink
	}
	info, err := os.Stat(target.Real)
	switch {
	case err != nil:
		w.problem(e.Rel, err)
		return Symlink
	case info.Mode().IsRegular():
		return File
	case info.IsDir():
		return Symlink
	}
	return Other
}
