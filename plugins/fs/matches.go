package fs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

// TextLine is one line of a file.
type TextLine struct {
	LineNumber  int    `json:"line_number" doc:"0-based"`
	LineContent string `json:"line_content" doc:"without its ending"`
}

// MatchedConsecutiveLines is one match.
type MatchedConsecutiveLines struct {
	SourceFilePath string     `json:"source_file_path" doc:"relative to the project root"`
	MatchedLines   []TextLine `json:"matched_lines" doc:"all lines that the match touches"`
	Before         []TextLine `json:"before" doc:"context lines before"`
	After          []TextLine `json:"after" doc:"context lines after"`
}

// TypeDoc documents the type for `info`.
func (MatchedConsecutiveLines) TypeDoc() string {
	return "One match of a search: the lines it touches, and the lines around. Matches that share a line are one."
}

// RenderText is the match's lines with their numbers, after the path.
func (m MatchedConsecutiveLines) RenderText(sdk.Policy) string {
	return m.SourceFilePath + "\n" + m.text()
}

// text is the lines as search results show them: a mark, the number padded to 4, the text.
func (m MatchedConsecutiveLines) text() string {
	var out strings.Builder
	for _, part := range []struct {
		mark  string
		lines []TextLine
	}{{"...", m.Before}, {"  >", m.MatchedLines}, {"...", m.After}} {
		for _, l := range part.lines {
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
			number := strconv.Itoa(l.LineNumber)
			out.WriteString(part.mark)
			for range 4 - len(number) {
				out.WriteByte(' ')
			}
			out.WriteString(number)
			out.WriteByte(':')
			out.WriteString(l.LineContent)
		}
	}
	return out.String()
}

func (m MatchedConsecutiveLines) first() TextLine { return m.MatchedLines[0] }

// size estimates the bytes of the match in a result's JSON.
func (m MatchedConsecutiveLines) size() int {
	n := 120 + jsonSize(m.SourceFilePath)
	for _, list := range [][]TextLine{m.Before, m.MatchedLines, m.After} {
		for _, l := range list {
			n += 50 + jsonSize(l.LineContent)
		}
	}
	return n
}

// PatternMatches is what a search found.
type PatternMatches struct {
	Matches  []MatchedConsecutiveLines `json:"matches" items:"true" doc:"by path, then by line"`
	Complete bool                      `json:"complete" doc:"False if there are more matches than could be kept, or files that could not be looked at: see notes"`
	Notes    []string                  `json:"notes" doc:"what was skipped, and why nothing was found"`
}

// TypeDoc documents the type for `info`.
func (PatternMatches) TypeDoc() string {
	return "The matches of a search. Shown as JSON from paths to texts, with its notes under \"" + notesKey + "\", shortened in steps if that is too long."
}

// notesKey is where the JSON has its notes: no path from the project root begins with a slash.
const notesKey = "/notes"

// RenderText shows the matches in the longest form that fits.
func (p PatternMatches) RenderText(policy sdk.Policy) string {
	limit := answerLimit(policy)
	notes := p.member()
	full, characters := p.perFile(quoted(MatchedConsecutiveLines.text), limit, true)
	if characters += utf8.RuneCountInString(notes); characters <= limit {
		return strings.TrimSuffix(full, "}") + notes + "}"
	}
	total := p.total()
	head := tooMany(characters, limit) + " "
	const tail = " To see more, narrow relative_path, the globs or the pattern, or pass a larger max_answer_chars.\n"
	for _, form := range []struct {
		what string
		text func() (string, int)
	}{
		{"the first line of each match", func() (string, int) { return p.perFile(quoted(firstLine), limit, false) }},
		{"the first 60 characters of each match's first line", func() (string, int) { return p.perFile(quoted(firstLineCut), limit, false) }},
		{"the number of each match's first line", func() (string, int) { return p.perFile(firstNumber, limit, false) }},
		{"the number of matches in each file", func() (string, int) { counts := p.counts(); return counts, utf8.RuneCountInString(counts) }},
	} {
		if text, characters := form.text(); characters <= limit {
			return withNotes(head+"Shortened to "+form.what+"; there are "+total+"."+tail+text, p.Notes)
		}
	}
	return withNotes(head+"There are "+total+"."+strings.TrimSuffix(tail, "\n"), p.Notes)
}

// member is the notes as a further member of the JSON.
func (p PatternMatches) member() string {
	if len(p.Notes) == 0 {
		return ""
	}
	var out strings.Builder
	if len(p.Matches) > 0 {
		out.WriteString(", ")
	}
	quote(&out, notesKey)
	out.WriteString(": ")
	quoteList(&out, p.Notes)
	return out.String()
}

// perFile writes a JSON object from paths to lists with one entry for each match, and counts its characters. Once these are more than the
// limit, the text is no longer kept, and unless all characters are to be counted there is no more of it.
func (p PatternMatches) perFile(entry func(out *strings.Builder, m MatchedConsecutiveLines), limit int, countAll bool) (text string, characters int) {
	var out strings.Builder
	kept := 0 // bytes of out that are counted
	count := func() {
		characters += utf8.RuneCountInString(out.String()[kept:])
		if kept = out.Len(); characters > limit && kept > 1<<16 {
			out.Reset()
			kept = 0
		}
	}
	out.WriteByte('{')
	for i, m := range p.Matches {
		if characters > limit && !countAll {
			return "", characters
		}
		switch {
		case i == 0:
			quote(&out, m.SourceFilePath)
			out.WriteString(": [")
		case p.Matches[i-1].SourceFilePath != m.SourceFilePath:
			out.WriteString("], ")
			quote(&out, m.SourceFilePath)
			out.WriteString(": [")
		default:
			out.WriteString(", ")
		}
		entry(&out, m)
		count()
	}
	if len(p.Matches) > 0 {
		out.WriteByte(']')
	}
	out.WriteByte('}')
	count()
	return out.String(), characters
}

func quoted(text func(MatchedConsecutiveLines) string) func(*strings.Builder, MatchedConsecutiveLines) {
	return func(out *strings.Builder, m MatchedConsecutiveLines) { quote(out, text(m)) }
}

func firstLine(m MatchedConsecutiveLines) string {
	return MatchedConsecutiveLines{MatchedLines: m.MatchedLines[:1]}.text()
}

const cutAt = 60 // characters of a line

func firstLineCut(m MatchedConsecutiveLines) string {
	line := m.first()
	if runes := []rune(line.LineContent); len(runes) > cutAt {
		line.LineContent = string(runes[:cutAt]) + "…"
	}
	return MatchedConsecutiveLines{MatchedLines: []TextLine{line}}.text()
}

func firstNumber(out *strings.Builder, m MatchedConsecutiveLines) {
	fmt.Fprint(out, m.first().LineNumber)
}

// counts is a JSON object from paths to numbers of matches.
func (p PatternMatches) counts() string {
	var out strings.Builder
	out.WriteByte('{')
	for i := 0; i < len(p.Matches); {
		n := p.sameFile(i)
		if i > 0 {
			out.WriteString(", ")
		}
		quote(&out, p.Matches[i].SourceFilePath)
		fmt.Fprintf(&out, ": %d", n)
		i += n
	}
	out.WriteByte('}')
	return out.String()
}

// sameFile counts the matches from i on that are in one file.
func (p PatternMatches) sameFile(i int) int {
	n := 1
	for i+n < len(p.Matches) && p.Matches[i+n].SourceFilePath == p.Matches[i].SourceFilePath {
		n++
	}
	return n
}

func (p PatternMatches) total() string {
	files := 0
	for i := 0; i < len(p.Matches); i += p.sameFile(i) {
		files++
	}
	return counted(len(p.Matches), "match", "matches") + " in " + counted(files, "file", "files")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
