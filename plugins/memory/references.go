package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/replace"
)

// referenceEdits rewrites the references to a memory in a text: "mem:" and exactly its name, where no longer one of the names
// could be meant.
func referenceEdits(text, old, renamed string, names []string) []replace.Edit {
	var edits []replace.Edit
	for at := 0; ; {
		i := strings.Index(text[at:], refPrefix)
		if i < 0 {
			return edits
		}
		start := at + i + len(refPrefix)
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		if !inReference(before) && referred(text[start:], old, names) {
			edits = append(edits, replace.Edit{Start: start, End: start + len(old), Text: renamed})
		}
		at = start
	}
}

// referred tells whether a text begins with a name, as a whole and with none of the others that is longer.
func referred(text, name string, names []string) bool {
	if !beginsWith(text, name) {
		return false
	}
	for _, other := range names {
		if len(other) > len(name) && beginsWith(text, other) {
			return false
		}
	}
	return true
}

// beginsWith tells whether a text begins with a name that does not go on.
func beginsWith(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	if !ok {
		return false
	}
	next, size := utf8.DecodeRuneInString(rest)
	if size == 0 || inReference(next) {
		return size == 0
	}
	last, _ := utf8.DecodeLastRuneInString(name)
	return inReference(last) || !unicode.IsLetter(next) && !unicode.IsDigit(next) // a name in other letters goes on with them
}

// inReference tells whether a character is one of those that references are made of.
func inReference(r rune) bool {
	return r == '_' || r == '-' || r == '/' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}
