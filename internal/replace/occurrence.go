package replace

import (
	"context"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/lines"
)

// Occurrence is one match of a needle and what would take its place. Lines count from 0, both inclusive, and are those that
// the match touches; every line ending in a text of it is "\n".
type Occurrence struct {
	FirstLine, LastLine int
	Column              lines.RuneCol // of the match's start in FirstLine
	Matched             string
	Replacement         string
	Head, Tail          string // what stands before the match in FirstLine, and behind it in LastLine
	Edit                Edit   // of the text as it is, when Changes
	Changes             bool   // the replacement differs from what it replaces
	Ambiguous           bool   // spans lines and holds a further match that begins later, so that either could be meant
}

// Find lists the first most matches in the order of the text; several and ambiguous ones are no errors here. The error is ctx's,
// one of pyregex's, or wraps ErrNeedle where matches cannot be told apart from further ones inside.
func (n *Needle) Find(ctx context.Context, text string, most int) ([]Occurrence, error) {
	src := newSource(text)
	matches, err := n.find(ctx, src, most, false)
	if err != nil {
		return nil, err
	}
	found := make([]Occurrence, len(matches))
	for i, m := range matches {
		found[i] = src.occurrence(m, n.parts)
		from := src.index.Start(found[i].FirstLine)
		if i > 0 && found[i-1].FirstLine == found[i].FirstLine { // counted on from there: a line may be long and hold many
			from, found[i].Column = matches[i-1].start, found[i-1].Column
		}
		found[i].Column += lines.RuneCol(utf8.RuneCountInString(src.norm.Text[from:m.start]))
	}
	return found, nil
}

func (s *source) occurrence(m match, parts []part) Occurrence {
	repl := s.fill(m, parts)
	o := Occurrence{Matched: s.norm.Text[m.start:m.end], Replacement: repl.text, Ambiguous: m.ambiguous}
	o.FirstLine, o.LastLine = s.linesOf(m.start, m.end)
	o.Head = s.norm.Text[s.index.Start(o.FirstLine):m.start]
	if o.LastLine < s.index.Count() { // else the match is empty and at the end
		if end := s.index.End(o.LastLine); end > m.end { // else its line ending is part of the match
			o.Tail = s.norm.Text[m.end:end]
		}
	}
	o.Edit, o.Changes = s.edit(m, repl)
	return o
}
