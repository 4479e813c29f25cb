package fs

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

const (
	// maxValueBytes bounds the JSON of a result. With the longest rendering it stays below what the wire carries.
	maxValueBytes = 40 << 20
	// maxRendered bounds a rendering in characters, whatever was asked for: four bytes each at most.
	maxRendered = 4_000_000
	// usualAnswerChars bounds the rendering of a method that has no parameter for it: what the limit is unless configured.
	usualAnswerChars = 150_000
)

func checkLimit(limit sdk.AnswerLimit) error {
	if limit <= 0 {
		return sdk.Errorf(sdk.KindValue, "max_answer_chars must be positive, or -1 for the configured limit, not %d", limit)
	}
	return nil
}

// answerLimit is the most characters that a rendering may have.
func answerLimit(policy sdk.Policy) int {
	return min(policy.Int("max_answer_chars", maxRendered), maxRendered)
}

// tooLong is the notice that stands for an answer, or in front of its shortened form.
func tooLong(text string, limit int) string {
	return tooMany(utf8.RuneCountInString(text), limit)
}

// tooMany is tooLong of an answer of which only the number of characters is known.
func tooMany(characters, limit int) string {
	return fmt.Sprintf("The answer is too long (%d characters, the limit is %d).", characters, limit)
}

// within tells whether a text has no more characters than a limit.
func within(text string, limit int) bool {
	return len(text) <= limit || utf8.RuneCountInString(text) <= limit
}

// jsonSize estimates the bytes that a string takes in a result's JSON, never too low.
func jsonSize(s string) int {
	size := len(s) + 3
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0x7f:
			size += 5
		case c == '"' || c == '\\':
			size++
		case c >= utf8.RuneSelf: // may be no UTF-8, or one of the separators that are escaped
			size += 2
		}
	}
	return size
}

// quote writes a string as JSON that a model reads: nothing is escaped but what must be.
func quote(out *strings.Builder, s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // one replacement character a byte, as in the result's JSON
	}
	out.WriteByte('"')
	plain := 0 // start of what is written as it is
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out.WriteString(s[plain:i])
		plain = i + 1
		switch c {
		case '"', '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case '\n':
			out.WriteString(`\n`)
		case '\t':
			out.WriteString(`\t`)
		case '\r':
			out.WriteString(`\r`)
		default:
			fmt.Fprintf(out, `\u%04x`, c)
		}
	}
	out.WriteString(s[plain:])
	out.WriteByte('"')
}

// quoteList writes a JSON list of strings.
func quoteList(out *strings.Builder, list []string) {
	out.WriteByte('[')
	for i, s := range list {
		if i > 0 {
			out.WriteString(", ")
		}
		quote(out, s)
	}
	out.WriteByte(']')
}

// quoteNotes adds what is to be said of an answer to a JSON object.
func quoteNotes(out *strings.Builder, notes []string) {
	if len(notes) > 0 {
		out.WriteString(`, "notes": `)
		quoteList(out, notes)
	}
}

// withNotes adds what is to be said of an answer.
func withNotes(text string, notes []string) string {
	for _, n := range notes {
		text += "\nnote: " + n
	}
	return text
}
