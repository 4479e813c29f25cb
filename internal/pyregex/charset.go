package pyregex

import (
	"slices"
	"sync"
	"unicode"
)

// span is an inclusive range of characters.
type span struct{ low, high rune }

// category is one of Python's character categories.
type category struct {
	kind     byte // 'w', 'd' or 's'
	negative bool // \W, \D, \S
	ascii    bool // under the ASCII flag
}

// charSet is a character class as written.
type charSet struct {
	spans    []span
	cats     []category
	negative bool
}

// The characters of \s: Python's str.isspace.
var spaces = []span{
	{'\t', '\r'}, {0x1c, 0x20}, {0x85, 0x85}, {0xa0, 0xa0}, {0x1680, 0x1680}, {0x2000, 0x200a}, {0x2028, 0x2029},
	{0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
}

var asciiCategories = map[byte][]span{
	'w': {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
	'd': {{'0', '9'}},
	's': {{'\t', '\r'}, {' ', ' '}},
}

// \w is str.isalnum or "_": letters, and all that has a numeric value, which besides letters is the category N.
var wordSpans = sync.OnceValue(func() []span {
	return merge(append(tableSpans(unicode.L, unicode.N), span{'_', '_'}))
})

var digitSpans = sync.OnceValue(func() []span { return merge(tableSpans(unicode.Nd)) })

func tableSpans(tables ...*unicode.RangeTable) []span {
	var spans []span
	add := func(low, high, stride rune) {
		if stride == 1 {
			spans = append(spans, span{low, high})
			return
		}
		for r := low; r <= high; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return spans
}

func (c category) spans() []span {
	spans := asciiCategories[c.kind]
	if !c.ascii {
		switch c.kind {
		case 'w':
			spans = wordSpans()
		case 'd':
			spans = digitSpans()
		case 's':
			spans = spaces
		}
	}
	if c.negative {
		return complement(spans)
	}
	return spans
}

// resolve returns the set's characters, sorted and disjoint.
func (s *charSet) resolve() []span {
	spans := slices.Clone(s.spans)
	for _, c := range s.cats {
		spans = append(spans, c.spans()...)
	}
	spans = merge(spans)
	if s.negative {
		return complement(spans)
	}
	return spans
}

func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return int(a.low - b.low) })
	var out []span
	for _, s := range spans {
		if n := len(out); n > 0 && s.low <= out[n-1].high+1 {
			out[n-1].high = max(out[n-1].high, s.high)
			continue
		}
		out = append(out, s)
	}
	return out
}

// complement returns what sorted, disjoint spans leave out.
func complement(spans []span) []span {
	var out []span
	next := rune(0)
	for _, s := range spans {
		if s.low > next {
			out = append(out, span{next, s.low - 1})
		}
		next = s.high + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

// asciiOnly returns the part of sorted, disjoint spans that is ASCII.
func asciiOnly(spans []span) []span {
	var out []span
	for _, s := range spans {
		if s.low <= unicode.MaxASCII {
			out = append(out, span{s.low, min(s.high, unicode.MaxASCII)})
		}
	}
	return out
}

// fold adds to the set what its characters match under IGNORECASE.
func (s *charSet) fold(ascii bool) {
	for _, sp := range slices.Clone(s.spans) {
		for _, r := range cased() {
			if sp.low <= r && r <= sp.high {
				for _, variant := range variants(r, ascii) {
					s.spans = append(s.spans, span{variant, variant})
				}
			}
		}
	}
	s.spans = merge(s.spans)
}

// extraFolds are characters that Python folds together and the Unicode table of simple folds does not: the Turkish
// letters, and lower-case letters whose upper case is the same sequence.
var extraFolds = [][]rune{{'I', 'i', 0x130, 0x131}, {0x390, 0x1fd3}, {0x3b0, 0x1fe3}, {0xfb05, 0xfb06}}

// variants returns the characters that a character matches under IGNORECASE, itself included.
func variants(r rune, ascii bool) []rune {
	if !ascii {
		for _, folds := range extraFolds {
			if slices.Contains(folds, r) {
				return folds
			}
		}
	}
	all := []rune{r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		if !ascii || r <= unicode.MaxASCII && next <= unicode.MaxASCII {
			all = append(all, next)
		}
	}
	return all
}

// cased lists the characters that have variants.
var cased = sync.OnceValue(func() []rune {
	all := slices.Concat(extraFolds...)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			all = append(all, r)
		}
	}
	return all
})
