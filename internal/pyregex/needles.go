package pyregex

import (
	"unicode"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/pyregex/needle"
)

const maxRune = unicode.MaxRune

const (
	mostNeedles  = 8  // that are looked for at once; an automaton is faster than more
	longNeedle   = 64 // bytes
	mostVariants = 4  // characters that can stand in one place of a needle
	mostRepeated = 8  // times that a repetition is written out
)

// required finds texts of which each match holds at least one; none if none would help. alone says that each of them is a match
// by itself.
func required(tree *node) (all []needle.Needle, alone bool) {
	if all, ok := choice(tree, nil); ok && len(all) > 0 && len(all) <= mostNeedles && !hasAsserts(tree) {
		return all, true
	}
	f := &requirement{}
	seq, _ := f.node(tree)
	f.flush(seq)
	if len(f.best) == 0 || f.cost > worstCost {
		return nil, false
	}
	return f.best, false
}

// worstCost is the share of a text's places that may look like a needle.
const worstCost = 0.02

// choice appends the texts that a tree matches, if it is a choice of texts and nothing else.
func choice(n *node, all []needle.Needle) ([]needle.Needle, bool) {
	switch {
	case n.op == opAlt:
		ok := true
		for _, sub := range n.subs {
			if all, ok = choice(sub, all); !ok {
				return nil, false
			}
		}
		return all, true
	case n.op == opGroup || n.op == opSeq && len(n.subs) == 1:
		return choice(n.subs[0], all)
	}
	seq, whole := (&requirement{}).node(n)
	text, ok := needle.New(seq)
	return append(all, text), whole && ok
}

func hasAsserts(tree *node) bool {
	found := false
	tree.each(func(n *node) bool {
		found = found || n.op == opAssert || n.op == opLook
		return !found
	})
	return found
}

// requirement collects the best choice of texts found so far.
type requirement struct {
	best []needle.Needle
	cost float64
}

func (f *requirement) offer(all []needle.Needle) {
	cost := 0.0
	for _, n := range all {
		cost += n.Frequency()
	}
	if len(all) > 0 && len(all) <= mostNeedles && (f.best == nil || cost < f.cost) {
		f.best, f.cost = all, cost
	}
}

func (f *requirement) flush(seq []needle.Set) {
	if n, ok := needle.New(seq); ok {
		f.offer([]needle.Needle{n})
	}
}

// node returns the byte sets that every match of n begins with; whole says that they are all of it.
func (f *requirement) node(n *node) (seq []needle.Set, whole bool) {
	switch n.op {
	case opLit:
		if n.lit == utf8.RuneError { // bytes that are no UTF-8 match it too
			return nil, false
		}
		for _, b := range []byte(string(n.lit)) {
			seq = append(seq, needle.Set{b})
		}
		return seq, true
	case opSet:
		set := asciiChoice(n.set)
		return set, set != nil
	case opAssert:
		return nil, true
	case opLook:
		if !n.negative {
			f.flush(f.inner(n.subs[0]))
		}
		return nil, true
	case opSeq:
		return f.sequence(n.subs)
	case opGroup, opAtomic:
		return f.node(n.subs[0])
	case opAlt, opCond:
		f.alternatives(n.subs)
	case opRepeat:
		if n.min == 0 {
			return nil, false
		}
		seq, whole = f.node(n.subs[0])
		if !whole {
			return seq, false
		}
		one := seq
		for i := 1; i < min(n.min, mostRepeated); i++ {
			seq = append(seq[:len(seq):len(seq)], one...)
		}
		return seq, n.min == n.max && n.min <= mostRepeated
	}
	return nil, false
}

// inner looks at a part by itself.
func (f *requirement) inner(n *node) []needle.Set {
	seq, _ := f.node(n)
	return seq
}

func (f *requirement) sequence(subs []*node) (first []needle.Set, whole bool) {
	var run []needle.Set
	whole, leading := true, true
	for _, sub := range subs {
		seq, all := f.node(sub)
		run = append(run[:len(run):len(run)], seq...)
		if all && len(run) <= longNeedle {
			continue
		}
		if leading {
			first, leading = run, false
		}
		f.flush(run)
		run, whole = nil, false
	}
	if leading {
		return run, whole
	}
	f.flush(run)
	return first, false
}

// alternatives finds texts for each of the branches.
func (f *requirement) alternatives(subs []*node) {
	var all []needle.Needle
	for _, sub := range subs {
		branch := &requirement{}
		seq, _ := branch.node(sub)
		branch.flush(seq)
		if branch.best == nil {
			return
		}
		all = append(all, branch.best...)
	}
	f.offer(all)
}

// asciiChoice returns the characters of a set if they are few and ASCII.
func asciiChoice(s *charSet) []needle.Set {
	if s.negative || len(s.cats) > 0 {
		return nil
	}
	var set needle.Set
	for _, sp := range s.spans {
		if sp.high > unicode.MaxASCII || int(sp.high-sp.low) >= mostVariants-len(set) {
			return nil
		}
		for r := sp.low; r <= sp.high; r++ {
			set = append(set, byte(r))
		}
	}
	if len(set) == 0 {
		return nil
	}
	return []needle.Set{set}
}
