package fs

import (
	"context"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/internal/textenc"
)

// maxSearchedBytes is the largest file that is searched.
const maxSearchedBytes = 32 << 20

// scanner looks for a pattern in one file after the other. It is safe for concurrent use.
type scanner struct {
	finder        *pyregex.Finder
	encoding      textenc.Encoding
	before, after int           // lines of context
	heavy         chan struct{} // held while a heavy file is searched, so that there is one in memory
}

// heavyBytes is the size from which on a file is heavy: an engine needs up to eight times as much for it.
const heavyBytes = 4 << 20

// skip says why a file was not searched, or not as text.
type skip int

const (
	notSkipped  skip = iota
	binary           // holds NUL bytes
	special          // a pipe, socket or device
	tooLarge         // more than maxSearchedBytes
	unreadable       // the system says no
	undecoded        // not of its encoding
	partlyShown      // was searched, but matched lines hold bytes that are not of the encoding
)

// answer is what a search found in one file.
type answer struct {
	matches []MatchedConsecutiveLines
	left    int // matches beyond what fits in a result
	why     skip
}

// scan finds the matches in one file. With enough, they are only counted. An error is that of a search which had to be stopped.
func (s *scanner) scan(ctx context.Context, buffer *fileBuffer, f found, enough bool) (answer, error) {
	data, why := buffer.read(f, s.encoding)
	if why != notSkipped {
		return answer{why: why}, nil
	}
	if len(data) >= heavyBytes {
		select {
		case s.heavy <- struct{}{}:
			defer func() { <-s.heavy }()
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		}
	}
	text, foreign, ok := searchedText(s.encoding, data)
	if !ok {
		return answer{why: undecoded}, nil
	}
	c := &collection{rel: f.rel, text: text, before: s.before, after: s.after, countOnly: enough}
	if err := s.finder.Each(ctx, text, c.add); err != nil {
		return answer{}, err
	}
	c.flush()
	if replaceForeign(c.matches) || foreign && showsReplacement(c.matches) {
		why = partlyShown
	}
	return answer{c.matches, c.left, why}, nil
}

// searchedText returns a file's text with "\n" for each line ending. It may share memory with data. Bytes that are not of the encoding are
// no hindrance, and U+FFFD in encodings other than UTF-8; but what is no UTF-16 anywhere is not searched as that, since any bytes make characters there.
func searchedText(enc textenc.Encoding, data []byte) (text string, foreign, ok bool) {
	if body, ok := textenc.UTF8(enc, data); ok {
		// The text lives no longer than the search of this file: what is kept of it is copied.
		return lines.Normalize(unsafe.String(unsafe.SliceData(body), len(body))).Text, false, true
	}
	decoded, err := decodeToSearch(enc, data)
	if err != nil {
		return "", false, false
	}
	return lines.Normalize(decoded.Text).Text, decoded.Invalid(0, len(decoded.Text)) != nil, true
}

func decodeToSearch(enc textenc.Encoding, data []byte) (*textenc.Text, error) {
	if textenc.IsWide(enc, data) {
		return textenc.Decode(enc, data)
	}
	return textenc.DecodeAround(enc, data)
}

// collection puts the matches in a text together, as whole lines. Those that share a line are one.
type collection struct {
	rel           string
	text          string
	before, after int
	countOnly     bool

	open     bool // there is a match that later ones may be part of
	from, to int  // its lines: from the start of the first to the end of the last, without its "\n"
	line     int  // number of the line at counted
	counted  int  // offset up to which lines are counted

	matches []MatchedConsecutiveLines
	size    int // of matches, in a result's JSON
	left    int
}

func (c *collection) add(start, end int) bool {
	if start == len(c.text) && (start == 0 || c.text[start-1] == '\n') {
		return true // an empty match behind the last line break
	}
	last := lineEnd(c.text, max(start, end-1))
	if c.open && start <= c.to {
		c.to = max(c.to, last)
		return true
	}
	c.flush()
	c.open, c.from, c.to = true, lineStart(c.text, start), last
	return true
}

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// flush keeps the match that is open, if there is room.
func (c *collection) flush() {
	switch {
	case !c.open:
		return
	case c.countOnly:
		c.left++
		return
	}
	c.open = false
	c.line += strings.Count(c.text[c.counted:c.from], "\n")
	c.counted = c.from
	m := MatchedConsecutiveLines{SourceFilePath: c.rel, MatchedLines: c.lines(c.from, c.to, c.line)}
	m.Before, m.After = c.around(len(m.MatchedLines))
	if c.size += m.size(); c.size > maxValueBytes {
		c.left, c.countOnly = c.left+1, true
		return
	}
	c.matches = append(c.matches, m)
}

// around returns the context of the open match, which has a number of lines.
func (c *collection) around(count int) (before, after []TextLine) {
	from, number := c.from, c.line
	for range c.before {
		if from == 0 {
			break
		}
		from = lineStart(c.text, from-1)
		number--
	}
	before = []TextLine{}
	if from < c.from {
		before = c.lines(from, c.from-1, number)
	}
	to := c.to
	for range c.after {
		if to+1 >= len(c.text) {
			break
		}
		to = lineEnd(c.text, to+1)
	}
	after = []TextLine{}
	if to > c.to {
		after = c.lines(c.to+1, to, c.line+count)
	}
	return before, after
}

// lines copies the lines of a range that starts with a line and ends before a "\n".
func (c *collection) lines(from, to, number int) []TextLine {
	text := c.text[from:to]
	all := make([]TextLine, 0, 1+strings.Count(text, "\n"))
	for line := range strings.SplitSeq(text, "\n") {
		all = append(all, TextLine{LineNumber: number + len(all), LineContent: strings.Clone(line)})
	}
	return all
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

// showsReplacement tells whether a line of the matches holds U+FFFD.
func showsReplacement(matches []MatchedConsecutiveLines) bool {
	for _, m := range matches {
		for _, part := range [][]TextLine{m.Before, m.MatchedLines, m.After} {
			for _, l := range part {
				if strings.ContainsRune(l.LineContent, utf8.RuneError) {
					return true
				}
			}
		}
	}
	return false
}
