package shell

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// keptBytes is how much of a stream is kept at its head, and again at its tail. All of it has to fit into one message, with each byte
// written as JSON in up to six.
const keptBytes = 2 << 20

// capture reads everything and keeps the head and the tail, in bounded memory.
type capture struct {
	kept int // at each end

	mu    sync.Mutex // guards the fields below: a process that cannot be killed may write when the answer is made
	head  []byte
	tail  []byte // the last kept bytes after the head, and up to as many before them
	total int64
}

func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(p)
	c.total += int64(n)
	room := min(n, c.kept-len(c.head))
	c.head = append(c.head, p[:room]...)
	p = p[room:]
	if len(p) > c.kept {
		p = p[len(p)-c.kept:]
	}
	if len(c.tail)+len(p) > 2*c.kept {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.kept:]...)
	}
	c.tail = append(c.tail, p...)
	return n, nil
}

// text is what came, as UTF-8; a middle that was not kept is told of.
func (c *capture) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	tail := c.tail[max(0, len(c.tail)-c.kept):]
	if missing := c.total - int64(len(c.head)+len(tail)); missing > 0 {
		head := c.head[:wholeRunes(c.head)]
		for range utf8.UTFMax - 1 { // the rest of a character that began in the middle
			if len(tail) > 0 && !utf8.RuneStart(tail[0]) {
				tail = tail[1:]
			}
		}
		return valid(head) + fmt.Sprintf("\n[… about %d of %d bytes left out …]\n", missing, c.total) + valid(tail)
	}
	return valid(append(c.head[:len(c.head):len(c.head)], tail...))
}

// wholeRunes is the length of b without a character at its end that is not complete.
func wholeRunes(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }
