package lsp

import (
	"context"
	"errors"
	"fmt"
	"path"

	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/internal/languages"
	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/sdk"
)

// maxNamed is how many files a note names before it only counts.
const maxNamed = 5

// scope is the files that a search looks at.
type scope struct {
	files map[*slot][]string // by the server that handles them, in the walk's order
	where string             // for a message
	notes []string           // what could not be looked at

	// Of the files that no active server handles:
	types   fileTypes
	foreign []string // program text in other languages
}

// scope returns the source files below a path. A file that no server handles is an error, and so is a folder outside the project.
func (w *workspace) scope(ctx context.Context, relative string) (scope, error) {
	rel, dir, err := w.resolve(relative)
	if err != nil {
		return scope{}, err
	}
	if !dir {
		_, s, err := w.file(relative)
		if err != nil {
			return scope{}, err
		}
		return scope{files: map[*slot][]string{s: {rel}}, where: rel}, nil
	}
	sc := scope{files: map[*slot][]string{}, types: fileTypes{}, where: "the whole project, " + w.servers()}
	if rel != "." {
		sc.where = rel + "/, " + w.servers()
	}
	sc.notes, err = w.walk(ctx, rel, func(file string) {
		if s := w.slotFor(file); s != nil {
			sc.files[s] = append(sc.files[s], file)
			return
		}
		sc.types[path.Ext(file)]++
		if languages.IsCode(file) {
			sc.foreign = append(sc.foreign, file)
		}
	})
	if w.unknown != "" {
		sc.notes = append(sc.notes, w.unknown)
	}
	if len(sc.files) == 0 && len(sc.types) > 0 {
		sc.notes = append(sc.notes, fmt.Sprintf("nothing was searched: no active language server handles the files there: %s; active: %s. Search them as text instead, or add their language to language_servers", sc.types, w.servers()))
		sc.foreign = nil
	}
	return sc, err
}

// foreignNote names the files in other languages that mention what is looked for; "" when none does.
func (w *workspace) foreignNote(ctx context.Context, files []string, words wordList) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	mention := make([]bool, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelFiles)
	for i, rel := range files {
		group.Go(func() error {
			src, err := w.load(rel)
			mention[i] = err == nil && words.mayBeIn(src.text) // what cannot be read is told where it is asked for
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return "", err
	}
	var list []string
	for i, rel := range files {
		if mention[i] {
			list = append(list, rel)
		}
	}
	if len(list) == 0 {
		return "", nil
	}
	return fmt.Sprintf("not searched, though what is looked for is mentioned there, for no active language server handles them: %s", named(list)), nil
}

// candidates reads the files and returns those that may declare a matching symbol: its name must stand there literally.
func (w *workspace) candidates(ctx context.Context, files []string, words wordList) ([]*source, []string, error) {
	read := make([]*source, len(files))
	failed := make([]error, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelFiles)
	for i, rel := range files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			src, err := w.load(rel)
			switch {
			case err != nil:
				failed[i] = err
			case words.mayBeIn(src.text) || len(files) == 1 && src.check() != nil:
				if failed[i] = src.check(); failed[i] == nil {
					read[i] = src
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	if len(files) == 1 && failed[0] != nil {
		return nil, nil, failed[0]
	}
	var out []*source
	for _, src := range read {
		if src != nil {
			out = append(out, src)
		}
	}
	return out, unread(failed), nil
}

// unread tells which files were not searched.
func unread(failed []error) []string {
	var notes []string
	for _, err := range failed {
		if err != nil {
			notes = append(notes, fmt.Sprintf("not searched: %v", err))
		}
	}
	return first(notes, "not searched: %d more files that cannot be read")
}

// first keeps the first notes; more, with %d, stands for the others.
func first(notes []string, more string) []string {
	if len(notes) <= maxNamed {
		return notes
	}
	return append(notes[:maxNamed:maxNamed], fmt.Sprintf(more, len(notes)-maxNamed))
}

// isRefusal reports a failure that concerns one file and neither the server nor the call.
func isRefusal(err error) bool {
	var refused *client.ResponseError
	return errors.As(err, &refused) || sdk.IsKind(err, sdk.KindRuntime)
}
