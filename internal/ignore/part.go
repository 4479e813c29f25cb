package ignore

import "strings"

// part is what a pattern says about one part of a path.
type part struct {
	anyDepth bool // "**" alone: any number of parts
	kind     partKind
	text     string // of plain and suffix parts
	tokens   []token
}

type partKind int

const (
	plain  partKind = iota // equals text
	suffix                 // "*" and then text
	tokens                 // anything else
)

// token matches one byte, or any number of them.
type token struct {
	star bool
	set  *[256]bool // nil for a star
}

// parseParts splits a pattern at its slashes, those in brackets excepted. ok is false if it can never match: a bracket that
// is not closed, an unknown class, a backslash at the end.
func parseParts(pattern string) (parts []part, ok bool) {
	start, i := 0, 0
	var toks []token
	literal := func(b byte) {
		set := &[256]bool{}
		set[b] = true
		toks = append(toks, token{set: set})
	}
	flush := func(end int) {
		parts = append(parts, newPart(pattern[start:end], toks))
		toks = nil
	}
	for i < len(pattern) {
		switch c := pattern[i]; c {
		case '/':
			flush(i)
			start = i + 1
		case '*':
			if n := len(toks); n == 0 || !toks[n-1].star {
				toks = append(toks, token{star: true})
			}
		case '?':
			any := &[256]bool{}
			for b := range any {
				any[b] = b != '/'
			}
			toks = append(toks, token{set: any})
		case '[':
			set, size, ok := parseSet(pattern[i:])
			if !ok {
				return nil, false
			}
			toks = append(toks, token{set: set})
			i += size - 1
		case '\\':
			if i+1 == len(pattern) {
				return nil, false
			}
			if i++; pattern[i] == '/' {
				flush(i - 1)
				start = i + 1
			} else {
				literal(pattern[i])
			}
		default:
			literal(c)
		}
		i++
	}
	flush(len(pattern))
	return parts, true
}

func newPart(text string, toks []token) part {
	p := part{kind: tokens, tokens: toks, anyDepth: len(text) > 1 && strings.Trim(text, "*") == ""}
	switch {
	case !strings.ContainsAny(text, `*?[\`):
		p.kind, p.text = plain, text
	case text[0] == '*' && !strings.ContainsAny(text[1:], `*?[\`):
		p.kind, p.text = suffix, text[1:]
	}
	return p
}

func (p *part) matches(name string) bool {
	switch p.kind {
	case plain:
		return name == p.text
	case suffix:
		return strings.HasSuffix(name, p.text)
	}
	at, back, backName := 0, -1, 0
	for i := 0; i < len(name); {
		switch {
		case at < len(p.tokens) && p.tokens[at].star:
			back, backName = at, i
			at++
		case at < len(p.tokens) && p.tokens[at].set[name[i]]:
			at++
			i++
		case back >= 0:
			backName++
			i, at = backName, back+1
		default:
			return false
		}
	}
	for at < len(p.tokens) && p.tokens[at].star {
		at++
	}
	return at == len(p.tokens)
}

// parseSet reads the bracket expression at the start of text, as git does: a range the wrong way round holds nothing.
func parseSet(text string) (set *[256]bool, size int, ok bool) {
	set = &[256]bool{}
	i := 1
	negated := i < len(text) && (text[i] == '!' || text[i] == '^')
	if negated {
		i++
	}
	var last byte // the character that a "-" may make the start of a range; 0 if none
	for first := true; ; first = false {
		if i >= len(text) {
			return nil, 0, false
		}
		c := text[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '\\':
			if i++; i >= len(text) {
				return nil, 0, false
			}
			last = text[i]
			set[last] = true
		case c == '-' && last != 0 && i+1 < len(text) && text[i+1] != ']':
			if i++; text[i] == '\\' {
				if i++; i >= len(text) {
					return nil, 0, false
				}
			}
			for b := int(last); b <= int(text[i]); b++ {
				set[b] = true
			}
			last = 0
		case c == '[' && i+1 < len(text) && text[i+1] == ':':
			end := strings.IndexByte(text[i+2:], ']')
			if end < 0 {
				return nil, 0, false
			}
			name, isClass := strings.CutSuffix(text[i+2:i+2+end], ":")
			if !isClass {
				last = c
				set[c] = true
				break
			}
			member, known := classes[name]
			if !known {
				return nil, 0, false
			}
			for b := range set {
				set[b] = set[b] || member(byte(b))
			}
			i += 2 + end
			last = 0
		default:
			last = c
			set[c] = true
		}
		i++
	}
	for b := range set {
		set[b] = set[b] != negated && b != '/'
	}
	return set, i + 1, true
}

func between(low, high byte) func(byte) bool {
	return func(b byte) bool { return low <= b && b <= high }
}

var (
	isUpper = between('A', 'Z')
	isLower = between('a', 'z')
	isDigit = between('0', '9')
	isGraph = between('!', '~')
)

// classes are the [:name:] classes, in ASCII as git has them.
var classes = map[string]func(byte) bool{
	"alpha":  func(b byte) bool { return isUpper(b) || isLower(b) },
	"alnum":  func(b byte) bool { return isUpper(b) || isLower(b) || isDigit(b) },
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  isGraph,
	"lower":  isLower,
	"print":  between(' ', '~'),
	"punct":  func(b byte) bool { return isGraph(b) && !isUpper(b) && !isLower(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  isUpper,
	"xdigit": func(b byte) bool { return isDigit(b) || between('a', 'f')(b) || between('A', 'F')(b) },
}
