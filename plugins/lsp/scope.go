package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

// maxNamed is how many files a note names before it only counts.
const maxNamed = 5

// scope is the files that a search looks at.
type scope struct {
	files map[*slot][]string // by the server that handles them, in the walk's order
	where string             // for a message
	notes []string           // folders that could not be read
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
	sc := scope{files: map[*slot][]string{}, where: "the whole project, " + w.servers()}
	if rel != "." {
		sc.where = rel + "/, " + w.servers()
	}
	sc.notes, err = w.walk(ctx, rel, func(file string) {
		if s := w.slotFor(file); s != nil {
			sc.files[s] = append(sc.files[s], file)
		}
	})
	return sc, err
}

// candidates reads the files and returns those that may declare a matching symbol: its name must stand there literally.
func (w *workspace) candidates(ctx context.Context, files []string, p symbols.Pattern, substring bool) ([]*source, []string, error) {
	words := wanted(p, substring)
	read := make([]*source, len(files))
	failed := make([]error, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelFiles)
	for i, rel := range files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			src, err := w.read(rel)
			if err != nil {
				failed[i] = err
			} else if words.in(src.text) {
				read[i] = src
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
	more := 0
	for _, err := range failed {
		switch {
		case err == nil:
		case len(notes) < maxNamed:
			notes = append(notes, fmt.Sprintf("not searched: %v", err))
		default:
			more++
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("not searched: %d more files that cannot be read", more))
	}
	return notes
}

// word is a text that must stand in a file, as a whole identifier or anywhere.
type word struct {
	text  string
	whole bool
}

type wordList []word

// wanted returns what the file of a matching symbol must contain: of each part of the pattern the longest run of identifier characters.
func wanted(p symbols.Pattern, substring bool) wordList {
	names := p.Names()
	var list wordList
	for i, name := range names {
		longest := ""
		for _, run := range strings.FieldsFunc(name, notIdent) {
			if len(run) > len(longest) {
				longest = run
			}
		}
		list = append(list, word{text: longest, whole: !(substring && i == len(names)-1)})
	}
	return list
}

func (l wordList) in(text string) bool {
	for _, w := range l {
		if !w.in(text) {
			return false
		}
	}
	return true
}

func (w word) in(text string) bool {
	if !w.whole || w.text == "" {
		return strings.Contains(text, w.text)
	}
	for from := 0; ; {
		i := strings.Index(text[from:], w.text)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(w.text)
		if (start == 0 || notIdent(rune(text[start-1]))) && (end == len(text) || notIdent(rune(text[end]))) {
			return true
		}
		from = start + 1
	}
}

// isRefusal reports a failure that concerns one file and neither the server nor the call.
func isRefusal(err error) bool {
	var refused *client.ResponseError
	return errors.As(err, &refused) || sdk.IsKind(err, sdk.KindRuntime)
}
