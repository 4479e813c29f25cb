package replace

import (
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/lines"
)

// replacement is the text that takes a match's place, with "\n" for every line break.
type replacement struct {
	text   string
	breaks []string // the form of each line break in text; "" for the one used around it
}

// fill puts a match's groups into the parts of a replacement. What a group matched keeps its own line endings.
func (s *source) fill(m match, parts []part) replacement {
	var (
		out    strings.Builder
		breaks []string
	)
	for _, p := range parts {
		if p.group == noGroup {
			out.WriteString(lines.Normalize(p.text).Text)
			for _, form := range endings(p.text) {
				if form == "\n" { // only says that a line ends; CR and CRLF are meant as written
					form = ""
				}
				breaks = append(breaks, form)
			}
			continue
		}
		if from, to := m.groups[p.group][0], m.groups[p.group][1]; from >= 0 {
			out.WriteString(s.norm.Text[from:to])
			breaks = append(breaks, endings(s.original(from, to))...)
		}
	}
	return replacement{out.String(), breaks}
}

// original returns the text as it is in the file for a range of the normalised text.
func (s *source) original(from, to int) string {
	return s.text[s.norm.ToOrig(from):s.norm.ToOrig(to)]
}

// endings lists the line breaks of a text.
func endings(text string) []string {
	index := lines.New(text)
	var all []string
	for line := range index.Count() {
		if e := index.Ending(line); e != "" {
			all = append(all, e)
		}
	}
	return all
}

// edit turns a match and its replacement into the bytes that change; false if none does.
func (s *source) edit(m match, repl replacement) (Edit, bool) {
	old := s.norm.Text[m.start:m.end]
	oldBreaks := endings(s.original(m.start, m.end))

	head := commonHead(old, oldBreaks, repl)
	headBreaks := strings.Count(old[:head], "\n")
	tail := commonTail(old[head:], oldBreaks[headBreaks:], replacement{repl.text[head:], repl.breaks[headBreaks:]})

	from, to := s.norm.ToOrig(m.start+head), s.norm.ToOrig(m.end-tail)
	around := s.orig.EndingAt(from)
	middle := repl.text[head : len(repl.text)-tail]
	if from == to && middle == "" {
		return Edit{}, false
	}
	var out strings.Builder
	for _, form := range repl.breaks[headBreaks : headBreaks+strings.Count(middle, "\n")] {
		line, rest, _ := strings.Cut(middle, "\n")
		out.WriteString(line)
		if form == "" {
			form = around
		}
		out.WriteString(form)
		middle = rest
	}
	out.WriteString(middle)
	return Edit{Start: from, End: to, Text: out.String()}, true
}

// commonHead returns how many bytes old and repl have in common at their start, counted in whole characters.
func commonHead(old string, oldBreaks []string, repl replacement) int {
	n, line := 0, 0
	for n < len(old) && n < len(repl.text) && old[n] == repl.text[n] {
		if old[n] == '\n' {
			if !sameBreak(oldBreaks[line], repl.breaks[line]) {
				return n
			}
			line++
		}
		n++
	}
	for n > 0 && !(startsRune(old, n) && startsRune(repl.text, n)) {
		n--
	}
	return n
}

// commonTail is commonHead for the end.
func commonTail(old string, oldBreaks []string, repl replacement) int {
	n, line := 0, 1
	for n < len(old) && n < len(repl.text) && old[len(old)-1-n] == repl.text[len(repl.text)-1-n] {
		if old[len(old)-1-n] == '\n' {
			if !sameBreak(oldBreaks[len(oldBreaks)-line], repl.breaks[len(repl.breaks)-line]) {
				break
			}
			line++
		}
		n++
	}
	for n > 0 && !(startsRune(old, len(old)-n) && startsRune(repl.text, len(repl.text)-n)) {
		n--
	}
	return n
}

// sameBreak tells whether a line break of a replacement leaves the one in its place as it is.
func sameBreak(old, form string) bool { return form == "" || form == old }

func startsRune(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
