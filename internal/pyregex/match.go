package pyregex

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// Match is one place at which a pattern matches. Offsets are in bytes, 0-based, ends exclusive.
type Match struct {
	Start, End int
	// Groups holds the start and end of each group by number; Groups[0] is the whole match. A group that took no part
	// is {-1, -1}.
	Groups [][2]int
}

// FindAll returns all matches that do not overlap, from left to right, as Python's finditer does. A search that ctx or
// the time limit ends returns the matches found until then with the error: ctx's own if it was cancelled, else one that
// is [ErrTimeout] or [ErrTooDeep]. The time limit is ctx's deadline or [DefaultTimeout], whichever is
// earlier. After a call that was cancelled within a match, the engine may run on until then, by itself.
func (re *Regexp) FindAll(ctx context.Context, text string) ([]Match, error) {
	return re.FindN(ctx, text, -1)
}

// FindN is FindAll with at most n matches; n < 0 means all.
func (re *Regexp) FindN(ctx context.Context, text string, n int) ([]Match, error) {
	s := &search{ctx: ctx, re: re, text: text, limit: n, end: time.Now().Add(DefaultTimeout)}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(s.end) {
		s.end = deadline
	}
	if err := s.check(); err != nil || n == 0 {
		return nil, err
	}
	err := s.run(0)
	return s.found, err
}

// Find returns the first match; false if there is none. Errors are those of [Regexp.FindAll].
func (re *Regexp) Find(ctx context.Context, text string) (Match, bool, error) {
	all, err := re.FindN(ctx, text, 1)
	if len(all) == 0 {
		return Match{}, false, err
	}
	return all[0], true, nil
}

// FullMatch tells whether the pattern matches the whole text, as Python's fullmatch does. Errors are those of [Regexp.FindAll].
func (re *Regexp) FullMatch(ctx context.Context, text string) (bool, error) {
	s := &search{ctx: ctx, re: re, text: text, end: time.Now().Add(DefaultTimeout)}
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(s.end) {
		s.end = deadline
	}
	if err := s.check(); err != nil {
		return false, err
	}
	engine, err := re.full()
	if err != nil {
		return false, err
	}
	ok, err := s.limited(engine, time.Until(s.end)).MatchRunes([]rune(text))
	return ok, s.translate(err)
}

// search is one call's state.
type search struct {
	ctx   context.Context
	re    *Regexp
	text  string
	limit int
	end   time.Time
	found []Match
	visit func(Match) bool // takes the matches instead of found, until it returns false
	count int              // of matches
	left  bool             // visit returned false

	runes   []rune
	offsets []uint32 // byte offset of each rune and of the end; nil where they are the same
}

// check tells whether the search must stop now.
func (s *search) check() error {
	if err := s.ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return context.Cause(s.ctx)
	}
	if !time.Now().Before(s.end) {
		return ErrTimeout
	}
	return nil
}

func (s *search) full() bool { return s.left || s.limit >= 0 && s.count >= s.limit }

func (s *search) give(m Match) {
	s.count++
	if s.visit != nil {
		s.left = !s.visit(m)
		return
	}
	s.found = append(s.found, m)
}

// run finds the matches from a byte offset on. What lies before it is seen by look-behinds and anchors.
func (s *search) run(from int) error {
	if s.re.plain != "" {
		return s.runPlain(from)
	}
	ascii := isASCII(s.text)
	program := s.re.byText[0]
	if ascii {
		program = s.re.byText[1]
	}
	if program.linear != nil { // it cannot start later, and finds nothing earlier either
		for _, at := range program.linear.FindAllStringSubmatchIndex(s.text, s.limit) {
			m := Match{Start: at[0], End: at[1], Groups: make([][2]int, len(at)/2)}
			for i := range m.Groups {
				m.Groups[i] = [2]int{at[2*i], at[2*i+1]}
			}
			if s.give(m); s.full() {
				break
			}
		}
		return s.check()
	}
	s.runes = appendRunes(s.runes, s.text)
	if !ascii {
		s.offsets = make([]uint32, 0, len(s.runes)+1)
		for at := range s.text {
			s.offsets = append(s.offsets, uint32(at))
		}
		s.offsets = append(s.offsets, uint32(len(s.text)))
	}
	return s.runEngine(program, utf8.RuneCountInString(s.text[:from]))
}

// appendRunes appends the characters of a text; a byte that is no UTF-8 is one.
func appendRunes(runes []rune, text string) []rune {
	runes = slices.Grow(runes, utf8.RuneCountInString(text))
	for _, r := range text {
		runes = append(runes, r)
	}
	return runes
}

func (s *search) runPlain(from int) error {
	for at := from; !s.full(); {
		i := strings.Index(s.text[at:], s.re.plain)
		if i < 0 {
			return nil
		}
		start, end := at+i, at+i+len(s.re.plain)
		s.give(Match{Start: start, End: end, Groups: [][2]int{{start, end}}})
		if s.count%1024 == 0 {
			if err := s.check(); err != nil {
				return err
			}
		}
		at = end
	}
	return nil
}

// runEngine finds matches with regexp2 by Python's rule for empty ones: after an empty match, a longer one is tried at
// the same place before the search moves on by one character.
func (s *search) runEngine(p *program, from int) error {
	for at := from; at <= len(s.runes) && !s.full(); {
		if err := s.check(); err != nil {
			return err
		}
		var (
			empty   = false
			last    = -1 // where the latest match ended
			started = time.Now()
		)
		err := s.each(p.re, at, func(groups [][2]int) bool {
			last, empty = groups[0][1], groups[0][0] == groups[0][1]
			s.add(groups)
			// The engine's limit is for one match: start it again so that the limit stays one for the whole search.
			return !empty && !s.full() && s.ctx.Err() == nil && time.Since(started) < 100*time.Millisecond
		})
		if err != nil {
			return err
		}
		if last < 0 {
			return nil
		}
		if at = last; !empty || s.full() {
			continue
		}
		next, err := p.next()
		if err != nil {
			return err
		}
		found := false
		err = s.each(next, at, func(groups [][2]int) bool {
			at, found = groups[0][1], true
			s.add(groups)
			return false
		})
		if err != nil {
			return err
		}
		if !found {
			at++
		}
	}
	return nil
}

// add takes a match, given by its groups in characters.
func (s *search) add(groups [][2]int) {
	for i, g := range groups {
		if g[0] >= 0 {
			groups[i] = [2]int{s.offset(g[0]), s.offset(g[1])}
		}
	}
	s.give(Match{Start: groups[0][0], End: groups[0][1], Groups: groups})
}

func (s *search) offset(r int) int {
	if s.offsets == nil {
		return r
	}
	return int(s.offsets[r])
}

// translate turns the engine's errors into ours. It has a value for one kind only; the other it reports is its time limit.
func (s *search) translate(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return ErrTooDeep
	case s.check() != nil:
		return s.check()
	case time.Until(s.end) < 200*time.Millisecond:
		return ErrTimeout
	}
	return err
}

func isASCII(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
