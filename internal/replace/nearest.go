package replace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/pyregex"
)

// Bounds of the search for what a needle was meant to be: it is a courtesy and must not cost more than the search itself.
const (
	mostText      = 8 << 20 // bytes of text
	mostNeedle    = 200     // lines of a needle that are compared
	mostShown     = 6       // lines that a message shows
	mostLineShown = 200     // characters of each
	goodEnough    = 0.5     // likeness from which a place is worth showing
	finalists     = 8       // places that are compared as a whole
)

const hintTimeout = time.Second

// place is where a text resembles a needle.
type place struct {
	line, count int
	how         string // what differs, if that can be said in few words
}

// notFound says what the text has instead of the needle.
func notFound(ctx context.Context, src *source, r Request) error {
	if len(src.text) > mostText || ctx.Err() != nil {
		return ErrNotFound
	}
	needle := lines.Normalize(r.Needle).Text
	if r.Regex {
		if i := strings.Index(src.norm.Text, needle); i >= 0 {
			return fmt.Errorf("%w as a regular expression, but as literal text it is on line %d; pass mode=\"literal\"", ErrNotFound, src.index.LineAt(i))
		}
		if strings.Contains(r.Needle, `\r`) {
			return fmt.Errorf(`%w; patterns see every line ending as \n, so that \r matches nothing: write \n`, ErrNotFound)
		}
		return fmt.Errorf("%w; read the place that it should match and compare", ErrNotFound)
	}
	if re, err := pyregex.Compile(r.Needle, pyregex.DotAll|pyregex.Multiline); err == nil && strings.ContainsAny(r.Needle, `*+\[|`) {
		ctx, cancel := context.WithTimeout(ctx, hintTimeout)
		defer cancel()
		if all, err := re.FindAll(ctx, src.norm.Text); err == nil && len(all) == 1 {
			return fmt.Errorf("%w as literal text, but as a regular expression it matches on line %d; pass mode=\"regex\"", ErrNotFound, src.index.LineAt(all[0].Start))
		}
	}
	p, ok := nearestPlace(src.index, needle)
	if !ok {
		return fmt.Errorf("%w, nor anything like it; read the file again", ErrNotFound)
	}
	where := fmt.Sprintf("line %d", p.line)
	if p.count > 1 {
		where = fmt.Sprintf("lines %d to %d", p.line, p.line+p.count-1)
	}
	var shown strings.Builder
	for i := range min(p.count, mostShown) {
		shown.WriteString("\n" + cut(src.index.Line(p.line+i), mostLineShown))
	}
	if p.count > mostShown {
		shown.WriteString("\n…")
	}
	return fmt.Errorf("%w; the nearest text is on %s%s:%s", ErrNotFound, where, p.how, shown.String())
}

func cut(line string, most int) string {
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

// nearestPlace finds where a text resembles a needle most. The first of equal places is taken.
func nearestPlace(text *lines.Index, needle string) (place, bool) {
	want := strings.Split(needle, "\n")
	for len(want) > 0 && strings.TrimSpace(want[0]) == "" {
		want = want[1:]
	}
	for len(want) > 0 && strings.TrimSpace(want[len(want)-1]) == "" {
		want = want[:len(want)-1]
	}
	if len(want) == 0 || len(want) > text.Count() {
		return place{}, false
	}
	for _, way := range []struct {
		form func(string) string
		how  string
	}{
		{squeeze, " and differs in white space only"},
		{strings.ToLower, " and differs in upper and lower case only"},
	} {
		if line, ok := sameIn(text, want, way.form); ok {
			return place{line, len(want), way.how}, true
		}
	}
	return mostAlike(text, want)
}

func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// sameIn finds the first lines that hold the wanted ones when both are brought to a form.
func sameIn(text *lines.Index, want []string, form func(string) string) (int, bool) {
	wanted := make([]string, len(want))
	for i, w := range want {
		wanted[i] = form(w)
	}
	fits := func(line, i int) bool {
		have := form(text.Line(line))
		switch first, last := i == 0, i == len(wanted)-1; {
		case first && last:
			return strings.Contains(have, wanted[i])
		case first:
			return strings.HasSuffix(have, wanted[i])
		case last:
			return strings.HasPrefix(have, wanted[i])
		}
		return have == wanted[i]
	}
	for line := range text.Count() - len(wanted) + 1 {
		for i := 0; fits(line+i, i); i++ {
			if i == len(wanted)-1 {
				return line, true
			}
		}
	}
	return 0, false
}

// mostAlike compares pairs of letters: every line with the longest wanted one, then the best places as a whole.
func mostAlike(text *lines.Index, want []string) (place, bool) {
	anchor := 0
	want = want[:min(len(want), mostNeedle)]
	pairs := make([]letterPairs, len(want))
	for i, w := range want {
		if pairs[i] = pairsOf(w); pairs[i].total > pairs[anchor].total {
			anchor = i
		}
	}
	if pairs[anchor].total == 0 {
		return place{}, false
	}
	type candidate struct {
		line  int
		score float64
	}
	var all []candidate
	for line := anchor; line < text.Count()-(len(want)-1-anchor); line++ {
		if s := pairs[anchor].likeness(text.Line(line)); s >= goodEnough {
			all = append(all, candidate{line - anchor, s})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	best := candidate{score: -1}
	for _, c := range all[:min(len(all), finalists)] {
		sum, total := 0.0, 0
		for i, p := range pairs {
			sum += float64(p.total) * p.likeness(text.Line(c.line+i))
			total += p.total
		}
		if s := sum / float64(total); s > best.score {
			best = candidate{c.line, s}
		}
	}
	return place{line: best.line, count: len(want)}, best.score >= goodEnough
}

// letterPairs counts the pairs of neighbouring characters of a line, leading and trailing white space left out.
type letterPairs struct {
	count map[[2]rune]int
	total int
}

func pairsOf(line string) letterPairs {
	p := letterPairs{count: map[[2]rune]int{}}
	var before rune = -1
	for _, r := range strings.TrimSpace(line) {
		if before >= 0 {
			p.count[[2]rune{before, r}]++
			p.total++
		}
		before = r
	}
	return p
}

// likeness is 1 for the same line. A line that holds more is a little less like one that holds nothing else.
func (p letterPairs) likeness(line string) float64 {
	other := pairsOf(line)
	if p.total == 0 || other.total == 0 {
		return 0
	}
	shared := 0
	for pair, n := range p.count {
		shared += min(n, other.count[pair])
	}
	const weightOfContained = 0.85
	contained := float64(shared) / float64(p.total)
	same := 2 * float64(shared) / float64(p.total+other.total)
	return weightOfContained*contained + (1-weightOfContained)*same
}
