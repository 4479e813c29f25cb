// Package lazydfa runs regular expressions of Go's regexp/syntax as an automaton whose states are made while a text is
// read: one table look-up a character, whatever the pattern. It answers where a match is, not what its groups hold.
//
// A [Program] is immutable and shared; a [Machine] holds the states found so far and belongs to one goroutine at a time. Time is
// linear in the text and memory is bounded: when there are too many states, they are forgotten and made anew.
package lazydfa

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is an inclusive range of characters.
type Span struct{ Low, High rune }

// Options say how an expression is meant.
type Options struct {
	// Backward is for the mirror image of an expression: texts are read from their end, and the longest match is wanted
	// rather than the first alternative's.
	Backward bool
	// Word are the characters of words for \b and \B, ascending and disjoint.
	Word []Span
}

// maxInstructions bounds the programs; a state holds as many at most.
const maxInstructions = 4000

// Program is a compiled expression.
type Program struct {
	insts    []syntax.Inst
	start    uint32
	backward bool
	usesText bool // \A or \z
	usesLine bool // ^ or $
	usesWord bool // \b or \B

	// Characters that no instruction tells apart are of one class.
	ascii  [utf8.RuneSelf]uint16 // their classes, by character
	starts []rune                // the first characters of the ranges above ASCII
	higher []uint16              // their classes
	kinds  []kind                // by class; the last class stands for the end of the text
	sets   []syntax.Inst         // a distinct character condition each
	setOf  []int32               // by instruction, -1 for those without
	member [][]bool              // by class, by set
}

// kind is what assertions see of a character.
type kind uint8

const (
	edge    kind = iota // there is none: the text starts or ends
	newline             // "\n"
	word
	other
)

// Compile prepares an expression in the syntax of Go's regexp. \b and \B mean the words of the options.
func Compile(expr string, o Options) (*Program, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("lazydfa: %w", err)
	}
	compiled, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("lazydfa: %w", err)
	}
	if len(compiled.Inst) > maxInstructions {
		return nil, errors.New("lazydfa: the expression is too large")
	}
	p := &Program{insts: compiled.Inst, start: uint32(compiled.Start), backward: o.Backward}
	for i := range p.insts {
		if p.insts[i].Op != syntax.InstEmptyWidth {
			continue
		}
		arg := syntax.EmptyOp(p.insts[i].Arg)
		p.usesText = p.usesText || arg&(syntax.EmptyBeginText|syntax.EmptyEndText) != 0
		p.usesLine = p.usesLine || arg&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0
		p.usesWord = p.usesWord || arg&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
	}
	p.classify(o.Word)
	return p, nil
}

// classify finds the classes of characters.
func (p *Program) classify(words []Span) {
	p.setOf = make([]int32, len(p.insts))
	known := map[string]int32{}
	bounds := []rune{0, '\n', '\n' + 1}
	for i := range p.insts {
		p.setOf[i] = -1
		if !consumes(p.insts[i].Op) {
			continue
		}
		key := setKey(&p.insts[i])
		set, ok := known[key]
		if !ok {
			set = int32(len(p.sets))
			known[key] = set
			p.sets = append(p.sets, p.insts[i])
			for _, s := range spans(&p.insts[i]) {
				bounds = append(bounds, s.Low, s.High+1)
			}
		}
		p.setOf[i] = set
	}
	if p.usesWord {
		for _, s := range words {
			bounds = append(bounds, s.Low, s.High+1)
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	p.number(bounds, words)
}

// number gives each range between two bounds the class of all ranges that are in the same sets.
func (p *Program) number(bounds []rune, words []Span) {
	classes := map[string]uint16{}
	signature := make([]byte, len(p.sets)+1)
	for i, low := range bounds {
		k := p.kindOf(low, words)
		signature[len(p.sets)] = byte(k)
		for s := range p.sets {
			signature[s] = 0
			if matches(&p.sets[s], low) {
				signature[s] = 1
			}
		}
		class, ok := classes[string(signature)]
		if !ok {
			class = uint16(len(classes))
			classes[string(signature)] = class
			p.kinds = append(p.kinds, k)
			members := make([]bool, len(p.sets))
			for s := range members {
				members[s] = signature[s] == 1
			}
			p.member = append(p.member, members)
		}
		next := rune(utf8.MaxRune + 1)
		if i+1 < len(bounds) {
			next = bounds[i+1]
		}
		for r := low; r < min(next, utf8.RuneSelf); r++ {
			p.ascii[r] = class
		}
		if next > utf8.RuneSelf {
			p.starts = append(p.starts, max(low, utf8.RuneSelf))
			p.higher = append(p.higher, class)
		}
	}
	p.kinds = append(p.kinds, edge)
	p.member = append(p.member, make([]bool, len(p.sets)))
}

// kindOf tells what the program's assertions can tell of a character: kinds that it does not ask for are all the same.
func (p *Program) kindOf(r rune, words []Span) kind {
	switch {
	case r == '\n' && p.usesLine:
		return newline
	case p.usesWord && isWord(r, words):
		return word
	}
	return other
}

func isWord(r rune, words []Span) bool {
	_, found := slices.BinarySearchFunc(words, r, func(s Span, r rune) int {
		switch {
		case s.High < r:
			return -1
		case s.Low > r:
			return 1
		}
		return 0
	})
	return found
}

// class returns the class of a character above ASCII.
func (p *Program) class(r rune) uint16 {
	low, high := 0, len(p.starts)
	for low+1 < high {
		if middle := (low + high) / 2; p.starts[middle] <= r {
			low = middle
		} else {
			high = middle
		}
	}
	return p.higher[low]
}

func (p *Program) end() uint16 { return uint16(len(p.kinds) - 1) }

func consumes(op syntax.InstOp) bool {
	switch op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// spans lists the ranges of the characters that an instruction consumes; case is folded by whoever wrote the expression.
func spans(inst *syntax.Inst) []Span {
	switch inst.Op {
	case syntax.InstRuneAny:
		return []Span{{0, utf8.MaxRune}}
	case syntax.InstRuneAnyNotNL:
		return []Span{{0, '\n' - 1}, {'\n' + 1, utf8.MaxRune}}
	}
	if len(inst.Rune) == 1 {
		if syntax.Flags(inst.Arg)&syntax.FoldCase == 0 {
			return []Span{{inst.Rune[0], inst.Rune[0]}}
		}
		return folded(inst.Rune[0])
	}
	all := make([]Span, 0, len(inst.Rune)/2)
	for i := 0; i+1 < len(inst.Rune); i += 2 {
		all = append(all, Span{inst.Rune[i], inst.Rune[i+1]})
	}
	return all
}

func matches(inst *syntax.Inst, r rune) bool {
	switch inst.Op {
	case syntax.InstRuneAny:
		return true
	case syntax.InstRuneAnyNotNL:
		return r != '\n'
	}
	return inst.MatchRune(r)
}

// folded lists a character and those that differ from it in case only.
func folded(r rune) []Span {
	all := []Span{{r, r}}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		all = append(all, Span{next, next})
	}
	return all
}

// setKey is the same for instructions that consume the same characters.
func setKey(inst *syntax.Inst) string {
	var out strings.Builder
	fmt.Fprint(&out, inst.Op == syntax.InstRuneAny, inst.Op == syntax.InstRuneAnyNotNL, inst.Arg, string(inst.Rune))
	return out.String()
}
