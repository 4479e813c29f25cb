package pyregex

import (
	"context"
	"errors"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// quick is how long the engine runs before it is let go on beside us. It cannot be interrupted, only given a time limit, and most
// matches are found or ruled out at once.
const quick = 20 * time.Millisecond

func init() { regexp2.SetTimeoutCheckPeriod(quick / 2) } // how exactly the engine keeps its limits; 100 ms if unset

// slow bounds the engines that run beside us, the abandoned ones included, which end at their time limit.
var slow = make(chan struct{}, 4)

// each calls visit with the groups of the matches from a place on, in characters, until it returns false. It may stop earlier, but
// not before the first match.
func (s *search) each(engine *regexp2.Regexp, at int, visit func(groups [][2]int) bool) error {
	found, groups := false, len(s.re.names)
	err := s.limited(engine, quick).FindRunesMatches(s.runes, at, func(v regexp2.MatchView) bool {
		found = true
		return visit(groupsOf(v, groups))
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return ErrTooDeep
	case s.check() != nil:
		return s.check()
	case found: // the next match takes longer, and the time that is left is for it
		return nil
	}
	return s.eachPatiently(engine, at, visit)
}

// eachPatiently finds one match, or none. When the search is cancelled meanwhile, the engine is abandoned, with the text it reads.
func (s *search) eachPatiently(engine *regexp2.Regexp, at int, visit func(groups [][2]int) bool) error {
	ctx, stop := context.WithDeadline(s.ctx, s.end)
	defer stop()
	select {
	case slow <- struct{}{}:
	case <-ctx.Done():
		return s.stopped()
	}
	type outcome struct {
		groups [][2]int
		err    error
	}
	done := make(chan outcome, 1)
	// The engine may outlive the search, so that it must not share anything with it.
	runes, groups, limited := s.runes, len(s.re.names), s.limited(engine, time.Until(s.end))
	go func() {
		defer func() { <-slow }()
		var o outcome
		o.err = limited.FindRunesMatches(runes, at, func(v regexp2.MatchView) bool {
			o.groups = groupsOf(v, groups)
			return false
		})
		done <- o
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return s.translate(o.err)
		}
		if o.groups != nil {
			visit(o.groups)
		}
		return nil
	case <-ctx.Done():
		s.runes = nil // they are the engine's now
		return s.stopped()
	}
}

// stopped tells why the search ends.
func (s *search) stopped() error {
	if err := s.check(); err != nil {
		return err
	}
	return ErrTimeout
}

// groupsOf copies the groups of a match, the whole match among them.
func groupsOf(v regexp2.MatchView, count int) [][2]int {
	all := make([][2]int, count)
	for i := range all {
		start, length, ok := v.GroupRange(i)
		all[i] = [2]int{start, start + length}
		if !ok {
			all[i] = [2]int{-1, -1}
		}
	}
	return all
}

// limited returns the engine with a time limit, or what is left if that is less. The copy shares all but that field.
func (s *search) limited(engine *regexp2.Regexp, limit time.Duration) *regexp2.Regexp {
	copied := *engine
	copied.MatchTimeout = max(min(limit, time.Until(s.end)), time.Millisecond)
	return &copied
}
