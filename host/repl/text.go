package repl

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// headTail keeps the beginning and the end of a text, up to limit bytes of each, and counts what lies between. The zero value
// keeps nothing; it is not safe for concurrent use.
type headTail struct {
	limit      int
	head, tail []byte
	cut        int // bytes that were dropped between the two
	chars      int // characters of the whole text
}

func (t *headTail) add(text string) {
	t.chars += utf8.RuneCountInString(text)
	if room := t.limit - len(t.head); room > 0 && len(t.tail) == 0 && t.cut == 0 {
		n := min(room, len(text))
		t.head = append(t.head, text[:n]...)
		text = text[n:]
	}
	t.tail = append(t.tail, text...)
	if len(t.tail) > 2*t.limit { // trimmed seldom, so that many small pieces stay cheap
		t.trim()
	}
}

func (t *headTail) trim() {
	if over := len(t.tail) - t.limit; over > 0 {
		t.cut += over
		t.tail = append(t.tail[:0], t.tail[over:]...)
	}
}

// text is what was kept, with a note in the place of what was not.
func (t *headTail) text() string {
	t.trim()
	if t.cut == 0 {
		return string(t.head) + string(t.tail)
	}
	head, tail := t.head, t.tail
	for len(head) > 0 && !endsWhole(head) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	dropped := t.cut + len(t.head) - len(head) + len(t.tail) - len(tail)
	return fmt.Sprintf("%s\n[… %d bytes of output were dropped here …]\n%s", head, dropped, tail)
}

// Shorten keeps the beginning and the end of a text that has more than limit characters, and tells in a line between them how many of
// how many are missing. total is the number of characters there were before text was shortened elsewhere, 0 when it was not; hint, when it
// is not empty, says where the rest is.
func Shorten(text string, limit, total int, hint string) string {
	if len(text) <= limit && total <= limit {
		return text
	}
	have := utf8.RuneCountInString(text)
	if total = max(total, have); total <= limit || have <= limit {
		return text
	}
	head := afterRunes(text, limit-limit/2)
	tail := afterRunes(text, have-limit/2)
	if hint != "" {
		hint = "; " + hint
	}
	return fmt.Sprintf("%s\n[… %d of %d characters are left out here%s …]\n%s", text[:head], total-limit, total, hint, text[tail:])
}

// afterRunes is the index in text behind its first n characters.
func afterRunes(text string, n int) int {
	for i := range text {
		if n == 0 {
			return i
		}
		n--
	}
	return len(text)
}

// endsWhole reports whether the last character of b is complete.
func endsWhole(b []byte) bool {
	r, size := utf8.DecodeLastRune(b)
	return r != utf8.RuneError || size > 1
}

// tail keeps the last stderrTail bytes that are written to it. It may be written and read at the same time.
type tail struct {
	mu   sync.Mutex
	text headTail
}

// stderrTail is what is quoted at most of a process that failed, in bytes.
const stderrTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.limit = stderrTail
	t.text.tail = append(t.text.tail, p...)
	t.text.trim()
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text.tail)
}
