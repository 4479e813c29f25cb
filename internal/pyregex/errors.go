package pyregex

import (
	"errors"
	"fmt"
	"time"
)

// DefaultTimeout bounds one call that searches, however many matches it finds, where the context sets no earlier end.
const DefaultTimeout = 10 * time.Second

var (
	// ErrTimeout reports that matching took longer than the time limit, nearly always because nested or adjacent
	// quantifiers can share out the same text in very many ways.
	ErrTimeout = errors.New("the pattern is too slow on this text and was stopped: " +
		"avoid a quantified group that holds another quantifier over the same characters, as in (a+)+ or (.*\\n)*, " +
		"make it possessive (*+) or atomic (?>…), or search for a shorter, more literal piece")

	// ErrTooDeep reports that a match needed more memory for its alternatives than is allowed.
	ErrTooDeep = errors.New("the pattern keeps too many alternatives open on this text and was stopped: " +
		"replace a repeated group of alternatives such as (?:x|y\\n)+ by a character class or a possessive quantifier (*+), " +
		"or bound the repetition")
)

// SyntaxError reports a pattern that Python refuses, or that is valid Python and cannot be honoured exactly here.
type SyntaxError struct {
	Pattern string
	Pos     int // 0-based, in code points
	Msg     string
	// Unsupported is true for a pattern that Python would accept.
	Unsupported bool
}

func (e *SyntaxError) Error() string {
	if e.Unsupported {
		return fmt.Sprintf("regular expression cannot be honoured exactly: %s (at position %d)", e.Msg, e.Pos)
	}
	return fmt.Sprintf("invalid regular expression: %s (at position %d)", e.Msg, e.Pos)
}
