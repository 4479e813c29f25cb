package lazydfa

import (
	"unicode/utf8"
)

const (
	maxTable = 1 << 18 // transitions, of four bytes each, before all states are forgotten
	maxHeld  = 1 << 19 // instructions in all states, of four bytes each, before these are
	unknown  = -1      // a transition that nobody has taken yet
	special  = 1 << 30 // marks a transition to a state that matches or is dead
	stretch  = 1 << 17 // bytes between two looks at whether to go on, while transitions are known
	learned  = 256     // new transitions between two looks
)

// state is a set of instructions to go on from, the preferred ones first, and what assertions must know of the past.
type state struct {
	insts  []uint32
	before kind
	open   bool // a match may still begin here
	match  bool // a match ended before the latest character
}

// Machine runs a program. It is for one goroutine at a time; what it learns about one text serves the next.
type Machine struct {
	p      *Program
	stride int // classes
	states []state
	table  []int32 // by state × stride + class: state × stride, or unknown; special is a mark on top
	known  map[string]int32
	held   int // instructions in all states
	taken  int // transitions made

	// Of one step:
	seen  []uint32 // by instruction: the step in which it was reached
	step  uint32
	stack []uint32
	next  []uint32
	key   []byte
}

// NewMachine returns a machine without states.
func (p *Program) NewMachine() *Machine {
	m := &Machine{p: p, stride: len(p.kinds), seen: make([]uint32, len(p.insts))}
	m.forget()
	return m
}

func (m *Machine) forget() {
	m.states, m.table, m.known, m.held = m.states[:0], m.table[:0], map[string]int32{}, 0
}

// Find reads text[at:limit] and returns the end of the first match that begins there; what lies outside counts for
// assertions only. With earliest, the end is that of the shortest match at any place. A program that reads backward starts at limit
// and returns the smallest place at which a match that ends at limit begins. The error is that of check, which is asked from time to time.
func (m *Machine) Find(text string, at, limit int, earliest bool, check func() error) (place int, found bool, err error) {
	if m.p.backward {
		return m.backward(text, at, limit, check)
	}
	return m.forward(text, at, limit, earliest, check)
}

func (m *Machine) forward(text string, at, limit int, earliest bool, check func() error) (place int, found bool, err error) {
	now := m.add(state{before: m.kindBefore(text, at), open: true})
	table, ascii := m.table, &m.p.ascii
	for i := at; i < limit; {
		stop := min(limit, i+stretch)
		for i < stop {
			var (
				class uint16
				size  = 1
			)
			if b := text[i]; b < utf8.RuneSelf {
				class = ascii[b]
				if to := table[int(now)+int(class)]; uint32(to) < special {
					now = to
					i++
					continue
				}
			} else {
				var r rune
				r, size = utf8.DecodeRuneInString(text[i:])
				class = m.p.class(r)
			}
			to := table[int(now)+int(class)]
			if to == unknown {
				to = m.take(now, class)
				table = m.table
				if m.taken%learned == 0 {
					stop = i // look whether to go on
				}
			}
			if to < special {
				now = to
				i += size
				continue
			}
			now = to &^ special
			s := &m.states[int(now)/m.stride]
			if s.match {
				place, found = i, true
				if earliest {
					return place, true, nil
				}
			}
			if len(s.insts) == 0 && !s.open {
				return place, found, nil
			}
			i += size
		}
		if err := check(); err != nil {
			return 0, false, err
		}
	}
	class := m.p.end()
	if limit < len(text) {
		r, _ := utf8.DecodeRuneInString(text[limit:])
		class = m.classOf(r)
	}
	if m.matches(now, class) {
		return limit, true, nil
	}
	return place, found, nil
}

func (m *Machine) backward(text string, lowest, end int, check func() error) (place int, found bool, err error) {
	before := edge
	if end < len(text) {
		r, _ := utf8.DecodeRuneInString(text[end:])
		before = m.p.kinds[m.classOf(r)]
	}
	now := m.add(state{insts: []uint32{m.p.start}, before: before})
	for i, read := end, 0; i > lowest; {
		r, size := rune(text[i-1]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeLastRuneInString(text[:i])
		}
		class := m.classOf(r)
		to := m.table[int(now)+int(class)]
		if to == unknown {
			to = m.take(now, class)
			if m.taken%learned == 0 {
				read = stretch - 1
			}
		}
		now = to &^ special
		if to&special != 0 {
			s := &m.states[int(now)/m.stride]
			if s.match {
				place, found = i, true
			}
			if len(s.insts) == 0 {
				return place, found, nil
			}
		}
		i -= size
		if read++; read%stretch == 0 {
			if err := check(); err != nil {
				return 0, false, err
			}
		}
	}
	class := m.p.end()
	if lowest > 0 {
		r, _ := utf8.DecodeLastRuneInString(text[:lowest])
		class = m.classOf(r)
	}
	if m.matches(now, class) {
		return lowest, true, nil
	}
	return place, found, nil
}

// matches tells whether a match ends at a state if the next character is of a class.
func (m *Machine) matches(now int32, class uint16) bool {
	to := m.table[int(now)+int(class)]
	if to == unknown {
		to = m.take(now, class)
	}
	return m.states[int(to&^special)/m.stride].match
}

func (m *Machine) classOf(r rune) uint16 {
	if r < utf8.RuneSelf {
		return m.p.ascii[r]
	}
	return m.p.class(r)
}

func (m *Machine) kindBefore(text string, at int) kind {
	if at == 0 {
		return m.past(edge)
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return m.past(m.p.kinds[m.classOf(r)])
}

// past makes kinds the same that the program's assertions do not tell apart.
func (m *Machine) past(k kind) kind {
	if k == edge && !m.p.usesText && !m.p.usesLine && !m.p.usesWord {
		return other
	}
	return k
}
