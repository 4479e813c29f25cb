// Package glob is the one glob engine: it matches paths relative to a project's root, with "/" between their parts.
//
//   - any characters within one part of a path, none included
//     ?        one character, not "/"
//     **       any characters, "/" included; "**/" is any number of folders, none included; "dir/**" is all below dir
//     {a,b}    either; alternatives may be empty, hold "/" and be nested
//     [abc]    one of these characters; ranges [a-z] and classes [[:digit:]] work; [!abc] and [^abc] are any other, never "/"
//     \x       the character x itself
//
// A pattern describes the whole path from the root: "*.go" is the root's own files, "**/*.go" those of all folders.
// Hidden names are like any other; upper and lower case differ. Matching takes time linear in the path.
package glob

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// SyntaxError reports a pattern that is not a glob.
type SyntaxError struct {
	Pattern string
	Pos     int // 0-based, in code points; where the trouble starts
	Msg     string
}

func (e *SyntaxError) Error() string {
	shown := e.Pattern
	if len(shown) > mostShown {
		shown = strings.ToValidUTF8(shown[:mostShown], "") + "…"
	}
	return fmt.Sprintf("glob %q: at position %d: %s", shown, e.Pos, e.Msg)
}

// Glob is a compiled pattern. It is safe for concurrent use.
type Glob struct {
	pattern string
	re      *regexp.Regexp
	prefix  string
}

// Compile compiles a pattern. A leading "./" means nothing. The error is a [*SyntaxError].
func Compile(pattern string) (*Glob, error) {
	p := &parser{pattern: pattern}
	body := strings.TrimPrefix(pattern, "./")
	p.skipped = len(pattern) - len(body)
	plain, err := p.expand(body)
	if err != nil {
		return nil, err
	}
	var (
		exprs  []string
		prefix string
	)
	for i, alternative := range plain {
		if err := p.checkParts(alternative); err != nil {
			return nil, err
		}
		exprs = append(exprs, translate(alternative))
		if dir := literalDir(alternative); i == 0 {
			prefix = dir
		} else {
			prefix = commonDir(prefix, dir)
		}
	}
	re, err := regexp.Compile(`(?s)\A(?:` + strings.Join(exprs, "|") + `)\z`)
	if err != nil {
		return nil, p.fail(0, "it is too large: use a shorter pattern, or several")
	}
	if prefix == "" {
		prefix = "."
	}
	return &Glob{pattern: pattern, re: re, prefix: prefix}, nil
}

// mostShown is how many bytes of a pattern an error shows.
const mostShown = 300

// Match tells whether a path is described by the pattern. The path is clean, relative to the root, "/"-separated.
func (g *Glob) Match(path string) bool { return g.re.MatchString(path) }

// PrefixDir returns the deepest folder that holds every path that can match, "." for the root: a walk can start there.
func (g *Glob) PrefixDir() string { return g.prefix }

// String returns the pattern as it was given.
func (g *Glob) String() string { return g.pattern }

// translate turns a valid pattern without braces into a regular expression.
func translate(pattern string) string {
	var out strings.Builder
	partStart := true
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**"):
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			i += stars
			switch {
			case partStart && strings.HasPrefix(rest[stars:], "/"):
				out.WriteString(`(?:[^/]+/)*`)
				i++
				continue // still at the start of a part
			case partStart && stars == len(rest):
				out.WriteString(`.+`)
			default:
				out.WriteString(`.*`)
			}
		case rest[0] == '*':
			out.WriteString(`[^/]*`)
			i++
		case rest[0] == '?':
			out.WriteString(`[^/]`)
			i++
		case rest[0] == '[':
			expr, size, _ := Set(rest)
			out.WriteString(expr)
			i += size
		case rest[0] == '/':
			out.WriteByte('/')
			partStart = true
			i++
			continue
		default:
			if rest[0] == '\\' {
				i++
			}
			_, size := utf8.DecodeRuneInString(pattern[i:])
			out.WriteString(regexp.QuoteMeta(pattern[i : i+size]))
			i += size
		}
		partStart = false
	}
	return out.String()
}

// literalDir returns the folder part of a valid pattern without braces, up to the first part that is not plain text.
func literalDir(pattern string) string {
	var dir, part strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*', '?', '[':
			return strings.TrimSuffix(dir.String(), "/")
		case '/':
			dir.WriteString(part.String() + "/")
			part.Reset()
		case '\\':
			i++
			part.WriteByte(pattern[i])
		default:
			part.WriteByte(c)
		}
	}
	return strings.TrimSuffix(dir.String(), "/")
}

// commonDir returns the deepest folder that holds both.
func commonDir(a, b string) string {
	common := ""
	for part := range strings.SplitSeq(a, "/") {
		next := part
		if common != "" {
			next = common + "/" + part
		}
		if b != next && !strings.HasPrefix(b, next+"/") {
			break
		}
		common = next
	}
	return common
}
