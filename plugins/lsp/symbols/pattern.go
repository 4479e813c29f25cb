package symbols

import (
	"errors"
	"strconv"
	"strings"
)

// ErrEmptyPattern reports a pattern without a name.
var ErrEmptyPattern = errors.New("the name path is empty: give a name such as \"method\", \"Type/method\" or \"/Type/method\"")

// component is one part of a name path.
type component struct {
	name     string
	overload int // -1: none
}

func (c component) String() string {
	if c.overload < 0 {
		return c.name
	}
	return c.name + "[" + strconv.Itoa(c.overload) + "]"
}

// Pattern matches name paths: by their last parts, or, when absolute, whole.
type Pattern struct {
	parts     []part
	absolute  bool
	substring bool // of the last part
}

// part is one part of a pattern. A text that ends in "[2]" may be a name as it is or a name with an overload's index.
type part struct {
	text  string
	name  string // without the index
	index int    // -1: none
}

// ParsePattern reads a name path pattern: "/" separates parts and, in front, asks for the whole path; "[i]" behind a
// name asks for one overload. With substring the last part need only be contained in the name.
func ParsePattern(text string, substring bool) (Pattern, error) {
	p := Pattern{absolute: strings.HasPrefix(text, "/"), substring: substring}
	trimmed := strings.Trim(text, "/")
	if strings.TrimSpace(trimmed) == "" {
		return Pattern{}, ErrEmptyPattern
	}
	for _, s := range strings.Split(trimmed, "/") {
		p.parts = append(p.parts, parsePart(s))
	}
	return p, nil
}

func parsePart(text string) part {
	p := part{text: text, name: text, index: -1}
	open := strings.LastIndexByte(text, '[')
	if open <= 0 || !strings.HasSuffix(text, "]") {
		return p
	}
	digits := text[open+1 : len(text)-1]
	if n, err := strconv.ParseUint(digits, 10, 31); err == nil {
		p.name, p.index = text[:open], int(n)
	}
	return p
}

func (p part) matches(c component, substring bool) bool {
	equal := func(pattern string) bool { return pattern == c.name || substring && strings.Contains(c.name, pattern) }
	return equal(p.text) || p.index >= 0 && p.index == c.overload && equal(p.name)
}

// matches reports whether the pattern matches a node's name path.
func (p Pattern) matches(n *Node) bool {
	last := p.parts[len(p.parts)-1]
	if !last.matches(component{n.Name, n.overload}, p.substring) { // most nodes end here
		return false
	}
	path := n.path()
	if len(p.parts) > len(path) || p.absolute && len(p.parts) != len(path) {
		return false
	}
	path = path[len(path)-len(p.parts):]
	for i, part := range p.parts[:len(p.parts)-1] {
		if !part.matches(path[i], false) {
			return false
		}
	}
	return true
}

// whole reports whether the pattern is the node's complete name path.
func (p Pattern) whole(n *Node) bool {
	p.absolute, p.substring = true, false
	return p.matches(n)
}

// LastName is the last part without an overload's index.
func (p Pattern) LastName() string { return p.parts[len(p.parts)-1].name }

// Names returns the parts without overloads' indices. For servers that do not invent names each occurs literally in the file of a
// matching symbol.
func (p Pattern) Names() []string {
	names := make([]string, len(p.parts))
	for i, part := range p.parts {
		names[i] = part.name
	}
	return names
}

// Find returns the matching symbols in document order.
func (t *Tree) Find(p Pattern) []*Node {
	var found []*Node
	for _, n := range t.all {
		if p.matches(n) {
			found = append(found, n)
		}
	}
	return found
}

// Unique returns the symbols that a pattern may mean where only one is wanted: of several, those whose complete name path it is, if
// there are any.
func (t *Tree) Unique(p Pattern) []*Node {
	found := t.Find(p)
	if len(found) < 2 {
		return found
	}
	var whole []*Node
	for _, n := range found {
		if p.whole(n) {
			whole = append(whole, n)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return found
}
