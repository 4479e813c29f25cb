package fs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/replace"
	"github.com/serena-go/serena/sdk"
)

// ReplacementOccurrence is one place at which a needle matches.
type ReplacementOccurrence struct {
	OccurrenceID string `json:"occurrence_id" doc:"names path, position and text; stale when these are no longer so"`
	RelativePath string `json:"relative_path" doc:"file, relative to the project root"`
	StartLine    int    `json:"start_line" doc:"first line that the match touches, 0-based"`
	EndLine      int    `json:"end_line" doc:"last line that the match touches, 0-based, inclusive"`
	MatchedText  string `json:"matched_text" doc:"with \\n for each line ending"`
	Replacement  string `json:"replacement" doc:"the text that takes its place, with \\n for each line ending"`
	IsAmbiguous  bool   `json:"is_ambiguous" doc:"spans lines and holds a further match that begins later, so that either could be meant"`
	Head         string `json:"head_"` // what stands before the match in its first line, cut
	Tail         string `json:"tail_"` // what stands behind it in its last line, cut

	foreign bool // holds bytes that are not of the file's encoding
}

// TypeDoc documents the type for `info`.
func (ReplacementOccurrence) TypeDoc() string {
	return "One place at which a needle matches, and what takes its place. Shown as the lines before and after."
}

// mostAround bounds the characters that are shown before and behind a match in its lines.
const mostAround = 80

func newOccurrence(rel string, o replace.Occurrence, lineCount int) ReplacementOccurrence {
	out := ReplacementOccurrence{
		OccurrenceID: occurrenceID(rel, o, lineCount), RelativePath: rel, StartLine: o.FirstLine, EndLine: o.LastLine, IsAmbiguous: o.Ambiguous,
		// Clones, so that a few matches do not keep whole files in memory.
		MatchedText: strings.Clone(o.Matched), Replacement: strings.Clone(o.Replacement),
		Head: lastRunes(o.Head, mostAround), Tail: firstRunes(o.Tail, mostAround),
	}
	for _, text := range []*string{&out.OccurrenceID, &out.RelativePath, &out.MatchedText, &out.Replacement, &out.Head, &out.Tail} {
		if !utf8.ValidString(*text) { // a result is JSON
			*text, out.foreign = string([]rune(*text)), true // one replacement character a byte
		}
	}
	return out
}

func firstRunes(s string, n int) string {
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	if at == len(s) {
		return strings.Clone(s)
	}
	return s[:at] + "…"
}

func lastRunes(s string, n int) string {
	at := len(s)
	for range n {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	if at == 0 {
		return strings.Clone(s)
	}
	return "…" + s[at:]
}

// size estimates the bytes of the occurrence in a result's JSON.
func (o ReplacementOccurrence) size() int {
	n := leastListed
	for _, s := range []string{o.OccurrenceID, o.RelativePath, o.MatchedText, o.Replacement, o.Head, o.Tail} {
		n += jsonSize(s)
	}
	return n
}

// RenderText is the id and the change as lines.
func (o ReplacementOccurrence) RenderText(sdk.Policy) string {
	return o.title() + o.diff()
}

func (o ReplacementOccurrence) title() string {
	if o.IsAmbiguous {
		return "[" + o.OccurrenceID + "] ambiguous: the pattern matches again inside"
	}
	return "[" + o.OccurrenceID + "]"
}

// lines are those that the change removes and adds; what is the same at both ends is left out.
func (o ReplacementOccurrence) lines() (removed, added []string) {
	removed, added = splitLines(o.Head+o.MatchedText+o.Tail), splitLines(o.Head+o.Replacement+o.Tail)
	for len(removed) > 0 && len(added) > 0 && removed[0] == added[0] {
		removed, added = removed[1:], added[1:]
	}
	for len(removed) > 0 && len(added) > 0 && removed[len(removed)-1] == added[len(added)-1] {
		removed, added = removed[:len(removed)-1], added[:len(added)-1]
	}
	return removed, added
}

// splitLines gives the lines of a text; a line break at its end begins no further one.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func (o ReplacementOccurrence) diff() string {
	removed, added := o.lines()
	var out strings.Builder
	for _, l := range removed {
		out.WriteString("\n-" + l)
	}
	for _, l := range added {
		out.WriteString("\n+" + l)
	}
	if out.Len() == 0 {
		return "\n (no change)"
	}
	return out.String()
}

// firstChange is the diff cut to one line removed and one added, and these cut as well.
func (o ReplacementOccurrence) firstChange() string {
	removed, added := o.lines()
	text := ""
	if len(removed) > 0 {
		text += "\n-" + firstRunes(removed[0], cutAt)
	}
	if len(added) > 0 {
		text += "\n+" + firstRunes(added[0], cutAt)
	}
	return text
}

// ReplacementPreview is what a replacement in many files would do.
type ReplacementPreview struct {
	Occurrences   []ReplacementOccurrence `json:"occurrences" items:"true" doc:"by path, then by position"`
	AffectedFiles []string                `json:"affected_files" doc:"the files that hold them"`
	Complete      bool                    `json:"complete" doc:"False if there are files that could not be looked at: see notes"`
	Notes         []string                `json:"notes" doc:"what was skipped, and why nothing was found"`
}

// TypeDoc documents the type for `info`.
func (ReplacementPreview) TypeDoc() string {
	return "The occurrences that a replacement in many files would change. Shown as lines before and after with an id each."
}

// RenderText shows the occurrences in the longest form that fits.
func (p ReplacementPreview) RenderText(policy sdk.Policy) string {
	limit := answerLimit(policy)
	full := withNotes(p.total()+p.list(ReplacementOccurrence.diff), p.Notes)
	if within(full, limit) {
		return full
	}
	head := fmt.Sprintf("%s Total: %s.", tooLong(full, limit), p.total())
	const tail = " To see more, narrow relative_path, the globs or the needle, or pass a larger max_answer_chars."
	for _, form := range []struct {
		what string
		text func() string
	}{
		{"the first line of each change", func() string { return p.list(ReplacementOccurrence.firstChange) }},
		{"the ids", func() string { return p.list(func(ReplacementOccurrence) string { return "" }) }},
		{"the number of occurrences in each file", p.counts},
	} {
		if text := form.text(); within(text, limit) {
			return withNotes(head+" Shortened to "+form.what+"."+tail+text, p.Notes)
		}
	}
	return withNotes(head+tail, p.Notes)
}

func (p ReplacementPreview) list(change func(ReplacementOccurrence) string) string {
	var out strings.Builder
	for _, o := range p.Occurrences {
		out.WriteString("\n" + o.title() + change(o))
	}
	return out.String()
}

func (p ReplacementPreview) counts() string {
	var out strings.Builder
	perFile := map[string]int{}
	for _, o := range p.Occurrences {
		perFile[o.RelativePath]++
	}
	for _, f := range p.AffectedFiles {
		fmt.Fprintf(&out, "\n%s: %d", f, perFile[f])
	}
	return out.String()
}

func (p ReplacementPreview) total() string {
	return counted(len(p.Occurrences), "occurrence", "occurrences") + " in " + counted(len(p.AffectedFiles), "file", "files")
}

// summary says what was replaced, with the number for each file if that fits.
func (p ReplacementPreview) summary(limit int) string {
	text := "OK (" + counted(len(p.Occurrences), "occurrence", "occurrences") + " replaced in " + counted(len(p.AffectedFiles), "file", "files") + ")"
	if full := withNotes(text+p.counts(), p.Notes); within(full, limit) {
		return full
	}
	return withNotes(text, p.Notes)
}
