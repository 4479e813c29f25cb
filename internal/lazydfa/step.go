package lazydfa

import (
	"regexp/syntax"
	"slices"
)

// take makes the transition from a state by a class, and remembers it.
func (m *Machine) take(now int32, class uint16) int32 {
	from := m.states[int(now)/m.stride]
	k := m.p.kinds[class]
	to := m.follow(from, assertions(from.before, k), class)
	to.before = m.past(k)
	m.taken++
	if len(m.table) >= maxTable || m.held >= maxHeld {
		m.forget()
		now = m.add(from)
	}
	at := m.add(to)
	if s := &m.states[int(at)/m.stride]; s.match || len(s.insts) == 0 && !s.open {
		at |= special
	}
	m.table[int(now)+int(class)] = at
	return at
}

// follow finds the state after a character: all that its instructions lead to, in order of preference.
func (m *Machine) follow(from state, holds syntax.EmptyOp, class uint16) state {
	m.step++
	if m.step == 0 { // after 2³² steps
		clear(m.seen)
		m.step = 1
	}
	m.next = m.next[:0]
	to := state{open: from.open}
	members := m.p.member[class]
	for i := 0; i <= len(from.insts); i++ {
		at := m.p.start
		if i < len(from.insts) {
			at = from.insts[i]
		} else if !from.open {
			break
		}
		if m.explore(at, holds, members) {
			to.match = true
			if !m.p.backward {
				to.open = false
				break
			}
		}
	}
	if m.p.backward {
		slices.Sort(m.next) // all are wanted, in any order
	}
	to.insts = m.next
	return to
}

// explore follows an instruction to those that consume a character, and adds what comes after them if they do. It tells whether it
// came by a match, where it stops unless the program reads backward.
func (m *Machine) explore(at uint32, holds syntax.EmptyOp, members []bool) bool {
	matched := false
	m.stack = append(m.stack[:0], at)
	for len(m.stack) > 0 {
		at := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if m.seen[at] == m.step {
			continue
		}
		m.seen[at] = m.step
		inst := &m.p.insts[at]
		switch inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			m.stack = append(m.stack, inst.Arg, inst.Out)
		case syntax.InstCapture, syntax.InstNop:
			m.stack = append(m.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				m.stack = append(m.stack, inst.Out)
			}
		case syntax.InstMatch:
			if !m.p.backward {
				return true
			}
			matched = true
		case syntax.InstFail:
		default:
			if members[m.p.setOf[at]] {
				m.next = append(m.next, inst.Out)
			}
		}
	}
	return matched
}

// assertions returns what holds between two characters.
func assertions(before, after kind) syntax.EmptyOp {
	var holds syntax.EmptyOp
	if before == edge {
		holds |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	}
	if before == newline {
		holds |= syntax.EmptyBeginLine
	}
	if after == edge {
		holds |= syntax.EmptyEndText | syntax.EmptyEndLine
	}
	if after == newline {
		holds |= syntax.EmptyEndLine
	}
	if (before == word) != (after == word) {
		return holds | syntax.EmptyWordBoundary
	}
	return holds | syntax.EmptyNoWordBoundary
}

// add returns the place in the table of a state's transitions.
func (m *Machine) add(s state) int32 {
	m.key = append(m.key[:0], byte(s.before))
	for i, flag := range [...]bool{s.open, s.match} {
		if flag {
			m.key[0] |= 0x10 << i
		}
	}
	for _, inst := range s.insts {
		m.key = append(m.key, byte(inst), byte(inst>>8))
	}
	if at, ok := m.known[string(m.key)]; ok {
		return at
	}
	at := int32(len(m.table))
	s.insts = slices.Clone(s.insts)
	m.held += len(s.insts)
	m.states = append(m.states, s)
	for range m.stride {
		m.table = append(m.table, unknown)
	}
	m.known[string(m.key)] = at
	return at
}
