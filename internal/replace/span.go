package replace

import "github.com/serena-go/serena/internal/lines"

// Span plans the replacement of the bytes [start, end) of a text, which must be ends of characters and lie in no CRLF, by repl,
// which is verbatim but for its line feeds: each takes the ending used around it. What both have in common at their ends is no
// part of the edit. It is false if nothing changes.
func Span(text string, start, end int, repl string) (Edit, bool) {
	src := newSource(text)
	m := match{start: src.norm.FromOrig(start), end: src.norm.FromOrig(end)}
	return src.edit(m, src.fill(m, []part{{text: repl, group: noGroup}}))
}

// Lines is Span for the lines [first, end): repl is whole lines, and gets the last line's ending if it lacks one. A text without a
// final line break keeps doing without when its last line is replaced; lines that are inserted behind it are whole ones.
func Lines(text string, first, end int, repl string) (Edit, bool) {
	index := lines.New(text)
	from, to := index.Start(first), index.Start(end)
	open := end == index.Count() && end > 0 && index.Ending(end-1) == "" // the text ends without a line break
	if inserted := first == end; !endsLine(repl) && (inserted || !open) {
		repl += "\n"
	}
	if open && first == end {
		repl = "\n" + repl
	}
	return Span(text, from, to, repl)
}

func endsLine(text string) bool {
	return text != "" && (text[len(text)-1] == '\n' || text[len(text)-1] == '\r')
}
