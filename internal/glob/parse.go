package glob

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxAlternatives bounds what braces may multiply to.
const maxAlternatives = 1000

type parser struct {
	pattern string // as given
	skipped int    // bytes of pattern before the part that is parsed
}

func (p *parser) fail(at int, format string, args ...any) error {
	return &SyntaxError{
		Pattern: p.pattern,
		Pos:     utf8.RuneCountInString(p.pattern[:p.skipped+at]),
		Msg:     fmt.Sprintf(format, args...),
	}
}

// expand checks a pattern and multiplies its braces out. Positions in errors are those of the pattern as given.
func (p *parser) expand(body string) ([]string, error) {
	if body == "" {
		return nil, p.fail(0, "it is empty: use ** for every file")
	}
	if body[0] == '/' {
		return nil, p.fail(0, "it starts with a slash: patterns are relative to the project's root, remove the slash")
	}
	all, end, err := p.sequence(body, 0, 0)
	if err != nil {
		return nil, err
	}
	if end < len(body) {
		return nil, p.fail(end, `"}" closes nothing: write "\}" for the character itself`)
	}
	return all, nil
}

// sequence expands body from at to its end, or within braces to the "," or "}" that ends the alternative.
func (p *parser) sequence(body string, at, depth int) (all []string, end int, err error) {
	all = []string{""}
	for at < len(body) {
		var next []string
		start := at
		switch c := body[at]; {
		case c == '}' || c == ',' && depth > 0:
			return all, at, nil
		case c == '{':
			if next, at, err = p.braces(body, at, depth); err != nil {
				return nil, 0, err
			}
		case c == '[':
			_, size, err := Set(body[at:])
			if err != nil {
				return nil, 0, p.fail(at, "%s", err)
			}
			at += size
		case c == '\\':
			if at+1 == len(body) {
				return nil, 0, p.fail(at, `it ends in a backslash: write "\\" for the character itself`)
			}
			_, size := utf8.DecodeRuneInString(body[at+1:])
			at += 1 + size
		default:
			r, size := utf8.DecodeRuneInString(body[at:])
			if r == utf8.RuneError && size == 1 {
				return nil, 0, p.fail(at, "it is not valid UTF-8")
			}
			at += size
		}
		if next == nil {
			next = []string{body[start:at]}
		}
		if all, err = p.product(all, next, start); err != nil {
			return nil, 0, err
		}
	}
	return all, at, nil
}

// braces expands the alternatives of the brace at open; end is after the closing one.
func (p *parser) braces(body string, open, depth int) (all []string, end int, err error) {
	for at := open + 1; ; at++ {
		alternative, stop, err := p.sequence(body, at, depth+1)
		if err != nil {
			return nil, 0, err
		}
		if all = append(all, alternative...); len(all) > maxAlternatives {
			return nil, 0, p.fail(open, "braces stand for more than %d alternatives: use fewer", maxAlternatives)
		}
		if stop == len(body) {
			return nil, 0, p.fail(open, `"{" is never closed: add "}", or write "\{" for the character itself`)
		}
		if at = stop; body[at] == '}' {
			return all, at + 1, nil
		}
	}
}

func (p *parser) product(heads, tails []string, at int) ([]string, error) {
	if len(tails) == 1 {
		for i := range heads {
			heads[i] += tails[0]
		}
		return heads, nil
	}
	if len(heads)*len(tails) > maxAlternatives {
		return nil, p.fail(at, "braces stand for more than %d alternatives: use fewer", maxAlternatives)
	}
	all := make([]string, 0, len(heads)*len(tails))
	for _, head := range heads {
		for _, tail := range tails {
			all = append(all, head+tail)
		}
	}
	return all, nil
}

// checkParts refuses an expanded pattern that no clean relative path can match.
func (p *parser) checkParts(plain string) error {
	parts := strings.Split(plain, "/")
	for i, part := range parts {
		switch {
		case part == "" && i == len(parts)-1 && i > 0:
			return p.fail(len(p.pattern)-p.skipped, `it ends in a slash, but only files are matched: write "%s**" for all below that folder`, plain)
		case part == "" && len(parts) == 1:
			return p.fail(0, "an alternative of the braces leaves it empty: use ** for every file")
		case part == "":
			return p.fail(0, "it has an empty part between slashes (%q): remove one slash", plain)
		case part == "." || part == "..":
			return p.fail(0, "it has the part %q, which no path below the project's root has: remove it", part)
		}
	}
	return nil
}

var posix = map[string]string{
	"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": `\t `, "cntrl": `\x00-\x1f\x7f`, "digit": "0-9", "graph": "!-.0-~",
	"lower": "a-z", "print": " -.0-~", "punct": "!-.:-@\\[-`{-~", "space": `\t-\r `, "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}

// Set translates the bracket expression at the start of text into a regular expression that matches one character,
// never "/"; size is its length in bytes. The error says what is wrong with it.
func Set(text string) (expr string, size int, err error) {
	var (
		out   strings.Builder
		items int
		i     = 1
		neg   = strings.HasPrefix(text[1:], "!") || strings.HasPrefix(text[1:], "^")
	)
	if neg {
		i++
	}
	for {
		if i >= len(text) {
			return "", 0, errors.New(`"[" is never closed: add "]", or write "\[" for the character itself`)
		}
		if text[i] == ']' && items > 0 {
			break
		}
		items++
		if strings.HasPrefix(text[i:], "[:") {
			name, _, closed := strings.Cut(text[i+2:], ":]")
			ranges, known := posix[name]
			if closed && !known {
				return "", 0, fmt.Errorf("there is no class [:%s:]: use alnum, alpha, blank, cntrl, digit, graph, lower, print, punct, space, upper or xdigit", name)
			}
			if closed {
				out.WriteString(ranges)
				i += len(name) + 4
				continue
			}
		}
		low, n, err := setChar(text[i:])
		if err != nil {
			return "", 0, err
		}
		i += n
		high := low
		if i+1 < len(text) && text[i] == '-' && text[i+1] != ']' {
			if high, n, err = setChar(text[i+1:]); err != nil {
				return "", 0, err
			}
			if high < low {
				return "", 0, fmt.Errorf("the range %c-%c is the wrong way round", low, high)
			}
			i += 1 + n
		}
		writeRange(&out, low, high)
	}
	switch {
	case neg:
		return "[^/" + out.String() + "]", i + 1, nil
	case out.Len() == 0: // nothing but "/"
		return `[^\x00-\x{10FFFF}]`, i + 1, nil
	}
	return "[" + out.String() + "]", i + 1, nil
}

func setChar(text string) (r rune, size int, err error) {
	if text[0] == '\\' && len(text) > 1 {
		r, size = utf8.DecodeRuneInString(text[1:])
		return r, size + 1, nil
	}
	r, size = utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		return 0, 0, errors.New("the set holds bytes that are not valid UTF-8")
	}
	return r, size, nil
}

// writeRange writes a range for a regular expression's class, leaving "/" out.
func writeRange(out *strings.Builder, low, high rune) {
	if low <= '/' && '/' <= high {
		if low < '/' {
			fmt.Fprintf(out, `\x{%x}-\x{%x}`, low, '/'-1)
		}
		if high > '/' {
			fmt.Fprintf(out, `\x{%x}-\x{%x}`, '/'+1, high)
		}
		return
	}
	fmt.Fprintf(out, `\x{%x}-\x{%x}`, low, high)
}
