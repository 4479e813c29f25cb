package ignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	// Enter, if not nil, tells whether a directory is read and what lies in it visited. It has to know without having seen other
	// entries: it is asked from several goroutines, before the directory is visited.
	Enter func(Entry) bool
	// Ahead is the number of directories that are read at the same time, ahead of the visits. With 0 a directory is read when the
	// walk comes to it, after visit was told of it.
	Ahead int
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
	first := &listing{dir: m.Dir(start.Rel), rel: start.Rel, abs: start.Abs}
	w.read(first)
	if first.err != nil && len(first.entries) == 0 {
		return fmt.Errorf("walk: %w", first.err)
	}
	if opts.Ahead > 0 {
		w.ahead = startAhead(w, opts.Ahead)
		defer w.ahead.stop()
		w.ahead.offer(first)
	}
	if err = w.entries(first); errors.Is(err, fs.SkipAll) {
		return nil
	}
	return err
}

type walk struct {
	ctx   context.Context
	root  *contain.Root
	opts  WalkOptions
	visit func(Entry) error
	ahead *ahead // nil if directories are read one by one
}

// listing is a directory with what it holds.
type listing struct {
	dir      Dir
	rel, abs string

	entries []listed
	err     error // of reading it
	ahead   reading
}

// listed is an entry and what is known about it before it is visited.
type listed struct {
	Entry
	problem error    // its link leads nowhere
	below   *listing // nil if it is not entered
}

func (w *walk) problem(rel string, err error) {
	if w.opts.Problem != nil && err != nil {
		w.opts.Problem(rel, err)
	}
}

// entries visits what a listing holds, in the order of the names.
func (w *walk) entries(l *listing) error {
	w.problem(l.rel, l.err)
	for i := range l.entries {
		if i%64 == 0 && w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		e := &l.entries[i]
		w.problem(e.Rel, e.problem)
		err := w.visit(e.Entry)
		below := e.below
		e.below = nil // once visited, it need not stay in memory
		switch {
		case e.Kind == Folder && errors.Is(err, fs.SkipDir):
			if w.ahead != nil && below != nil {
				w.ahead.drop(below)
			}
			continue
		case err == nil && below != nil:
			err = w.enter(below)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) enter(l *listing) error {
	if w.ahead == nil {
		w.read(l)
	} else if err := w.ahead.await(l); err != nil {
		return err
	}
	return w.entries(l)
}

// read fills a listing in. It may run beside the visits and calls none of them.
func (w *walk) read(l *listing) {
	entries, err := os.ReadDir(l.abs)
	l.err = err
	if _, found := slices.BinarySearchFunc(entries, ".gitignore", func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	}); !found {
		l.dir.f.noRules()
	}
	l.entries = make([]listed, 0, len(entries))
	parts := append(slices.Clone(l.dir.f.path), "")
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(w.opts.Prune, name) {
			continue
		}
		parts[len(parts)-1] = name
		v := l.dir.verdict(name, parts, e.IsDir())
		if v == byConfig || v == byFiles && w.opts.SkipIgnored {
			continue
		}
		met := listed{Entry: Entry{Rel: name, Ignored: v == byFiles, Dir: e}}
		if l.rel != "." {
			met.Rel = l.rel + "/" + name
		}
		met.Kind, met.problem = w.kind(met.Entry)
		if met.Kind == Folder && (w.opts.Enter == nil || w.opts.Enter(met.Entry)) {
			state := &folder{parent: l.dir.f, path: slices.Clone(parts), excluded: v != kept}
			met.below = &listing{dir: Dir{l.dir.m, state}, rel: met.Rel, abs: filepath.Join(l.abs, name)}
		}
		l.entries = append(l.entries, met)
	}
}

// kind looks at a link's target, and at nothing else: the directory has told the rest.
func (w *walk) kind(e Entry) (Kind, error) {
	switch mode := e.Dir.Type(); {
	case mode.IsRegular():
		return File, nil
	case mode.IsDir():
		return Folder, nil
	case mode&fs.ModeSymlink == 0:
		return Other, nil
	}
	target, err := w.root.Resolve(e.Rel)
	if err != nil {
		var outside *contain.OutsideError
		if errors.As(err, &outside) {
			err = nil
		}
		return Symlink, err
	}
	info, err := os.Stat(target.Real)
	switch {
	case err != nil:
		return Symlink, err
	case info.Mode().IsRegular():
		return File, nil
	case info.IsDir():
		return Symlink, nil
	}
	return Other, nil
}
