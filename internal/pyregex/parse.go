package pyregex

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Flags change a pattern's meaning as Python's flags of the same names do.
type Flags uint8

const (
	IgnoreCase Flags = 1 << iota // (?i)
	Multiline                    // (?m): ^ and $ also at line breaks
	DotAll                       // (?s): . is any character
	Verbose                      // (?x): white space and # comments are ignored
	ASCII                        // (?a): \w, \d, \s, \b and case are ASCII
	unicodeOn                    // (?u), the default; kept to find contradictions
)

// maxDepth bounds nested groups; Python itself stops at about 250.
const maxDepth = 200

// errVerbose says that (?x) was found at the start: the pattern has to be read again with it.
var errVerbose = errors.New("verbose flag found")

type parser struct {
	pattern string
	src     []rune
	pos     int
	flags   Flags // of the whole pattern
	depth   int

	groups     []*node        // by number; nil until closed; 0 is unused
	names      map[string]int // group name → number
	groupNames []string       // by number
	laterRefs  map[int]int    // group number used in a condition → place of its first use
	behindFrom int            // number of groups when the outermost open look-behind began; -1 outside
}

// parse reads a whole pattern.
func parse(pattern string, flags Flags) (*parser, *node, error) {
	if !utf8.ValidString(pattern) {
		return nil, nil, &SyntaxError{Pattern: pattern, Msg: "the pattern is not valid UTF-8"}
	}
	for {
		p := &parser{
			pattern: pattern, src: []rune(pattern), flags: flags, groups: []*node{nil}, names: map[string]int{},
			groupNames: []string{""}, laterRefs: map[int]int{}, behindFrom: -1,
		}
		tree, err := p.alternatives(p.flags, true)
		if errors.Is(err, errVerbose) {
			flags |= Verbose
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if p.pos < len(p.src) {
			return nil, nil, p.fail(p.pos, "unbalanced parenthesis")
		}
		for group, at := range p.laterRefs {
			if group >= len(p.groups) {
				return nil, nil, p.fail(at, "invalid group reference %d", group)
			}
		}
		if err := p.exact(tree); err != nil {
			return nil, nil, err
		}
		return p, tree, nil
	}
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{Pattern: p.pattern, Pos: min(max(at, 0), len(p.src)), Msg: fmt.Sprintf(format, args...)}
}

func (p *parser) unsupported(at int, format string, args ...any) error {
	return &SyntaxError{Pattern: p.pattern, Pos: at, Msg: fmt.Sprintf(format, args...), Unsupported: true}
}

// peek returns the next character, or -1 at the end.
func (p *parser) peek() rune {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return -1
}

func (p *parser) next() rune {
	r := p.peek()
	if r >= 0 {
		p.pos++
	}
	return r
}

func (p *parser) accept(r rune) bool {
	if p.peek() != r {
		return false
	}
	p.pos++
	return true
}

// take returns up to most characters that are all in chars.
func (p *parser) take(most int, chars string) string {
	start := p.pos
	for p.pos < len(p.src) && p.pos-start < most && strings.ContainsRune(chars, p.src[p.pos]) {
		p.pos++
	}
	return string(p.src[start:p.pos])
}

// until returns the text before the next end character, which it takes too.
func (p *parser) until(end rune, what string) (string, error) {
	start := p.pos
	for p.pos < len(p.src) {
		if p.src[p.pos] == end {
			text := string(p.src[start:p.pos])
			if p.pos++; text == "" {
				return "", p.fail(start, "missing %s", what)
			}
			return text, nil
		}
		p.pos++
	}
	if start == len(p.src) {
		return "", p.fail(start, "missing %s", what)
	}
	return "", p.fail(start, "missing %c, unterminated name", end)
}

// alternatives reads up to the end or to the ")" that closes the group. whole is true for the pattern as a whole.
func (p *parser) alternatives(flags Flags, whole bool) (*node, error) {
	alt := &node{op: opAlt}
	for {
		seq, err := p.sequence(flags, whole && len(alt.subs) == 0)
		if err != nil {
			return nil, err
		}
		if whole {
			flags = p.flags // (?i) and the like at the start hold for all that follows
		}
		alt.subs = append(alt.subs, seq)
		if !p.accept('|') {
			break
		}
	}
	if len(alt.subs) == 1 {
		return alt.subs[0], nil
	}
	return alt, nil
}

// sequence reads one alternative. first is true where flags for the whole pattern may stand.
func (p *parser) sequence(flags Flags, first bool) (*node, error) {
	seq := &node{op: opSeq}
	for {
		at := p.pos
		r := p.peek()
		if r < 0 || r == '|' || r == ')' {
			return seq, nil
		}
		p.pos++
		if flags&Verbose != 0 {
			if strings.ContainsRune(" \t\n\r\v\f", r) {
				continue
			}
			if r == '#' {
				for r := p.next(); r >= 0 && r != '\n'; r = p.next() {
				}
				continue
			}
		}
		var (
			n   *node
			err error
		)
		switch r {
		case '\\':
			n, err = p.escape(at, flags)
		case '[':
			n, err = p.class(at, flags)
		case '.':
			n = &node{op: opSet, set: &charSet{negative: true}}
			if flags&DotAll == 0 {
				n.set.spans = []span{{'\n', '\n'}}
			}
		case '^':
			n = &node{op: opAssert, at: atTextStart}
			if flags&Multiline != 0 {
				n.at = atLineStart
			}
		case '$':
			n = &node{op: opAssert, at: atLastLineEnd}
			if flags&Multiline != 0 {
				n.at = atLineEnd
			}
		case '(':
			n, err = p.group(at, flags, first && len(seq.subs) == 0)
			if n == nil && err == nil { // a comment, or flags
				if first {
					flags = p.flags
				}
				continue
			}
		case '*', '+', '?', '{':
			least, most, ok, failure := p.count(at, r)
			if failure != nil {
				return nil, failure
			}
			if ok {
				if err := p.repeat(seq, at, least, most); err != nil {
					return nil, err
				}
				continue
			}
			n = p.literal('{', flags)
		default:
			n = p.literal(r, flags)
		}
		if err != nil {
			return nil, err
		}
		seq.subs = append(seq.subs, n)
	}
}

func (p *parser) literal(r rune, flags Flags) *node {
	if flags&IgnoreCase != 0 {
		if all := variants(r, flags&ASCII != 0); len(all) > 1 {
			set := &charSet{}
			for _, v := range all {
				set.spans = append(set.spans, span{v, v})
			}
			set.spans = merge(set.spans)
			return &node{op: opSet, set: set}
		}
	}
	return &node{op: opLit, lit: r}
}
