// Package quoted shows what others wrote, such as names in a configuration, within a message: quoted, and cut where it is long.
package quoted

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// longest is how many characters are shown of a text.
const longest = 80

// Short quotes a text. Of one with more than 80 characters the beginning is shown, and how many there are.
func Short(text string) string {
	if n := utf8.RuneCountInString(text); n > longest {
		end := 0
		for range longest {
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		return fmt.Sprintf("%q… (%d characters)", text[:end], n)
	}
	return fmt.Sprintf("%q", text)
}

// List is what texts have in common to be told of once: the first few, separated by commas, and how many more there are.
func List(texts []string) string {
	const most = 10
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}
