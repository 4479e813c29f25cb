package lines

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// RuneCol is a 0-based column in Unicode code points.
type RuneCol int

// Pos is a place in a text: 0-based line, 0-based column in code points.
type Pos struct {
	Line int
	Col  RuneCol
}

// RangeError reports a position that a text does not have.
type RangeError struct {
	Line  int     // 0-based, as asked for
	Col   RuneCol // as asked for; 0 where only a line was meant
	Lines int     // number of lines of the text
	Width int     // width of that line in code points; -1 if the line does not exist
}

func (e *RangeError) Error() string {
	if e.Width < 0 {
		switch e.Lines {
		case 0:
			return fmt.Sprintf("line %d does not exist: the text is empty", e.Line)
		case 1:
			return fmt.Sprintf("line %d does not exist: the text has one line, number 0", e.Line)
		}
		return fmt.Sprintf("line %d does not exist: the text has %d lines, numbered 0 to %d", e.Line, e.Lines, e.Lines-1)
	}
	return fmt.Sprintf("column %d does not exist: line %d has columns 0 to %d", e.Col, e.Line, e.Width)
}

// Index finds lines in one text. It holds line starts only, never copies of lines, and is safe for concurrent use.
type Index struct {
	text   string
	starts []int // byte offset at which each line starts
}

// New indexes text in one pass.
func New(text string) *Index {
	x := &Index{text: text}
	if text == "" {
		return x
	}
	x.starts = append(make([]int, 0, 1+strings.Count(text, "\n")), 0)
	lf, cr := -1, -1 // the next break of each kind at or after at; len(text) if there is none
	for at := 0; ; {
		lf, cr = nextByte(text, '\n', lf, at), nextByte(text, '\r', cr, at)
		at = min(lf, cr) + 1
		if lf == cr+1 {
			at = lf + 1
		}
		if at >= len(text) {
			return x
		}
		x.starts = append(x.starts, at)
	}
}

// nextByte returns the place of the first c at or after at, len(text) if there is none. known is an earlier answer:
// searching only beyond it keeps the whole scan linear when one kind of line break is rare.
func nextByte(text string, c byte, known, at int) int {
	if known >= at {
		return known
	}
	if i := strings.IndexByte(text[at:], c); i >= 0 {
		return at + i
	}
	return len(text)
}

// Text returns the whole text.
func (x *Index) Text() string { return x.text }

// Count returns the number of lines.
func (x *Index) Count() int { return len(x.starts) }

// Start returns the byte offset at which a line starts. Line Count() starts at the end of the text.
// It panics, as a slice does, for any other line.
func (x *Index) Start(line int) int {
	if line == len(x.starts) {
		return len(x.text)
	}
	return x.starts[line]
}

// End returns the byte offset at which a line's text ends, that is where its ending starts.
func (x *Index) End(line int) int {
	return x.Start(line) + len(x.Line(line))
}

// Line returns a line's text without its ending.
func (x *Index) Line(line int) string {
	text := x.Full(line)
	return text[:len(text)-len(endingOf(text))]
}

// Full returns a line's text with its ending.
func (x *Index) Full(line int) string {
	return x.text[x.starts[line]:x.Start(line+1)]
}

// Ending returns a line's ending: "\n", "\r\n", "\r", or "" for a last line without one.
func (x *Index) Ending(line int) string { return endingOf(x.Full(line)) }

func endingOf(line string) string {
	switch {
	case strings.HasSuffix(line, "\r\n"):
		return "\r\n"
	case strings.HasSuffix(line, "\n"):
		return "\n"
	case strings.HasSuffix(line, "\r"):
		return "\r"
	}
	return ""
}

// LineAt returns the line that holds a byte offset. The end of a text that ends in a line break, and of the empty
// text, is on line Count(). An offset inside a CRLF is on the line that it ends. Offsets out of the text are clamped.
func (x *Index) LineAt(offset int) int {
	if offset >= len(x.text) {
		if n := len(x.starts); n == 0 || x.Ending(n-1) != "" {
			return n
		}
		return len(x.starts) - 1
	}
	return max(0, sort.SearchInts(x.starts, offset+1)-1)
}

// PosAt returns the position of a byte offset. An offset inside a line ending has the column of the line's end; one
// inside a character has that character's. Offsets out of the text are clamped.
func (x *Index) PosAt(offset int) Pos {
	offset = max(0, min(offset, len(x.text)))
	line := x.LineAt(offset)
	if line == len(x.starts) {
		return Pos{Line: line}
	}
	text := x.Line(line)
	at := min(offset-x.starts[line], len(text))
	for back := 1; back < utf8.UTFMax && back <= at && at < len(text); back++ {
		if _, size := utf8.DecodeRuneInString(text[at-back:]); size > back {
			at -= back
			break
		}
	}
	return Pos{Line: line, Col: RuneCol(utf8.RuneCountInString(text[:at]))}
}

// Offset returns the byte offset of a position. The column may be the line's width, the place before its ending; the
// line may be Count() with column 0, the end of the text. Anything else is a [*RangeError].
func (x *Index) Offset(p Pos) (int, error) {
	if p.Line == len(x.starts) && p.Col == 0 {
		return len(x.text), nil
	}
	if p.Line < 0 || p.Line >= len(x.starts) {
		return 0, &RangeError{Line: p.Line, Col: p.Col, Lines: len(x.starts), Width: -1}
	}
	text := x.Line(p.Line)
	at, ok := runeOffset(text, p.Col)
	if !ok {
		return 0, &RangeError{Line: p.Line, Col: p.Col, Lines: len(x.starts), Width: utf8.RuneCountInString(text)}
	}
	return x.starts[p.Line] + at, nil
}

// Width returns a line's width in code points, without its ending.
func (x *Index) Width(line int) RuneCol {
	return RuneCol(utf8.RuneCountInString(x.Line(line)))
}

// runeOffset returns the byte offset of a column in a line; false if the line is shorter or the column negative.
func runeOffset(line string, col RuneCol) (int, bool) {
	if col < 0 {
		return 0, false
	}
	at := 0
	for ; col > 0; col-- {
		if at == len(line) {
			return at, false
		}
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at, true
}
