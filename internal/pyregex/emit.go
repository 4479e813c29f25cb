package pyregex

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// dialect is the language a tree is written in, and what may be assumed of the text.
type dialect struct {
	re2   bool // Go's regexp; else regexp2 without options
	edges bool // \b and \B mean what they do in Python
	ascii bool // the text is ASCII only: character classes shrink, and the engines' own word edges are right
}

type emitter struct {
	dialect
	out strings.Builder
}

// write returns a tree in a dialect. Groups keep their numbers: all are written unnamed and in order.
func (d dialect) write(n *node) string {
	e := &emitter{dialect: d}
	e.node(n)
	return e.out.String()
}

func (e *emitter) print(parts ...string) {
	for _, part := range parts {
		e.out.WriteString(part)
	}
}

func (e *emitter) node(n *node) {
	switch n.op {
	case opSeq:
		for _, sub := range n.subs {
			if sub.op == opAlt {
				e.wrapped("(?:", sub)
			} else {
				e.node(sub)
			}
		}
	case opAlt:
		for i, sub := range n.subs {
			if i > 0 {
				e.print("|")
			}
			e.node(sub)
		}
	case opLit:
		e.print(e.char(n.lit))
	case opSet:
		e.set(n.set)
	case opAssert:
		e.assert(n)
	case opRepeat:
		e.repeat(n)
	case opGroup:
		e.wrapped("(", n.subs[0])
	case opAtomic:
		e.wrapped("(?>", n.subs[0])
	case opLook:
		open := "(?"
		if n.behind {
			open += "<"
		}
		if n.negative {
			e.wrapped(open+"!", n.subs[0])
		} else {
			e.wrapped(open+"=", n.subs[0])
		}
	case opBackref:
		if n.ignoreCase {
			e.print("(?i:\\k<", strconv.Itoa(n.group), ">)")
		} else {
			e.print("\\k<", strconv.Itoa(n.group), ">")
		}
	case opCond:
		e.print("(?(", strconv.Itoa(n.group), ")")
		e.wrapped("(?:", n.subs[0])
		e.print("|")
		e.wrapped("(?:", n.subs[1])
		e.print(")")
	}
}

func (e *emitter) wrapped(open string, n *node) {
	e.print(open)
	e.node(n)
	e.print(")")
}

func (e *emitter) repeat(n *node) {
	if n.mode == possessive {
		e.print("(?>")
		defer e.print(")")
	}
	switch sub := n.subs[0]; {
	case isAtomic(sub):
		// regexp2 2.13 melts a loop over an atomic loop into one, which changes what it matches: (?>a+){2} finds "aa".
		// A look-ahead that always holds keeps the two apart.
		e.print("(?:(?!(?!))")
		e.node(sub)
		e.print(")")
	case sub.op == opLit || sub.op == opGroup:
		e.node(sub)
	default:
		e.wrapped("(?:", sub)
	}
	switch {
	case n.min == 0 && n.max == maxRepeat:
		e.print("*")
	case n.min == 1 && n.max == maxRepeat:
		e.print("+")
	case n.min == 0 && n.max == 1:
		e.print("?")
	case n.max == maxRepeat:
		e.print("{", strconv.Itoa(n.min), ",}")
	default:
		e.print("{", strconv.Itoa(n.min), ",", strconv.Itoa(n.max), "}")
	}
	if n.mode == lazy {
		e.print("?")
	}
}

// isAtomic tells whether a node is an atomic group or a possessive repetition and nothing else.
func isAtomic(n *node) bool {
	for n.op == opSeq && len(n.subs) == 1 {
		n = n.subs[0]
	}
	return n.op == opAtomic || n.op == opRepeat && n.mode == possessive
}

func (e *emitter) assert(n *node) {
	switch n.at {
	case atTextStart:
		e.print(`\A`)
	case atLineStart:
		e.print(`(?m:^)`)
	case atTextEnd:
		e.print(`\z`)
	case atLastLineEnd:
		e.print(`(?=\n?\z)`)
	case atLineEnd:
		e.print(`(?m:$)`)
	case atWordEdge:
		if e.re2 || e.ascii || e.edges {
			e.print(`\b`)
			return
		}
		w := e.words(n)
		e.print("(?:(?<=", w, ")(?!", w, ")|(?<!", w, ")(?=", w, "))")
	case atNoWordEdge:
		if e.edges {
			e.print(`\B`)
			return
		}
		// Not in the empty text: there \A and \z are the same place.
		if e.ascii {
			e.print(`(?:\B(?!\A\z))`)
			return
		}
		w := e.words(n)
		e.print("(?:(?:(?<=", w, ")(?=", w, ")|(?<!", w, ")(?!", w, `))(?!\A\z))`)
	}
}

func (e *emitter) words(n *node) string {
	d := &emitter{dialect: e.dialect}
	d.set(&charSet{cats: []category{{kind: 'w', ascii: n.ascii}}})
	return d.out.String()
}

// set writes a class. Its meaning is worked out here rather than left to the engine, whose \w, \d and \s differ.
func (e *emitter) set(s *charSet) {
	if len(s.cats) == 0 && len(s.spans) == 0 {
		e.print("(?s:.)")
		return
	}
	if e.ascii {
		spans := asciiOnly(s.resolve())
		rest := asciiOnly(complement(spans))
		switch {
		case len(spans) == 0:
			e.never()
		case len(rest) == 0:
			e.print("(?s:.)")
		case len(rest) == 1 && rest[0].low == rest[0].high:
			e.print("[^", e.spans(rest), "]")
		default:
			e.print("[", e.spans(spans), "]")
		}
		return
	}
	open := "["
	if s.negative {
		open = "[^"
	}
	if body, ok := e.categories(s); ok {
		e.print(open, e.spans(merge(append([]span(nil), s.spans...))), body, "]")
		return
	}
	spans := s.resolve()
	if len(spans) == 0 {
		e.never()
		return
	}
	e.print("[", e.spans(spans), "]")
}

// categories writes a class's categories by the engines' names for Unicode's; ok is false if one cannot be, because
// it is negative and only part of the class.
func (e *emitter) categories(s *charSet) (string, bool) {
	var out strings.Builder
	for _, c := range s.cats {
		if c.negative {
			return "", false
		}
		switch {
		case c.ascii || c.kind == 's':
			out.WriteString(e.spans(c.spans()))
		case c.kind == 'w':
			out.WriteString(`_\p{L}\p{N}`)
		case c.kind == 'd':
			out.WriteString(`\p{Nd}`)
		}
	}
	return out.String(), true
}

func (e *emitter) never() {
	if e.re2 {
		e.print(`[^\x00-\x{10FFFF}]`)
		return
	}
	e.print("(?!)")
}

func (e *emitter) spans(spans []span) string {
	var out strings.Builder
	for _, s := range spans {
		out.WriteString(e.char(s.low))
		if s.high > s.low {
			out.WriteString("-" + e.char(s.high))
		}
	}
	return out.String()
}

// char writes a character so that neither engine reads anything into it, in classes and outside.
func (e *emitter) char(r rune) string {
	switch {
	case r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || r == '_':
		return string(r)
	case e.re2:
		return fmt.Sprintf(`\x{%x}`, r)
	case r <= 0xFFFF:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}
