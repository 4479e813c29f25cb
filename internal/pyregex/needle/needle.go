// Package needle finds short texts in large ones, where each place of the text may have a few bytes to choose from, as in
// a word in any case. It looks for the byte that is rarest in source code and compares around it.
package needle

import (
	"slices"
	"strings"
)

// Set is the bytes that one place may have.
type Set []byte

// Needle is a text to find. It is safe for concurrent use.
type Needle struct {
	text  string // if every place has one byte
	sets  []Set
	rare  int  // the place that is looked for
	a, b  byte // its bytes; equal if it has one
	often float64
}

// New makes a needle; false if there is nothing in it that can be looked for.
func New(sets []Set) (Needle, bool) {
	n := Needle{sets: sets, rare: -1, often: 1}
	plain := make([]byte, len(sets))
	single := true
	least := 2.0
	for i, s := range sets {
		f := 0.0
		for _, b := range s {
			f += float64(frequency[b])
		}
		n.often *= f
		plain[i] = s[0]
		single = single && len(s) == 1
		if len(s) <= 2 && f < least {
			least, n.rare = f, i
			n.a, n.b = s[0], s[len(s)-1]
		}
	}
	if single {
		n.text = string(plain)
	}
	return n, n.rare >= 0
}

// Frequency estimates the share of places in source code at which the needle is found.
func (n *Needle) Frequency() float64 { return n.often }

// Len returns the needle's length in bytes.
func (n *Needle) Len() int { return len(n.sets) }

// Holds tells whether a place of the needle may have a byte.
func (n *Needle) Holds(b byte) bool {
	return slices.ContainsFunc(n.sets, func(s Set) bool { return slices.Contains(s, b) })
}

// Index returns the first place at or after from at which the needle is, or -1.
func (n *Needle) Index(text string, from int) int {
	if n.a != n.b {
		return n.indexEither(text, from)
	}
	for at := from + n.rare; at < len(text); at++ {
		i := strings.IndexByte(text[at:], n.a)
		if i < 0 {
			return -1
		}
		if at += i; n.at(text, at-n.rare) {
			return at - n.rare
		}
	}
	return -1
}

// indexEither looks for two bytes at once, by turns.
func (n *Needle) indexEither(text string, from int) int {
	a, b := -1, -1
	for at := from + n.rare; at < len(text); at++ {
		if a < at {
			a = nextByte(text, n.a, at)
		}
		if b < at {
			b = nextByte(text, n.b, at)
		}
		if at = min(a, b); at < len(text) && n.at(text, at-n.rare) {
			return at - n.rare
		}
	}
	return -1
}

func nextByte(text string, c byte, at int) int {
	if i := strings.IndexByte(text[at:], c); i >= 0 {
		return at + i
	}
	return len(text)
}

// at tells whether the needle is at a place, which is not beyond the text.
func (n *Needle) at(text string, place int) bool {
	if len(text)-place < len(n.sets) {
		return false
	}
	if n.text != "" {
		return text[place:place+len(n.text)] == n.text
	}
	for i, set := range n.sets {
		c := text[place+i]
		if c != set[0] && strings.IndexByte(string(set), c) < 0 {
			return false
		}
	}
	return true
}

// Cursor finds any of several needles in one text, from left to right.
type Cursor struct {
	needles []Needle
	text    string
	next    []int // where each needle is next; len(text) if nowhere
}

// Reset starts the search of a text.
func (c *Cursor) Reset(needles []Needle, text string) {
	c.needles, c.text = needles, text
	c.next = c.next[:0]
	for range needles {
		c.next = append(c.next, -1)
	}
}

// Next returns the first place at or after from at which a needle is, and its length; -1 if there is none. from never goes back.
func (c *Cursor) Next(from int) (place, length int) {
	place = len(c.text)
	for i := range c.needles {
		if c.next[i] < from {
			if c.next[i] = c.needles[i].Index(c.text, from); c.next[i] < 0 {
				c.next[i] = len(c.text)
			}
		}
		if c.next[i] < place {
			place, length = c.next[i], c.needles[i].Len()
		}
	}
	if place == len(c.text) {
		return -1, 0
	}
	return place, length
}
