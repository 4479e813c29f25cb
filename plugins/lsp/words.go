package lsp

import (
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/plugins/lsp/symbols"
)

// word is a text that must stand in a file, as a whole identifier or anywhere.
type word struct {
	text  string
	whole bool
}

type wordList []word

// wanted returns what the file of a matching symbol must contain: of each part of the pattern the longest run of identifier characters.
func wanted(p symbols.Pattern, substring bool) wordList {
	names := p.Names()
	var list wordList
	for i, name := range names {
		list = append(list, wordOf(name, !(substring && i == len(names)-1)))
	}
	return list
}

func wordOf(name string, whole bool) word {
	return word{text: longestRun(name, notIdent), whole: whole}
}

// longestRun returns the longest part without certain characters.
func longestRun(text string, cut func(rune) bool) string {
	longest := ""
	for _, run := range strings.FieldsFunc(text, cut) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

// last is the word of the symbol's own name.
func (l wordList) last() word { return l[len(l)-1] }

func (l wordList) in(text string) bool {
	for _, w := range l {
		if !w.in(text) {
			return false
		}
	}
	return true
}

func (w word) in(text string) bool {
	if !w.whole || w.text == "" {
		return strings.Contains(text, w.text)
	}
	for from := 0; ; {
		i := strings.Index(text[from:], w.text)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(w.text)
		if (start == 0 || notIdent(rune(text[start-1]))) && (end == len(text) || notIdent(rune(text[end]))) {
			return true
		}
		from = start + 1
	}
}

// mayBeIn is in for a text that is no UTF-8: only the names' ASCII characters are looked for, and those only where the encoding, as
// nearly all but UTF-16 do, writes them as they are.
func (l wordList) mayBeIn(text string) bool {
	if utf8.ValidString(text) {
		return l.in(text)
	}
	if strings.Contains(text, "\x00") {
		return true
	}
	for _, w := range l {
		if !strings.Contains(text, longestRun(w.text, func(r rune) bool { return r >= utf8.RuneSelf })) {
			return false
		}
	}
	return true
}
