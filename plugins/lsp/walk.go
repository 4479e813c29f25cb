package lsp

import (
	"context"
	"fmt"
	"io/fs"
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
	unreadable := 0
	problem := func(rel string, err error) {
		if unreadable++; unreadable <= maxNamed {
			notes = append(notes, fmt.Sprintf("not searched: %s: %v", rel, err))
		}
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
	if unreadable > maxNamed {
		notes = append(notes, fmt.Sprintf("not searched: %d more folders and links that cannot be read", unreadable-maxNamed))
	}
	return notes, err
}

// modules returns the folders of the modules that a repository is divided into, in the order of their paths; nil when nothing divides it
// or something joins them.
func (w *workspace) modules(ctx context.Context, m servers.Modules) ([]string, error) {
	if m.Marker == "" {
		return nil, nil
	}
	var dirs []string
	joined := false
	_, err := w.walk(ctx, ".", func(file string) {
		joined = joined || file == m.Umbrella
		if dir := path.Dir(file); path.Base(file) == m.Marker && !m.Skips(dir) {
			dirs = append(dirs, dir)
		}
	})
	if err != nil || joined || len(dirs) < 2 {
		return nil, err
	}
	return dirs, nil
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
