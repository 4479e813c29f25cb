package pyregex

// maxRepeat stands for "without limit". Python's own limit is 2³²-1, regexp2's is 2³¹-1.
const maxRepeat = 1<<31 - 1

type op int

const (
	opSeq     op = iota // all subs, one after the other; none is the empty match
	opAlt               // one of subs, the first that leads to a match
	opLit               // the character lit, exactly
	opSet               // one character of set
	opAssert            // the place described by at
	opRepeat            // subs[0], min to max times
	opGroup             // subs[0], captured as group
	opAtomic            // subs[0], never entered again
	opLook              // subs[0] as a look-around
	opBackref           // the text of group
	opCond              // subs[0] if group took part, else subs[1]
)

type place int

const (
	atTextStart   place = iota // \A, and ^ without MULTILINE
	atLineStart                // ^ with MULTILINE
	atTextEnd                  // \Z
	atLastLineEnd              // $ without MULTILINE
	atLineEnd                  // $ with MULTILINE
	atWordEdge                 // \b
	atNoWordEdge               // \B
)

type mode int

const (
	greedy mode = iota
	lazy
	possessive
)

// node is one part of a parsed pattern. Only the fields that its op names are set.
type node struct {
	op         op
	subs       []*node
	lit        rune
	set        *charSet
	at         place
	ascii      bool // of an opAssert: words are ASCII
	min, max   int
	mode       mode
	group      int
	behind     bool // of an opLook
	negative   bool // of an opLook
	ignoreCase bool // of an opBackref
	pos        int  // of an opRepeat: where the quantifier stands in the pattern
}

// width returns the least and the greatest number of characters that a node matches, by Python's rules; they decide
// which look-behinds are legal. groups holds the nodes of the capturing groups by number.
func (n *node) width(groups []*node) (least, most int) {
	switch n.op {
	case opLit, opSet:
		return 1, 1
	case opSeq, opGroup, opAtomic:
		for _, sub := range n.subs {
			l, m := sub.width(groups)
			least, most = capped(least+l), capped(most+m)
		}
	case opAlt, opCond:
		least = maxRepeat
		for _, sub := range n.subs {
			l, m := sub.width(groups)
			least, most = min(least, l), max(most, m)
		}
	case opRepeat:
		l, m := n.subs[0].width(groups)
		return capped(l * n.min), capped(m * n.max)
	case opBackref:
		return groups[n.group].width(groups)
	}
	return least, most
}

func capped(n int) int { return min(n, maxRepeat) }

// linear tells whether Go's regexp finds the same matches and groups as a backtracking engine: it has only parts
// that regexp knows, and no loop over something that can be empty, where engines differ in what the last round is.
func (n *node) linear(ascii bool) bool {
	switch n.op {
	case opLit, opSet, opSeq, opAlt, opGroup:
	case opAssert:
		switch n.at {
		case atLastLineEnd, atNoWordEdge:
			return false
		case atWordEdge:
			return ascii || n.ascii
		}
		return true
	case opRepeat:
	default:
		return false
	}
	for _, sub := range n.subs {
		if !sub.linear(ascii) {
			return false
		}
	}
	if n.op == opRepeat {
		least, _ := n.subs[0].width(nil) // no back-reference below, so no groups are needed
		return least > 0 && n.mode != possessive
	}
	return true
}

// orderly tells whether all engines agree which match is preferred: no loop is over something that can be empty.
func (n *node) orderly() bool {
	ok := true
	n.each(func(n *node) bool {
		if n.op == opRepeat {
			least, _ := n.subs[0].width(nil)
			ok = ok && least > 0
		}
		return ok
	})
	return ok
}

// size estimates the instructions that a linear node compiles to; Go's regexp needs time for each of them at each character.
func (n *node) size() int {
	total := 1
	for _, sub := range n.subs {
		total += sub.size()
	}
	if n.op == opRepeat {
		times := n.max
		if times == maxRepeat {
			times = n.min + 1
		}
		total *= max(times, 1)
	}
	return capped(total)
}

// literal returns the text that a node matches, if it is nothing but text.
func (n *node) literal() (string, bool) {
	switch n.op {
	case opLit:
		return string(n.lit), true
	case opSeq:
		text := ""
		for _, sub := range n.subs {
			part, ok := sub.literal()
			if !ok {
				return "", false
			}
			text += part
		}
		return text, true
	}
	return "", false
}
