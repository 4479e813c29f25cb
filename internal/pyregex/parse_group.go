package pyregex

import (
	"strings"
	"unicode"
)

// group reads what follows "(". It returns nil for a comment and for flags of the whole pattern.
func (p *parser) group(at int, flags Flags, first bool) (*node, error) {
	if !p.accept('?') {
		return p.capture(at, "", flags)
	}
	switch r := p.next(); r {
	case -1:
		return nil, p.fail(p.pos, "unexpected end of pattern")
	case 'P':
		return p.named(at, flags)
	case ':':
		return p.body(at, flags)
	case '#':
		for {
			switch p.next() {
			case -1:
				return nil, p.fail(at, "missing ), unterminated comment")
			case ')':
				return nil, nil
			}
		}
	case '=', '!':
		return p.look(at, flags, false, r == '!')
	case '<':
		switch d := p.next(); d {
		case '=', '!':
			return p.look(at, flags, true, d == '!')
		case -1:
			return nil, p.fail(p.pos, "unexpected end of pattern")
		default:
			return nil, p.fail(at+1, "unknown extension ?<%c: a named group is written (?P<name>...)", d)
		}
	case '(':
		return p.condition(at, flags)
	case '>':
		body, err := p.body(at, flags)
		if err != nil {
			return nil, err
		}
		return &node{op: opAtomic, subs: []*node{body}}, nil
	default:
		if strings.ContainsRune("aiLmsux-", r) {
			p.pos--
			return p.inlineFlags(at, flags, first)
		}
		return nil, p.fail(at+1, "unknown extension ?%c", r)
	}
}

// body reads a group's alternatives and its ")".
func (p *parser) body(at int, flags Flags) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.unsupported(at, "groups are nested more than %d deep", maxDepth)
	}
	body, err := p.alternatives(flags, false)
	if err != nil {
		return nil, err
	}
	if !p.accept(')') {
		return nil, p.fail(at, "missing ), unterminated subpattern")
	}
	p.depth--
	// A sequence of its own: a quantifier that follows belongs to all of it.
	return &node{op: opSeq, subs: []*node{body}}, nil
}

func (p *parser) capture(at int, name string, flags Flags) (*node, error) {
	number := len(p.groups)
	if name != "" {
		if earlier, ok := p.names[name]; ok {
			return nil, p.fail(at+4, "redefinition of group name %q as group %d; was group %d", name, number, earlier)
		}
		p.names[name] = number
	}
	p.groups = append(p.groups, nil)
	p.groupNames = append(p.groupNames, name)
	body, err := p.body(at, flags)
	if err != nil {
		return nil, err
	}
	p.groups[number] = body
	return &node{op: opGroup, group: number, subs: []*node{body}}, nil
}

// named reads what follows "(?P".
func (p *parser) named(at int, flags Flags) (*node, error) {
	switch r := p.next(); r {
	case '<':
		name, err := p.until('>', "group name")
		if err != nil {
			return nil, err
		}
		if !isIdentifier(name) {
			return nil, p.fail(at+4, "bad character in group name %q", name)
		}
		return p.capture(at, name, flags)
	case '=':
		name, err := p.until(')', "group name")
		if err != nil {
			return nil, err
		}
		if !isIdentifier(name) {
			return nil, p.fail(at+4, "bad character in group name %q", name)
		}
		number, ok := p.names[name]
		if !ok {
			return nil, p.fail(at+4, "unknown group name %q", name)
		}
		return p.backref(at+4, number, flags)
	case -1:
		return nil, p.fail(p.pos, "unexpected end of pattern")
	default:
		return nil, p.fail(at+1, "unknown extension ?P%c", r)
	}
}

func (p *parser) backref(at, number int, flags Flags) (*node, error) {
	if number >= len(p.groups) {
		return nil, p.fail(at, "invalid group reference %d", number)
	}
	if p.groups[number] == nil {
		return nil, p.fail(at, "cannot refer to an open group")
	}
	if p.behindFrom >= 0 && number >= p.behindFrom {
		return nil, p.fail(at, "cannot refer to group defined in the same lookbehind subpattern")
	}
	return &node{op: opBackref, group: number, ignoreCase: flags&IgnoreCase != 0}, nil
}

func (p *parser) look(at int, flags Flags, behind, negative bool) (*node, error) {
	outermost := behind && p.behindFrom < 0
	if outermost {
		p.behindFrom = len(p.groups)
	}
	body, err := p.body(at, flags)
	if err != nil {
		return nil, err
	}
	if outermost {
		p.behindFrom = -1
	}
	if behind {
		if least, most := body.width(p.groups); least != most {
			return nil, p.fail(at, "look-behind requires fixed-width pattern")
		}
	}
	return &node{op: opLook, subs: []*node{body}, behind: behind, negative: negative}, nil
}

// condition reads what follows "(?(".
func (p *parser) condition(at int, flags Flags) (*node, error) {
	start := p.pos
	name, err := p.until(')', "group name")
	if err != nil {
		return nil, err
	}
	number, known := p.names[name]
	if !isIdentifier(name) {
		value, ok := int64(0), strings.Trim(name, "0123456789") == ""
		if ok {
			value, ok = numberOrZero(name)
		}
		switch {
		case !ok:
			return nil, p.fail(start, "bad character in group name %q", name)
		case value == 0:
			return nil, p.fail(start, "bad group number")
		case value > 1<<30:
			return nil, p.fail(start, "invalid group reference %s", name)
		}
		number, known = int(value), true
		if _, ok := p.laterRefs[number]; !ok {
			p.laterRefs[number] = start
		}
	}
	if !known {
		return nil, p.fail(start, "unknown group name %q", name)
	}
	open := number < len(p.groups) && p.groups[number] == nil
	if p.behindFrom >= 0 && (open || number >= p.behindFrom) {
		return nil, p.fail(start, "cannot refer to a group that is open or defined in the same lookbehind subpattern")
	}
	if open {
		return nil, p.unsupported(start, "a condition on a group that is still open")
	}
	if p.depth++; p.depth > maxDepth {
		return nil, p.unsupported(at, "groups are nested more than %d deep", maxDepth)
	}
	yes, err := p.sequence(flags, false)
	if err != nil {
		return nil, err
	}
	no := &node{op: opSeq}
	if p.accept('|') {
		if no, err = p.sequence(flags, false); err != nil {
			return nil, err
		}
		if p.peek() == '|' {
			return nil, p.fail(p.pos, "conditional backref with more than two branches")
		}
	}
	if !p.accept(')') {
		return nil, p.fail(at, "missing ), unterminated subpattern")
	}
	p.depth--
	return &node{op: opCond, group: number, subs: []*node{yes, no}}, nil
}

func numberOrZero(text string) (int64, bool) {
	value, ok := number(text)
	if !ok {
		return 1 << 40, true // beyond any group
	}
	return value, true
}

// inlineFlags reads flags and what follows them, from the first flag on.
func (p *parser) inlineFlags(at int, flags Flags, first bool) (*node, error) {
	on, ended, err := p.flagLetters("-:)")
	if err != nil {
		return nil, err
	}
	if ended == ')' {
		if !first {
			return nil, p.fail(at, "global flags not at the start of the expression")
		}
		if on&ASCII != 0 && (p.flags|on)&unicodeOn != 0 || on&unicodeOn != 0 && p.flags&ASCII != 0 {
			return nil, p.fail(at, "ASCII and UNICODE flags are incompatible")
		}
		if on&Verbose != 0 && p.flags&Verbose == 0 {
			return nil, errVerbose
		}
		p.flags |= on
		return nil, nil
	}
	var off Flags
	if ended == '-' {
		if off, _, err = p.flagLetters(":"); err != nil {
			return nil, err
		}
		switch {
		case off == 0:
			return nil, p.fail(p.pos-1, "missing flag")
		case off&(ASCII|unicodeOn) != 0:
			return nil, p.fail(p.pos-1, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
		case off&on != 0:
			return nil, p.fail(p.pos-1, "bad inline flags: flag turned on and off")
		}
	}
	if on&unicodeOn != 0 && flags&ASCII != 0 {
		return nil, p.unsupported(at, "(?u:...) under the ASCII flag, which Python itself searches for wrongly; use (?a:...) around the other parts instead")
	}
	if on&(ASCII|unicodeOn) != 0 {
		flags &^= ASCII | unicodeOn
	}
	return p.body(at, (flags|on)&^off)
}

// flagLetters reads flags up to one of the end characters, which it takes and returns.
func (p *parser) flagLetters(ends string) (Flags, rune, error) {
	var all Flags
	for {
		r := p.next()
		switch {
		case r < 0:
			return 0, 0, p.fail(p.pos, "missing -, : or )")
		case strings.ContainsRune(ends, r):
			return all, r, nil
		case r == 'L':
			return 0, 0, p.fail(p.pos-1, "bad inline flags: cannot use 'L' flag with a str pattern")
		}
		flag, ok := map[rune]Flags{'i': IgnoreCase, 'm': Multiline, 's': DotAll, 'x': Verbose, 'a': ASCII, 'u': unicodeOn}[r]
		if !ok {
			return 0, 0, p.fail(p.pos-1, "unknown flag %q, or a missing : or )", r)
		}
		if all |= flag; all&ASCII != 0 && all&unicodeOn != 0 {
			return 0, 0, p.fail(p.pos-1, "bad inline flags: flags 'a', 'u' and 'L' are incompatible")
		}
	}
}

// isIdentifier is Python's str.isidentifier, but for the characters that only its normalisation admits.
func isIdentifier(name string) bool {
	for i, r := range name {
		start := r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r)
		more := unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
		if !start && (i == 0 || !more) {
			return false
		}
	}
	return name != ""
}
