package pyregex

import "slices"

// The trees made here are for an automaton, which knows neither look-around nor back-references, and in which a word edge means
// Python's \b. They match wherever the pattern does, and perhaps in more places.

// approximation makes a tree for an automaton.
type approximation struct {
	byLine   bool // each line is a text of its own
	exact    bool // the tree matches the same texts as the pattern
	edgeSeen bool
	ascii    bool // the first word edge's alphabet; another one cannot be had besides
}

// approximate returns a tree that matches in every text, or in every line, in which n does. exact says that it matches in no other.
func approximate(n *node, byLine bool) (tree *node, exact bool, asciiWords bool) {
	a := &approximation{byLine: byLine, exact: true}
	tree = a.node(n)
	return tree, a.exact, a.ascii
}

var emptyNode = &node{op: opSeq}

func (a *approximation) node(n *node) *node {
	switch n.op {
	case opLit:
		if a.byLine && n.lit == '\n' {
			return &node{op: opSet, set: &charSet{negative: true, spans: []span{{0, maxRune}}}}
		}
		return n
	case opSet:
		if a.byLine && n.set.has('\n') {
			return &node{op: opSet, set: n.set.without('\n')}
		}
		return n
	case opAssert:
		return a.assert(n)
	case opLook:
		a.exact = false
		return emptyNode
	case opBackref:
		a.exact = false
		rest := &charSet{negative: true}
		if a.byLine {
			rest.spans = []span{{'\n', '\n'}}
		}
		return &node{op: opRepeat, max: maxRepeat, subs: []*node{{op: opSet, set: rest}}}
	case opCond:
		a.exact = false
		return &node{op: opAlt, subs: a.all(n.subs)}
	case opAtomic:
		a.exact = false
		return a.node(n.subs[0])
	case opRepeat:
		if n.mode == possessive {
			a.exact = false
		}
		return &node{op: opRepeat, min: n.min, max: n.max, mode: min(n.mode, lazy), subs: a.all(n.subs)}
	}
	return &node{op: n.op, group: n.group, subs: a.all(n.subs)}
}

func (a *approximation) all(subs []*node) []*node {
	out := make([]*node, len(subs))
	for i, sub := range subs {
		out[i] = a.node(sub)
	}
	return out
}

func (a *approximation) assert(n *node) *node {
	switch n.at {
	case atTextStart:
		if a.byLine {
			return &node{op: opAssert, at: atLineStart}
		}
	case atTextEnd:
		if a.byLine {
			return &node{op: opAssert, at: atLineEnd}
		}
	case atLastLineEnd:
		a.exact = a.exact && a.byLine
		return &node{op: opAssert, at: atLineEnd}
	case atWordEdge, atNoWordEdge:
		if a.edgeSeen && a.ascii != n.ascii {
			a.exact = false
			return emptyNode
		}
		a.edgeSeen, a.ascii = true, n.ascii
	}
	return n
}

// mirror returns the tree that matches the same texts read from their end.
func mirror(n *node) *node {
	out := *n
	switch {
	case n.op == opSeq:
		out.subs = slices.Clone(n.subs)
		slices.Reverse(out.subs)
	case n.op == opAssert && n.at == atTextStart:
		out.at = atTextEnd
	case n.op == opAssert && n.at == atTextEnd:
		out.at = atTextStart
	case n.op == opAssert && n.at == atLineStart:
		out.at = atLineEnd
	case n.op == opAssert && n.at == atLineEnd:
		out.at = atLineStart
	}
	for i, sub := range out.subs {
		if i == 0 && n.op != opSeq {
			out.subs = slices.Clone(out.subs)
		}
		out.subs[i] = mirror(sub)
	}
	return &out
}

// withinLine tells whether a pattern finds the same in a text as in each of its lines alone: nothing in it matches a line break or
// tells the ends of the text from those of a line.
func (n *node) withinLine() bool {
	local := true
	n.each(func(n *node) bool {
		switch n.op {
		case opLit:
			local = local && n.lit != '\n'
		case opSet:
			local = local && !n.set.has('\n')
		case opAssert:
			local = local && n.at != atTextStart && n.at != atTextEnd && n.at != atLastLineEnd
		}
		return local
	})
	return local
}

// has tells whether the set holds a character.
func (s *charSet) has(r rune) bool {
	for _, sp := range s.spans {
		if sp.low <= r && r <= sp.high {
			return !s.negative
		}
	}
	for _, c := range s.cats {
		for _, sp := range c.spans() {
			if sp.low <= r && r <= sp.high {
				return !s.negative
			}
		}
	}
	return s.negative
}

// without returns a set like s that does not hold r.
func (s *charSet) without(r rune) *charSet {
	out := &charSet{cats: s.cats, negative: true, spans: slices.Clone(s.spans)}
	if !s.negative {
		out.cats, out.spans = nil, complement(s.resolve())
	}
	out.spans = append(out.spans, span{r, r})
	return out
}
