package pyregex

// exact refuses the loops in which regexp2 and Python count empty rounds differently, so that spans or groups can
// differ. Found by comparing the two on random patterns; all involve a body that can match nothing:
//
//   - a lower bound of 1 or more below an upper one: Python tries one empty round beyond the lower bound;
//   - possessive loops, which keep the round that was last;
//   - loops around a group that a back-reference or condition uses;
//   - lazy loops around any group.
func (p *parser) exact(tree *node) error {
	used := map[int]bool{}
	tree.each(func(n *node) bool {
		if n.op == opBackref || n.op == opCond {
			used[n.group] = true
		}
		return true
	})
	var bad *node
	tree.each(func(n *node) bool {
		if bad != nil || n.op != opRepeat || n.max < 2 {
			return bad == nil
		}
		if least, _ := n.subs[0].width(p.groups); least > 0 {
			return true
		}
		refers := false
		n.subs[0].each(func(sub *node) bool {
			refers = refers || sub.op == opGroup && (used[sub.group] || n.mode == lazy)
			return !refers
		})
		if n.min >= 1 && n.min < n.max && n.max < maxRepeat || n.min > 1 && n.max == maxRepeat || n.mode == possessive || refers {
			bad = n
		}
		return true
	})
	if bad == nil {
		return nil
	}
	return p.unsupported(bad.pos, "this quantifier repeats a part that can match nothing, and engines count such rounds differently; "+
		"let the part match at least one character, as in (?:x+){0,2} instead of (?:x*){1,2}")
}

// each calls visit for a node and all below it, as long as visit returns true.
func (n *node) each(visit func(*node) bool) {
	if !visit(n) {
		return
	}
	for _, sub := range n.subs {
		sub.each(visit)
	}
}
