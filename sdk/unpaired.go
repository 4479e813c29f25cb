package sdk

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// checkText refuses JSON whose strings hold what is no text: half of a surrogate pair, or bytes that are no UTF-8. encoding/json would
// read both as U+FFFD, so that a file were written with another text than the caller gave.
func checkText(value []byte) error {
	if !utf8.Valid(value) {
		return fmt.Errorf("holds bytes that are no UTF-8: give text")
	}
	for at := 0; ; {
		next := bytes.IndexByte(value[at:], '\\')
		if next < 0 {
			return nil
		}
		at += next
		unit, ok := escapedUnit(value[at:])
		switch {
		case !ok:
			at += 2 // any other escape, of a backslash for one
		case !utf16.IsSurrogate(unit):
			at += 6
		default:
			low, ok := escapedUnit(value[at+6:])
			if !ok || utf16.DecodeRune(unit, low) == utf8.RuneError {
				return fmt.Errorf(`holds \u%04x, half of a surrogate pair, which no file and no name can hold as text: give the whole character, or leave it out`, unit)
			}
			at += 12
		}
		if at >= len(value) {
			return nil
		}
	}
}

// escapedUnit is the UTF-16 code unit of the \uXXXX that text begins with.
func escapedUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(unit), err == nil
}
