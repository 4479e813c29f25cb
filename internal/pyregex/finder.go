package pyregex

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/serena-go/serena/internal/lazydfa"
	"github.com/serena-go/serena/internal/pyregex/needle"
)

// Finder tells where a pattern matches, without groups, and is made for going through many texts of which few match. It looks for
// texts that every match holds, then runs an automaton that finds all places that could match, and asks the engine of
// the pattern only about those where the automaton cannot be sure. It is safe for concurrent use.
type Finder struct {
	re     *Regexp
	byLine bool // each line is a text of its own
	within bool // no match goes beyond a line
	alone  bool // each needle is a match

	needles  []needle.Needle
	exact    bool             // forward finds matches of the pattern and nothing else
	forward  *lazydfa.Program // nil if there is no automaton
	backward *lazydfa.Program
	idle     sync.Pool // of *finding
}

// Finder prepares a pattern for [Finder.Each]. With byLine, each line of a text, without its "\n", is a text of its own.
func (re *Regexp) Finder(byLine bool) *Finder {
	f := &Finder{re: re, byLine: byLine, within: byLine || re.tree.withinLine()}
	if re.least == 0 {
		return f
	}
	tree, exact, asciiWords := approximate(re.tree, byLine)
	f.needles, f.alone = required(re.tree)
	for i := range f.needles {
		if byLine && f.needles[i].Holds('\n') {
			f.needles, f.alone = nil, false
			break
		}
	}
	if f.alone && f.within {
		return f
	}
	if least, _ := tree.width(nil); least == 0 {
		return f // matches everywhere
	}
	o := lazydfa.Options{Word: words(asciiWords)}
	d := dialect{re2: true, edges: true}
	var err error
	if f.forward, err = lazydfa.Compile(d.write(tree), o); err != nil {
		f.forward = nil
		return f
	}
	f.exact = exact && (f.within || re.tree.orderly())
	if !f.within {
		o.Backward = true
		if f.backward, err = lazydfa.Compile(d.write(mirror(tree)), o); err != nil {
			f.forward = nil
		}
	}
	return f
}

func words(ascii bool) []lazydfa.Span {
	set := category{kind: 'w', ascii: ascii}.spans()
	all := make([]lazydfa.Span, len(set))
	for i, s := range set {
		all[i] = lazydfa.Span{Low: s.low, High: s.high}
	}
	return all
}

// finding is what one call of Each works with.
type finding struct {
	*Finder
	cursor   needle.Cursor
	forward  *lazydfa.Machine
	backward *lazydfa.Machine

	text   string
	visit  func(start, end int) bool
	engine search
}

// Each calls visit for the matches in a text, from left to right, until it returns false. It is for finding lines: of the matches on
// a line, if none goes beyond it, only one is given, as some range in the line. Errors are those of [Regexp.FindAll].
func (f *Finder) Each(ctx context.Context, text string, visit func(start, end int) bool) error {
	g, _ := f.idle.Get().(*finding)
	if g == nil {
		g = &finding{Finder: f}
		if f.forward != nil {
			g.forward = f.forward.NewMachine()
		}
		if f.backward != nil {
			g.backward = f.backward.NewMachine()
		}
	}
	g.text, g.visit = text, visit
	g.engine = search{ctx: ctx, re: f.re, limit: -1, end: time.Now().Add(DefaultTimeout)}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(g.engine.end) {
		g.engine.end = deadline
	}
	defer func() {
		g.text, g.visit, g.engine = "", nil, search{}
		g.cursor.Reset(nil, "")
		f.idle.Put(g)
	}()
	if err := g.engine.check(); err != nil {
		return err
	}
	if g.cursor.Reset(f.needles, text); f.needles != nil {
		if place, _ := g.cursor.Next(0); place < 0 {
			return nil
		}
	}
	switch {
	case f.within && (f.needles != nil || f.forward != nil):
		return g.lines()
	case f.byLine:
		return g.linesByEngine()
	case f.forward == nil:
		return g.byEngine(0)
	}
	return g.across()
}

// lines finds matches that do not go beyond a line: one a line.
func (g *finding) lines() error {
	for at, n := 0, 0; at < len(g.text); n++ {
		if n%256 == 255 {
			if err := g.engine.check(); err != nil {
				return err
			}
		}
		start, end, found, err := g.candidate(at)
		if err != nil || !found {
			return err
		}
		first := strings.LastIndexByte(g.text[:start], '\n') + 1
		next := len(g.text)
		if i := strings.IndexByte(g.text[start:], '\n'); i >= 0 {
			next = start + i
		}
		if at = next + 1; !g.sure() {
			if start, end, found, err = g.engine.within(g.text, first, next); err != nil {
				return err
			}
		}
		if found && !g.visit(start, end) {
			return nil
		}
	}
	return nil
}

// sure tells whether candidates are matches.
func (g *finding) sure() bool { return g.alone || g.exact && g.Finder.forward != nil }

// candidate finds a range in the first line at or after at that may hold a match.
func (g *finding) candidate(at int) (start, end int, found bool, err error) {
	for g.needles != nil {
		place, length := g.cursor.Next(at)
		if place < 0 {
			return 0, 0, false, nil
		}
		if g.alone || g.Finder.forward == nil {
			return place, place + length, true, nil
		}
		first := max(at, strings.LastIndexByte(g.text[:place], '\n')+1)
		next := len(g.text)
		if i := strings.IndexByte(g.text[place:], '\n'); i >= 0 {
			next = place + i
		}
		if end, found, err = g.forward.Find(g.text, first, next, true, g.engine.check); err != nil || found {
			return end - 1, end, found, err
		}
		if at = next + 1; at >= len(g.text) {
			return 0, 0, false, nil
		}
	}
	end, found, err = g.forward.Find(g.text, at, len(g.text), true, g.engine.check)
	return end - 1, end, found, err
}

// across finds matches that may go beyond a line.
func (g *finding) across() error {
	for at := 0; at < len(g.text); {
		end, found, err := g.forward.Find(g.text, at, len(g.text), false, g.engine.check)
		if err != nil || !found {
			return err
		}
		start, found, err := g.backward.Find(g.text, at, end, false, g.engine.check)
		if err != nil {
			return err
		}
		if !found { // cannot be, and the engine knows
			start = at
		}
		if !g.exact || !found {
			return g.byEngine(start)
		}
		if !g.visit(start, end) {
			return nil
		}
		at = end
	}
	return nil
}

// byEngine asks the pattern's engine for all matches from a place on.
func (g *finding) byEngine(from int) error {
	g.engine.text = g.text
	g.engine.visit = func(m Match) bool { return g.visit(m.Start, m.End) }
	return g.engine.run(from)
}

// linesByEngine asks the engine about one line after the other.
func (g *finding) linesByEngine() error {
	for at := 0; at < len(g.text); {
		next := len(g.text)
		if i := strings.IndexByte(g.text[at:], '\n'); i >= 0 {
			next = at + i
		}
		start, end, found, err := g.engine.within(g.text, at, next)
		if err != nil {
			return err
		}
		if found && !g.visit(start, end) {
			return nil
		}
		at = next + 1
	}
	return nil
}

// within finds the first match in a line, which is a text of its own.
func (s *search) within(text string, from, to int) (start, end int, found bool, err error) {
	s.text, s.limit, s.count, s.found, s.offsets, s.runes = text[from:to], 1, 0, s.found[:0], nil, s.runes[:0]
	if err := s.check(); err != nil {
		return 0, 0, false, err
	}
	if err := s.run(0); err != nil || len(s.found) == 0 {
		return 0, 0, false, err
	}
	return from + s.found[0].Start, from + s.found[0].End, true, nil
}
