// Package replace plans replacements in one text: it finds what a needle means, refuses what could mean two things, and
// says which bytes change. It reads and writes no files, and knows nothing of encodings.
//
// Needles see every line ending as "\n". A "\n" of the replacement takes the ending used around it; everything else of the
// replacement is verbatim, but for group references in regex mode. What needle and replacement have in common at their
// ends is not part of an edit, so that lines which were only quoted keep their endings.
package replace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/serena-go/serena/internal/lines"
)

// The reasons for which a request is refused. The errors that wrap them say what to do.
var (
	ErrNeedle    = errors.New("the needle cannot be used")
	ErrNotFound  = errors.New("the needle was not found")
	ErrSeveral   = errors.New("the needle matches more than once")
	ErrAmbiguous = errors.New("the match is ambiguous")
	ErrGroup     = errors.New("the replacement names a group that the needle does not have")
)

// Request says what to replace by what.
type Request struct {
	Needle        string
	Repl          string
	Regex         bool // the needle is a regular expression of Python's re with DOTALL and MULTILINE, Repl has $!N references
	AllowMultiple bool // more than one match is not refused
}

// Edit replaces the bytes [Start, End) of the text.
type Edit struct {
	Start, End int
	Text       string
}

// Plan is what a request comes to.
type Plan struct {
	Count int    // matches
	Edits []Edit // ascending; fewer than Count where a replacement equals what it replaces
}

// mostMatches bounds a plan, which takes some hundred bytes of memory a match.
const mostMatches = 1_000_000

// Make plans a request of at most a million matches. The error wraps one of the reasons above, or is ctx's, or one of pyregex's.
func Make(ctx context.Context, text string, r Request) (Plan, error) {
	n, err := Compile(r)
	if err != nil {
		return Plan{}, err
	}
	src := newSource(text)
	matches, err := n.find(ctx, src, mostMatches+1, true)
	switch {
	case err != nil:
		return Plan{}, err
	case len(matches) > mostMatches:
		return Plan{}, fmt.Errorf("%w: more than %d matches; make the needle longer, or use a command for so many", ErrSeveral, mostMatches)
	case len(matches) == 0:
		return Plan{}, notFound(ctx, src, r)
	case len(matches) > 1 && !r.AllowMultiple:
		return Plan{}, several(src, matches)
	}
	plan := Plan{Count: len(matches)}
	for _, m := range matches {
		if e, changed := src.edit(m, src.fill(m, n.parts)); changed {
			plan.Edits = append(plan.Edits, e)
		}
	}
	return plan, nil
}

// source is a text in the forms that the steps need.
type source struct {
	text  string
	norm  lines.Normalized
	index *lines.Index // of norm.Text
	orig  *lines.Index // of text
}

func newSource(text string) *source {
	norm := lines.Normalize(text)
	return &source{text: text, norm: norm, index: lines.New(norm.Text), orig: lines.New(text)}
}

// linesOf returns the lines that a range touches; a range that ends at the start of a line does not touch it.
func (s *source) linesOf(start, end int) (first, last int) {
	first = s.index.LineAt(start)
	return first, max(first, s.index.LineAt(max(start, end-1)))
}

// mostListed bounds the line numbers in a message.
const mostListed = 10

func several(src *source, matches []match) error {
	var at strings.Builder
	for i, m := range matches {
		if i == mostListed {
			at.WriteString(", …")
			break
		}
		if i > 0 {
			at.WriteString(", ")
		}
		fmt.Fprint(&at, src.index.LineAt(m.start))
	}
	return fmt.Errorf("%w: %d matches, on lines %s; make the needle longer until it is unique, or pass allow_multiple_occurrences=True to replace them all",
		ErrSeveral, len(matches), at.String())
}
