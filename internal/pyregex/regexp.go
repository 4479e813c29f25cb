package pyregex

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/dlclark/regexp2/v2"
)

// Regexp is a compiled pattern. It is safe for concurrent use.
type Regexp struct {
	pattern string
	tree    *node
	names   []string // by group number; 0 is unused
	least   int      // characters in the shortest match

	plain  string // the text to find, where the pattern is nothing else
	byText [2]*program
	full   func() (*regexp2.Regexp, error)
}

// program is a pattern made ready for an engine: one for ASCII texts, one for all others.
type program struct {
	linear *regexp.Regexp  // used if not nil
	re     *regexp2.Regexp // else this one
	// next finds a non-empty match that starts exactly where the search does, as Python looks for it after an empty one.
	next func() (*regexp2.Regexp, error)
}

// maxLinearSize bounds the patterns given to Go's regexp. It cannot be interrupted, and its time grows with the
// pattern's size at every character.
const maxLinearSize = 150

// maxBacktracking is the number of ints that regexp2 may use for alternatives still open.
const maxBacktracking = 8 << 20

// Compile prepares a pattern. The error is a [*SyntaxError].
func Compile(pattern string, flags Flags) (*Regexp, error) {
	p, tree, err := parse(pattern, flags&(IgnoreCase|Multiline|DotAll|Verbose|ASCII))
	if err != nil {
		return nil, err
	}
	re := &Regexp{pattern: pattern, tree: tree, names: p.groupNames}
	re.least, _ = tree.width(p.groups)
	if text, ok := tree.literal(); ok && text != "" {
		re.plain = text
	}
	for i := range re.byText {
		if re.byText[i], err = re.build(i == 1); err != nil {
			return nil, &SyntaxError{Pattern: pattern, Msg: fmt.Sprintf("the engine cannot run it (%v)", err), Unsupported: true}
		}
	}
	re.full = sync.OnceValues(func() (*regexp2.Regexp, error) {
		return compile(`\A(?:` + dialect{}.write(tree) + `)\z`)
	})
	return re, nil
}

func (re *Regexp) build(ascii bool) (*program, error) {
	if re.least > 0 && re.tree.linear(ascii) && re.tree.size() <= maxLinearSize {
		if linear, err := regexp.Compile(dialect{re2: true, ascii: ascii}.write(re.tree)); err == nil {
			return &program{linear: linear}, nil
		}
	}
	source := dialect{ascii: ascii}.write(re.tree)
	engine, err := compile(source)
	if err != nil {
		return nil, err
	}
	next := sync.OnceValues(func() (*regexp2.Regexp, error) {
		return compile(`\G(?:` + source + `)(?!\G)`)
	})
	return &program{re: engine, next: next}, nil
}

func compile(source string) (*regexp2.Regexp, error) {
	return regexp2.Compile(source, regexp2.OptionMaxBacktrackingStackSize(maxBacktracking))
}

// String returns the pattern as it was given.
func (re *Regexp) String() string { return re.pattern }

// NumGroups returns the number of capturing groups, the whole match not counted.
func (re *Regexp) NumGroups() int { return len(re.names) - 1 }

// GroupName returns the name of group i, from 1 to NumGroups(); "" if it has none.
func (re *Regexp) GroupName(i int) string {
	if i < 1 || i >= len(re.names) {
		return ""
	}
	return re.names[i]
}

// GroupIndex returns the number of the group with a name; false if there is none.
func (re *Regexp) GroupIndex(name string) (int, bool) {
	for i, n := range re.names {
		if i > 0 && name != "" && n == name {
			return i, true
		}
	}
	return 0, false
}
