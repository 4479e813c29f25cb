package lsp

import (
	"context"
	"fmt"
	"path"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/servers"
)

// oversight is why a file that mentions a symbol may hold references that the server does not know.
type oversight struct {
	unread error  // it cannot be read, or not by the server
	reason string // the server leaves it out
	broken string // a part of it cannot be understood
}

// missed tells which files of the project may hold further references to a symbol: they mention its name, and the server did not
// look at them, or not at all of them.
func (s *session) missed(ctx context.Context, t target, known survey, listed []ReferenceInLanguageServerSymbol) ([]string, error) {
	notes := known.notes
	leftOut, err := s.leftOut(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		notes = append(notes, fmt.Sprintf("which files %s leaves out of its build is not known: %v", s.desc.Server, err))
	}
	answered := map[string]bool{t.src.rel: true}
	for _, r := range listed {
		answered[r.RelativePath] = true
	}
	module := moduleOf(known.modules, t.src.rel)
	found := make([]oversight, len(known.files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelFiles)
	for i, rel := range known.files {
		if moduleOf(known.modules, rel) != module {
			continue // is said of the whole module
		}
		if s.desc.Modules.Skips(path.Dir(rel)) {
			continue
		}
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			found[i] = s.oversee(t, rel, answered[rel], leftOut)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var failed []error
	var out, broken []string
	for i, o := range found {
		failed = append(failed, o.unread)
		if o.reason != "" {
			out = append(out, fmt.Sprintf("%s (%s)", known.files[i], o.reason))
		}
		if o.broken != "" {
			broken = append(broken, o.broken)
		}
	}
	notes = slices.Concat(notes, unread(failed), first(broken, "%d more files have a syntax error: references may be missing"))
	if len(out) > 0 {
		notes = append(notes, fmt.Sprintf("not searched, though %s is mentioned there, for they are not in the build that %s looks at: %s", t.node.Name, s.desc.Server, named(out)))
	}
	return notes, nil
}

// oversee looks at one file. answered: the server has found references there, or was asked about it.
func (s *session) oversee(t target, rel string, answered bool, leftOut servers.LeftOut) (o oversight) {
	src, err := s.workspace.load(rel)
	if err != nil {
		return oversight{unread: err}
	}
	if !(wordList{wordOf(t.node.Name, true)}).mayBeIn(src.text) {
		return o
	}
	if err := src.check(); err != nil {
		return oversight{unread: err}
	}
	if leftOut != nil && !answered {
		if o.reason = leftOut(t.node.Name, servers.File{Path: t.src.rel, Text: t.src.text}, servers.File{Path: rel, Text: src.text}); o.reason != "" {
			return o
		}
	}
	if at, broken := s.brokenAt(src); broken {
		o.broken = brokenNote(rel, lines.New(src.text), at, "references")
	}
	return o
}

// brokenAt is the place of a file's first syntax error.
func (s *session) brokenAt(src *source) (at int, broken bool) {
	if s.desc.SyntaxError == nil {
		return 0, false
	}
	if tree, _ := s.workspace.trees.get(src.rel, src.base()); tree != nil {
		return tree.BrokenAt, tree.Broken
	}
	return s.desc.SyntaxError(src.text)
}

// leftOut tells which files the server leaves out; nil when it leaves out none, or when that cannot be found out. It is asked for once.
func (s *session) leftOut(ctx context.Context) (servers.LeftOut, error) {
	if s.desc.Build == nil {
		return nil, nil
	}
	s.mu.Lock()
	build := s.build
	s.mu.Unlock()
	if build != nil {
		return build, nil
	}
	w := s.workspace
	build, err := s.desc.Build(ctx, s.installer, w.project.Root, w.serverSettings(s.desc))
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.build = build
	return build, nil
}
