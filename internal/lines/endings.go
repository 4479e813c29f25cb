package lines

import (
	"sort"
	"strings"
)

// Normalized is a text in which every line ends in "\n", with the way back to the original's bytes. Lines and
// columns are the same in both; only byte offsets differ.
type Normalized struct {
	Text string

	// shrunk holds the offsets in Text of those line breaks that were CRLF, each one byte longer in the original.
	shrunk []int
}

// Normalize replaces CRLF and CR by LF. A text without CR is returned as it is.
func Normalize(text string) Normalized {
	cr := strings.IndexByte(text, '\r')
	if cr < 0 {
		return Normalized{Text: text}
	}
	var (
		out    strings.Builder
		shrunk []int
	)
	out.Grow(len(text))
	for cr >= 0 {
		out.WriteString(text[:cr])
		text = text[cr+1:]
		if strings.HasPrefix(text, "\n") {
			text = text[1:]
			shrunk = append(shrunk, out.Len())
		}
		out.WriteByte('\n')
		cr = strings.IndexByte(text, '\r')
	}
	out.WriteString(text)
	return Normalized{Text: out.String(), shrunk: shrunk}
}

// ToOrig returns the original's byte offset for an offset in Text. The place before a "\n" is the place before the
// whole original line break, the place after it the one after all of it, so a range never cuts a CRLF.
func (n Normalized) ToOrig(offset int) int {
	return offset + sort.SearchInts(n.shrunk, offset)
}

// FromOrig returns the offset in Text for an offset in the original. The place inside a CRLF counts as after it.
func (n Normalized) FromOrig(offset int) int {
	// The k-th shrunk break ends, in the original, at its offset in Text plus k+2.
	before := sort.Search(len(n.shrunk), func(k int) bool { return n.shrunk[k]+k+2 > offset })
	if before < len(n.shrunk) && n.shrunk[before]+before+1 == offset {
		return n.shrunk[before] + 1
	}
	return offset - before
}

// WithEnding returns text with every line break, of whatever form, replaced by ending.
func WithEnding(text, ending string) string {
	norm := Normalize(text).Text
	if ending == "\n" {
		return norm
	}
	return strings.ReplaceAll(norm, "\n", ending)
}

// EndingAt returns the line ending used around a byte offset, for text that is inserted there: that of the offset's
// line, else of the line before it, else "\n".
func (x *Index) EndingAt(offset int) string {
	// Only the last line can lack an ending, so one step back is enough.
	for line := min(x.LineAt(offset), len(x.starts)-1); line >= 0; line-- {
		if ending := x.Ending(line); ending != "" {
			return ending
		}
	}
	return "\n"
}

// OneEnding returns the ending that every ended line of a text has, and false if there is none or they differ.
func OneEnding(text string) (string, bool) {
	crlf, lf, cr := strings.Count(text, "\r\n"), strings.Count(text, "\n"), strings.Count(text, "\r")
	switch {
	case lf > 0 && cr == 0:
		return "\n", true
	case crlf > 0 && crlf == lf && crlf == cr:
		return "\r\n", true
	case cr > 0 && lf == 0:
		return "\r", true
	}
	return "", false
}
