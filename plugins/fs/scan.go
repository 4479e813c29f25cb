package fs

import (
	"context"
	"io"
	"os"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/internal/textenc"
)

// maxSearchedBytes is the largest file that is searched.
const maxSearchedBytes = 32 << 20

// scanner looks for a pattern in one file after the other. It is safe for concurrent use.
type scanner struct {
	pattern       *pyregex.Regexp
	encoding      textenc.Encoding
	byLine        bool // each line is searched by itself
	before, after int  // lines of context
}

// skip says why a file was not searched, or not as text.
type skip int

const (
	notSkipped  skip = iota
	binary           // holds NUL bytes
	special          // a pipe, socket or device
	tooLarge         // more than maxSearchedBytes
	unreadable       // the system says no
	undecoded        // not of its encoding
	partlyShown      // was searched, but matched lines hold bytes that are no UTF-8
)

// scan finds the matches in one file. Only a search that had to be stopped is an error.
func (s *scanner) scan(ctx context.Context, rel, real string) ([]MatchedConsecutiveLines, skip, error) {
	data, why := readSearched(real, s.encoding)
	if why != notSkipped {
		return nil, why, nil
	}
	text, err := textenc.Decode(s.encoding, data)
	if err != nil {
		return nil, undecoded, nil
	}
	norm := lines.Normalize(text.Text).Text
	spans, index, err := s.find(ctx, norm)
	if err != nil || len(spans) == 0 {
		return nil, notSkipped, err
	}
	matches := make([]MatchedConsecutiveLines, len(spans))
	for i, span := range spans {
		matches[i] = MatchedConsecutiveLines{
			SourceFilePath: rel,
			MatchedLines:   textLines(index, span.first, span.last+1),
			Before:         textLines(index, max(0, span.first-s.before), span.first),
			After:          textLines(index, span.last+1, min(index.Count(), span.last+1+s.after)),
		}
	}
	if replaceForeign(matches) {
		why = partlyShown
	}
	return matches, why, nil
}

// replaceForeign makes the lines of matches valid UTF-8, as their JSON is, and tells whether it had to.
func replaceForeign(matches []MatchedConsecutiveLines) bool {
	foreign := false
	for _, m := range matches {
		for _, part := range [][]TextLine{m.Before, m.MatchedLines, m.After} {
			for i, l := range part {
				if !utf8.ValidString(l.LineContent) {
					part[i].LineContent = string([]rune(l.LineContent)) // one replacement character a byte
					foreign = true
				}
			}
		}
	}
	return foreign
}

// readSearched reads a file unless it is none that a search looks into; of a binary one only the start.
func readSearched(path string, enc textenc.Encoding) ([]byte, skip) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, unreadable
	case !info.Mode().IsRegular(): // opening a pipe or a device could wait for ever
		return nil, special
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unreadable
	}
	defer f.Close()
	head := make([]byte, min(info.Size(), sniffedBytes))
	n, _ := io.ReadFull(f, head) // an error is met again below
	if head = head[:n]; !textenc.IsWide(enc, head) && looksBinary(head) {
		return nil, binary
	}
	if info.Size() > maxSearchedBytes {
		return nil, tooLarge
	}
	data, err := readRest(f, append(make([]byte, 0, info.Size()+512), head...))
	if err != nil {
		return nil, unreadable
	}
	return data, notSkipped
}

// lineSpan is the lines of one match, both inclusive.
type lineSpan struct{ first, last int }

// find returns the matched lines in ascending order; matches that share a line are one.
func (s *scanner) find(ctx context.Context, text string) ([]lineSpan, *lines.Index, error) {
	if s.byLine {
		return s.findByLine(ctx, text)
	}
	matches, err := s.pattern.FindAll(ctx, text)
	if err != nil || len(matches) == 0 {
		return nil, nil, err
	}
	index := lines.New(text)
	var spans []lineSpan
	for _, m := range matches {
		span := lineSpan{first: index.LineAt(m.Start), last: index.LineAt(max(m.Start, m.End-1))}
		if span.first == index.Count() {
			continue // an empty match behind the last line break
		}
		if n := len(spans); n > 0 && span.first <= spans[n-1].last {
			spans[n-1].last = max(spans[n-1].last, span.last)
			continue
		}
		spans = append(spans, span)
	}
	return spans, index, nil
}

func (s *scanner) findByLine(ctx context.Context, text string) ([]lineSpan, *lines.Index, error) {
	ctx, cancel := context.WithTimeout(ctx, pyregex.DefaultTimeout) // for the file, as for a search over all of it
	defer cancel()
	index := lines.New(text)
	var spans []lineSpan
	for line := range index.Count() {
		_, found, err := s.pattern.Find(ctx, index.Line(line))
		if err != nil {
			return nil, nil, err
		}
		if found {
			spans = append(spans, lineSpan{line, line})
		}
	}
	return spans, index, nil
}

func textLines(index *lines.Index, from, to int) []TextLine {
	all := make([]TextLine, 0, to-from)
	for line := from; line < to; line++ {
		all = append(all, TextLine{LineNumber: line, LineContent: index.Line(line)})
	}
	return all
}
