package replace

import (
	"context"
	"fmt"
	"strings"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/pyregex"
)

// Needle is a request whose needle and replacement were checked once, for use on many texts. It is safe for concurrent use.
type Needle struct {
	request Request
	literal string          // with "\n" for every line break; unused if re is not nil
	re      *pyregex.Regexp // of a regular expression
	finder  *pyregex.Finder // of re
	parts   []part          // of the replacement
}

// match is a place in the normalised text.
type match struct {
	start, end int
	groups     [][2]int // by number, 0 the whole match; -1 where a group took no part; none for a literal
	ambiguous  bool     // spans lines and holds a further match that begins later
}

// Compile checks a request. The error wraps ErrNeedle or ErrGroup.
func Compile(r Request) (*Needle, error) {
	if r.Needle == "" {
		return nil, fmt.Errorf("%w: it is empty, and would match everywhere; give the text to replace", ErrNeedle)
	}
	if !r.Regex {
		return &Needle{request: r, literal: lines.Normalize(r.Needle).Text, parts: []part{{text: r.Repl, group: noGroup}}}, nil
	}
	re, err := pyregex.Compile(r.Needle, pyregex.DotAll|pyregex.Multiline)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNeedle, err)
	}
	parts, err := parseTemplate(r.Repl, re.NumGroups())
	if err != nil {
		return nil, err
	}
	return &Needle{request: r, re: re, finder: re.Finder(false), parts: parts}, nil
}

// In tells whether a text, in which every line ends in "\n", holds a match. It is much faster than Find where there is none. The error
// is ctx's or one of pyregex's.
func (n *Needle) In(ctx context.Context, text string) (bool, error) {
	if n.re == nil {
		return strings.Contains(text, n.literal), nil
	}
	found := false
	err := n.finder.Each(ctx, text, func(int, int) bool {
		found = true
		return false
	})
	return found, err
}

// NotFound returns an error that wraps ErrNotFound and says what a text without a match has instead.
func (n *Needle) NotFound(ctx context.Context, text string) error {
	return notFound(ctx, newSource(text), n.request)
}

// find returns the first most matches in the order of the text. Strictly, an ambiguous one is an error.
func (n *Needle) find(ctx context.Context, src *source, most int, strict bool) ([]match, error) {
	if n.re != nil {
		return n.findRegex(ctx, src, most, strict)
	}
	var found []match
	for at := 0; ; {
		i := strings.Index(src.norm.Text[at:], n.literal)
		if i < 0 || len(found) == most {
			return found, ctx.Err()
		}
		found = append(found, match{start: at + i, end: at + i + len(n.literal)})
		at += i + len(n.literal)
	}
}

// findRegex looks inside each match that spans lines for a further one: its start may be one too early. The time limit is
// one for all of it.
func (n *Needle) findRegex(ctx context.Context, src *source, most int, strict bool) ([]match, error) {
	ctx, cancel := context.WithTimeout(ctx, pyregex.DefaultTimeout)
	defer cancel()
	text := src.norm.Text
	matches, err := n.re.FindN(ctx, text, most)
	if err != nil {
		return nil, err
	}
	inside := newInsideFinder(n.re)
	var found []match
	for _, m := range matches {
		ambiguous := false
		if strings.Contains(text[m.Start:m.End], "\n") {
			if ambiguous, err = inside.matches(ctx, text, m.Start, m.End); err != nil {
				return nil, err
			}
		}
		if ambiguous && strict {
			first, last := src.linesOf(m.Start, m.End)
			return nil, fmt.Errorf("%w: what matches on lines %d to %d holds a further match that begins later, so that either could be meant; "+
				"let the needle begin with text that occurs once up to its end", ErrAmbiguous, first, last)
		}
		found = append(found, match{start: m.Start, end: m.End, groups: m.Groups, ambiguous: ambiguous})
	}
	return found, nil
}
