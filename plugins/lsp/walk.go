package lsp

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/serena-go/serena/internal/ignore"
	"github.com/serena-go/serena/plugins/lsp/servers"
)

// matcher knows the project's ignore rules as they are now.
func (w *workspace) matcher() (*ignore.Matcher, error) {
	return ignore.New(w.project.Root, w.settings.IgnoredPaths...)
}

// walk calls fn for every file below a folder that is not ignored, in the order of their paths. notes tell what could not be read.
func (w *workspace) walk(ctx context.Context, rel string, fn func(file string)) (notes []string, err error) {
	m, err := w.matcher()
	if err != nil {
		return nil, err
	}
	data, err := filepath.Rel(w.project.Root, w.project.DataFolder)
	if err != nil {
		data = ""
	}
	data = filepath.ToSlash(data)
	problem := func(rel string, err error) {
		// A link is never followed to a folder: nothing is missed but a file of that name.
		if info, lstatErr := os.Lstat(w.abs(rel)); lstatErr == nil && !info.IsDir() && w.slotFor(rel) == nil {
			return
		}
		notes = append(notes, fmt.Sprintf("not searched: %s: %v", rel, err))
	}
	err = ignore.Walk(ctx, w.project.Root, ignore.WalkOptions{Start: rel, Matcher: m, SkipIgnored: true, Problem: problem}, func(e ignore.Entry) error {
		switch {
		case e.Kind == ignore.Folder && e.Rel == data:
			return fs.SkipDir
		case e.Kind == ignore.File:
			fn(e.Rel)
		}
		return nil
	})
	return first(notes, "not searched: %d more folders and links that cannot be read"), err
}

// survey is what one walk over the project tells of a server's files.
type survey struct {
	files []string // in the order of their paths
	notes []string // what could not be looked at

	// The folders of the modules that the project is divided into, in the order of their paths; nil when nothing divides it or something joins
	// them.
	modules []string
}

func (w *workspace) survey(ctx context.Context, d servers.Description) (survey, error) {
	var v survey
	var err error
	joined := false
	v.notes, err = w.walk(ctx, ".", func(file string) {
		if s := w.slotFor(file); s != nil && s.desc.Key == d.Key {
			v.files = append(v.files, file)
		}
		if d.Modules.Marker == "" {
			return
		}
		joined = joined || file == d.Modules.Umbrella
		if dir := path.Dir(file); path.Base(file) == d.Modules.Marker && !d.Modules.Skips(dir) {
			v.modules = append(v.modules, dir)
		}
	})
	if joined || len(v.modules) < 2 {
		v.modules = nil
	}
	return v, err
}

// moduleOf returns the innermost of the folders that holds a file; "" when none does.
func moduleOf(dirs []string, file string) string {
	best := ""
	for _, dir := range dirs {
		if (dir == "." || strings.HasPrefix(file, dir+"/")) && len(dir) > len(best) {
			best = dir
		}
	}
	return best
}
