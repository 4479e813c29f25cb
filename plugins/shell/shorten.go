package shell

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// shortened renders o within limit characters (< 0: no limit): if need be both streams lose their middle, at the same
// length, so that a short one stays whole beside a long one. A limit that has no room even for that gets a notice alone.
func shortened(o ShellCommandOutput, limit int, render func(ShellCommandOutput) string) string {
	whole := render(o)
	total := utf8.RuneCountInString(whole)
	if limit < 0 || total <= limit {
		return whole
	}
	stdout, stderr := newEnds(o.Stdout, limit), ends{}
	if o.Stderr != nil {
		stderr = newEnds(*o.Stderr, limit)
	}
	with := func(keep int) string {
		cut := o
		cut.Stdout = stdout.text(keep)
		if o.Stderr != nil {
			text := stderr.text(keep)
			cut.Stderr = &text
		}
		return render(cut)
	}
	// Keeping more makes the text longer, but for a digit in the notices; the check below covers that.
	keep := sort.Search(limit, func(keep int) bool { return utf8.RuneCountInString(with(keep)) > limit }) - 1
	if keep >= 0 {
		if text := with(keep); utf8.RuneCountInString(text) <= limit {
			return text
		}
	}
	return fmt.Sprintf("The answer has %d characters, more than max_answer_chars=%d leaves room for (return code %d): let the command write to a file and read parts of it, or filter its output.",
		total, limit, o.ReturnCode)
}

// ends is what may be shown of a long text.
type ends struct {
	whole      string
	total      int    // characters
	head, tail string // of whole, as long as may be shown at all
}

func newEnds(text string, most int) ends {
	return ends{whole: text, total: utf8.RuneCountInString(text), head: first(text, most), tail: last(text, most)}
}

// text keeps so many characters, half of them at each end, and says what is missing.
func (e ends) text(keep int) string {
	if e.total <= keep {
		return e.whole
	}
	return first(e.head, keep/2) +
		fmt.Sprintf("\n[… %d of %d characters left out: let the command write to a file and read parts of it, or filter its output …]\n", e.total-keep, e.total) +
		last(e.tail, keep-keep/2)
}

// first returns the first n characters.
func first(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// last returns the last n characters.
func last(text string, n int) string {
	at := len(text)
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return text[at:]
}
