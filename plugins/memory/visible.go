package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	mostEntries = 20_000 // files and folders that a listing looks at: a link may lead to any folder
	mostDepth   = 32     // folders inside each other
	mostNamed   = 5      // in a note
)

// found is the memories that are not ignored.
type found struct {
	names    []string // sorted
	complete bool
	notes    []string
}

// visible lists all memories that are not ignored, the global ones included. It makes no folder.
func (s *store) visible(ctx context.Context) (found, error) {
	own, global := s.folders()
	w := &lister{store: s, entered: map[string]bool{}}
	for _, place := range []struct{ dir, prefix string }{{own, ""}, {global, globalPrefix}} {
		if err := w.folder(ctx, place.dir, place.prefix, 0); err != nil {
			return found{}, err
		}
	}
	slices.Sort(w.names)
	f := found{names: w.names, complete: w.entries <= mostEntries}
	if !f.complete {
		f.notes = append(f.notes, fmt.Sprintf("there are more than %d files and folders, of which not all were looked at: look for a link that leads to a large folder", mostEntries))
	}
	if len(w.odd) > 0 {
		f.notes = append(f.notes, "files whose names cannot be those of memories, left out: "+named(w.odd))
	}
	if len(w.unreadable) > 0 {
		f.notes = append(f.notes, "folders that cannot be read: "+named(w.unreadable))
	}
	return f, nil
}

// lister walks the folders of memories, through links, each folder once.
type lister struct {
	store   *store
	entered map[string]bool
	entries int

	names           []string
	odd, unreadable []string
}

func (w *lister) folder(ctx context.Context, dir, prefix string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(dir)
	if w.entered[real] || depth > mostDepth {
		return nil
	}
	var entries []os.DirEntry
	if err == nil {
		w.entered[real] = true
		entries, err = os.ReadDir(real)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.unreadable = append(w.unreadable, dir)
	}
	for _, e := range entries {
		if w.entries++; w.entries > mostEntries {
			return nil
		}
		if err := w.entry(ctx, filepath.Join(real, e.Name()), prefix+e.Name(), depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *lister) entry(ctx context.Context, path, rel string, depth int) error {
	info, err := os.Stat(path)
	switch {
	case err != nil: // a link to nothing
		return nil
	case info.IsDir() && rel == globalTopic: // its names would be those of the home's
		w.odd = append(w.odd, rel)
		return nil
	case info.IsDir() && strings.EqualFold(info.Name(), ".git"):
		return nil
	case info.IsDir():
		return w.folder(ctx, path, rel+"/", depth+1)
	}
	name, is := strings.CutSuffix(rel, suffix)
	if !is || !info.Mode().IsRegular() {
		return nil
	}
	if checked, err := parseName(name); err != nil || checked != name {
		w.odd = append(w.odd, rel)
		return nil
	}
	_, ignored, err := w.store.ignored.match(ctx, name)
	if err == nil && !ignored {
		w.names = append(w.names, name)
	}
	return err
}

// named lists names for a note.
func named(names []string) string {
	shown := make([]string, 0, mostNamed)
	for _, n := range names[:min(len(names), mostNamed)] {
		shown = append(shown, fmt.Sprintf("%q", n))
	}
	text := strings.Join(shown, ", ")
	if len(names) > mostNamed {
		text += fmt.Sprintf(" and %d more", len(names)-mostNamed)
	}
	return text
}
