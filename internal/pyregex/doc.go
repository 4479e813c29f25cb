// Package pyregex runs regular expressions with the meaning that Python's re module gives them for str patterns.
//
// A pattern is parsed by Python's own rules into a tree, and the tree is written out for one of three engines: plain
// text search, Go's linear regexp where both provably agree, and regexp2, a backtracking engine, for the rest. What
// cannot be honoured exactly is refused by [Compile] with the reason; nothing runs with another meaning.
//
// The reference is Python 3.11 to 3.13: atomic groups and possessive quantifiers are known, \z is not, and \B does not match in
// an empty text. Known differences that no pattern can be refused for:
//
//   - Unicode tables are Go's, so characters newer or older than Python's tables can differ in \w, \d, \s and case.
//   - A back-reference under IGNORECASE compares by regexp2's case rules.
//   - Bytes that are not valid UTF-8 are each one character U+FFFD.
//
// Matching always ends: see [DefaultTimeout], [ErrTimeout] and [ErrTooDeep]. regexp2 keeps one shared clock goroutine,
// which ends by itself about a second after the last time limit has passed.
package pyregex
