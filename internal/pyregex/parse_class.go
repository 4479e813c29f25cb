package pyregex

import (
	"strconv"
	"strings"
	"unicode"
)

var controlEscapes = map[rune]rune{'a': 7, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\'}

// advice names the Python form of escapes that other engines have.
var advice = map[rune]string{
	'p': `Python's re has no Unicode properties; for letters use [^\W\d_]`,
	'P': `Python's re has no Unicode properties; for non-letters use [\W\d_]`,
	'R': `for any line break use (?:\r\n|\n|\r)`,
	'X': `Python's re has no grapheme clusters`,
	'G': `Python's re has no anchor for the end of the last match`,
	'K': `use a look-behind, (?<=...)`,
	'z': `the end of the text is \Z`,
	'e': `the escape character is \x1b`,
	'h': `for blanks use [ \t]`,
	'H': `for anything but blanks use [^ \t]`,
	'Q': `Python's re cannot quote a stretch of text; put a backslash before each special character`,
	'E': `Python's re cannot quote a stretch of text; put a backslash before each special character`,
	'k': `a group is referred to by (?P=name)`,
	'g': `a group is referred to by \1 or (?P=name)`,
	'c': `write control characters as \x01 to \x1f`,
}

func (p *parser) badEscape(at int, r rune) error {
	if hint := advice[r]; hint != "" {
		return p.fail(at, "bad escape \\%c: %s", r, hint)
	}
	return p.fail(at, "bad escape \\%c", r)
}

// escape reads what follows a backslash outside a class.
func (p *parser) escape(at int, flags Flags) (*node, error) {
	r := p.next()
	switch r {
	case -1:
		return nil, p.fail(at, "bad escape (end of pattern)")
	case 'A':
		return &node{op: opAssert, at: atTextStart}, nil
	case 'Z':
		return &node{op: opAssert, at: atTextEnd}, nil
	case 'b':
		return &node{op: opAssert, at: atWordEdge, ascii: flags&ASCII != 0}, nil
	case 'B':
		return &node{op: opAssert, at: atNoWordEdge, ascii: flags&ASCII != 0}, nil
	case 'w', 'W', 'd', 'D', 's', 'S':
		return &node{op: opSet, set: &charSet{cats: []category{categoryOf(r, flags)}}}, nil
	case '0':
		value, _ := strconv.ParseInt("0"+p.take(2, octal), 8, 32)
		return p.literal(rune(value), flags), nil
	}
	if r >= '1' && r <= '9' {
		return p.numeric(at, r, flags)
	}
	value, ok, err := p.charEscape(at, r)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, p.badEscape(at, r)
	}
	return p.literal(value, flags), nil
}

const octal = "01234567"

// numeric reads a back-reference, or a character given by three octal digits.
func (p *parser) numeric(at int, first rune, flags Flags) (*node, error) {
	text := string(first)
	if r := p.peek(); r >= '0' && r <= '9' {
		text += string(p.next())
		if strings.Trim(text, octal) == "" && p.peek() >= 0 && strings.ContainsRune(octal, p.peek()) {
			text += string(p.next())
			value, _ := strconv.ParseInt(text, 8, 32)
			if value > 0o377 {
				return nil, p.fail(at, "octal escape value \\%s outside of range 0-0o377", text)
			}
			return p.literal(rune(value), flags), nil
		}
	}
	number, _ := strconv.Atoi(text)
	return p.backref(at+1, number, flags)
}

// charEscape reads an escape that stands for one character, the same in and outside classes. ok is false for a letter
// or digit that stands for none.
func (p *parser) charEscape(at int, r rune) (value rune, ok bool, err error) {
	if value, ok := controlEscapes[r]; ok {
		return value, true, nil
	}
	if size := map[rune]int{'x': 2, 'u': 4, 'U': 8}[r]; size > 0 {
		digits := p.take(size, "0123456789abcdefABCDEF")
		if len(digits) < size {
			return 0, false, p.fail(at, "incomplete escape \\%c%s", r, digits)
		}
		code, _ := strconv.ParseInt(digits, 16, 64)
		switch {
		case code > unicode.MaxRune:
			return 0, false, p.fail(at, "bad escape \\%c%s", r, digits)
		case code >= 0xD800 && code <= 0xDFFF:
			return 0, false, p.unsupported(at, "\\%c%s is half of a surrogate pair, which no text here can hold; use the whole character", r, digits)
		}
		return rune(code), true, nil
	}
	if r == 'N' {
		name := ""
		if p.accept('{') {
			if name, err = p.until('}', "character name"); err != nil {
				return 0, false, err
			}
			return 0, false, p.unsupported(at, "\\N{%s}: characters cannot be given by name; write the character itself or \\uXXXX", name)
		}
		return 0, false, p.fail(at, "missing {")
	}
	if r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return 0, false, nil
	}
	return r, true, nil
}

func categoryOf(r rune, flags Flags) category {
	return category{kind: byte(unicode.ToLower(r)), negative: unicode.IsUpper(r), ascii: flags&ASCII != 0}
}

// class reads what follows "[".
func (p *parser) class(at int, flags Flags) (*node, error) {
	set := &charSet{negative: p.accept('^')}
	for items := 0; ; items++ {
		if p.peek() < 0 {
			return nil, p.fail(at, "unterminated character set")
		}
		if items > 0 && p.accept(']') {
			break
		}
		itemAt := p.pos
		low, cat, err := p.classItem(flags)
		if err != nil {
			return nil, err
		}
		high := low
		if p.accept('-') {
			if p.peek() < 0 {
				return nil, p.fail(at, "unterminated character set")
			}
			if p.peek() == ']' { // the "-" is the last character of the set
				p.pos--
			} else {
				var highCat *category
				if high, highCat, err = p.classItem(flags); err != nil {
					return nil, err
				}
				if cat != nil || highCat != nil || high < low {
					return nil, p.fail(itemAt, "bad character range %s", string(p.src[itemAt:p.pos]))
				}
			}
		}
		if cat != nil {
			set.cats = append(set.cats, *cat)
		} else {
			set.spans = append(set.spans, span{low, high})
		}
	}
	if flags&IgnoreCase != 0 {
		set.fold(flags&ASCII != 0)
	}
	return &node{op: opSet, set: set}, nil
}

// classItem reads one character or category of a class.
func (p *parser) classItem(flags Flags) (rune, *category, error) {
	at := p.pos
	r := p.next()
	if r != '\\' {
		return r, nil, nil
	}
	r = p.next()
	switch {
	case r < 0:
		return 0, nil, p.fail(at, "bad escape (end of pattern)")
	case strings.ContainsRune("wWdDsS", r):
		cat := categoryOf(r, flags)
		return 0, &cat, nil
	case r == 'b':
		return '\b', nil, nil
	case strings.ContainsRune(octal, r):
		digits := string(r) + p.take(2, octal)
		value, _ := strconv.ParseInt(digits, 8, 32)
		if value > 0o377 {
			return 0, nil, p.fail(at, "octal escape value \\%s outside of range 0-0o377", digits)
		}
		return rune(value), nil, nil
	}
	value, ok, err := p.charEscape(at, r)
	if err != nil {
		return 0, nil, err
	}
	if !ok {
		return 0, nil, p.badEscape(at, r)
	}
	return value, nil, nil
}
