package pyregex

// count reads what follows a quantifier's first character r. A brace that is no quantifier gives ok false and is
// left as a literal.
func (p *parser) count(at int, r rune) (least, most int, ok bool, err error) {
	switch r {
	case '*':
		return 0, maxRepeat, true, nil
	case '+':
		return 1, maxRepeat, true, nil
	case '?':
		return 0, 1, true, nil
	}
	if p.peek() == '}' {
		return 0, 0, false, nil
	}
	start := p.pos
	const digits = "0123456789"
	low := p.take(len(p.src), digits)
	high := low
	if p.accept(',') {
		high = p.take(len(p.src), digits)
	}
	if !p.accept('}') {
		p.pos = start
		return 0, 0, false, nil
	}
	least, most = 0, maxRepeat
	for _, bound := range []struct {
		text string
		into *int
	}{{low, &least}, {high, &most}} {
		if bound.text == "" {
			continue
		}
		value, python := number(bound.text)
		if !python {
			return 0, 0, false, p.fail(at, "the repetition number is too large")
		}
		if value >= maxRepeat {
			return 0, 0, false, p.unsupported(at, "a repetition number above %d; leave the upper bound out", maxRepeat-1)
		}
		*bound.into = int(value)
	}
	if most < least {
		return 0, 0, false, p.fail(at, "min repeat greater than max repeat")
	}
	return least, most, true, nil
}

// number reads a decimal number; ok is false from 2³²-1 on, where Python gives up.
func number(text string) (value int64, ok bool) {
	for _, r := range text {
		if value = value*10 + int64(r-'0'); value >= 1<<32-1 {
			return 0, false
		}
	}
	return value, true
}

// repeat puts a quantifier on the last node of seq.
func (p *parser) repeat(seq *node, at, least, most int) error {
	last := len(seq.subs) - 1
	if last < 0 || seq.subs[last].op == opAssert {
		return p.fail(at, "nothing to repeat")
	}
	if seq.subs[last].op == opRepeat {
		return p.fail(at, "multiple repeat")
	}
	n := &node{op: opRepeat, subs: []*node{seq.subs[last]}, min: least, max: most, pos: at}
	if p.accept('?') {
		n.mode = lazy
	} else if p.accept('+') {
		n.mode = possessive
	}
	seq.subs[last] = n
	return nil
}
