package replace

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/pyregex"
)

// insideFinder tells whether a pattern matches again inside one of its matches: from the match's second character on, with
// what stands before it in view of "^", "\b" and look-behind, and ending within the match.
type insideFinder struct {
	needle  *pyregex.Regexp
	flags   string                  // the needle's leading (?…), which must stay in front
	body    string                  // the rest of the needle
	skipped map[int]*pyregex.Regexp // by the number of characters that a further match must come after
}

// mostContext bounds the characters before a match that are kept in view.
const mostContext = 200

var leadingFlags = regexp.MustCompile(`\A\(\?[aimsuxL]+\)`)

func newInsideFinder(needle *pyregex.Regexp) *insideFinder {
	flags := leadingFlags.FindString(needle.String())
	return &insideFinder{needle: needle, flags: flags, body: strings.TrimPrefix(needle.String(), flags), skipped: map[int]*pyregex.Regexp{}}
}

func (f *insideFinder) matches(ctx context.Context, text string, start, end int) (bool, error) {
	from := start
	for n := 0; from > 0 && n < mostContext; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	skip := utf8.RuneCountInString(text[from:start]) + 1
	re, ok := f.skipped[skip]
	if !ok {
		var err error
		// The needle starts after skip characters or more. A line break ends a comment that a verbose needle may end in.
		re, err = pyregex.Compile(fmt.Sprintf("%s\\A[\\s\\S]{%d}[\\s\\S]*?(?:%s%s)", f.flags, skip, f.body, f.close()), pyregex.DotAll|pyregex.Multiline)
		if err != nil {
			return false, fmt.Errorf("%w: it cannot be checked for a further match inside one: %w", ErrNeedle, err)
		}
		f.skipped[skip] = re
	}
	_, found, err := re.Find(ctx, text[from:end])
	return found, err
}

func (f *insideFinder) close() string {
	if strings.Contains(f.flags, "x") {
		return "\n"
	}
	return ""
}
