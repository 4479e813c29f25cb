package main

import (
	"fmt"
	"strings"
	"unicode"
)

// oneLine is text of others as it can stand in one line on a terminal: control characters, which could forge lines or steer the terminal, and
// bytes that are no UTF-8 are written as escapes.
func oneLine(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == unicode.ReplacementChar && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// eachLine is oneLine for each line of a text.
func eachLine(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = oneLine(line)
	}
	return strings.Join(lines, "\n")
}
