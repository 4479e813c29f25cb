package sdk

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Example documents a call of the method as it is written in Python without `s.`, with literal arguments: `todo.add("milk", tags=["shop"])`. Validate
// checks that it fits the signature, and sdktest.Run runs it, in the order of the methods and their examples; `info` shows it.
func Example(call string) MethodOption {
	return func(m *MethodDecl) { m.Examples = append(m.Examples, call) }
}

// ExampleArguments are the arguments of an example of the method, by name. A fault is a ValueError that shows where it stands.
func (m MethodDecl) ExampleArguments(facade, example string) (map[string]json.RawMessage, error) {
	p := &callParser{text: example}
	want := facade + "." + m.Name
	if name := p.until('('); name != want {
		return nil, Errorf(KindValue, "the example %s calls %q, not %s: write %s(…) with literal arguments", example, name, want, want)
	}
	args := map[string]json.RawMessage{}
	position := 0
	err := p.list(')', func() error {
		name, named := p.keyword()
		if !named {
			if position >= len(m.Params) {
				return fmt.Errorf("it takes %d arguments at most", len(m.Params))
			}
			name = m.Params[position].Name
			position++
		}
		if _, twice := args[name]; twice {
			return fmt.Errorf("argument %s is given twice", name)
		}
		value, err := p.value()
		if err != nil {
			return err
		}
		args[name], err = json.Marshal(value)
		return err
	})
	if err == nil && strings.TrimSpace(p.rest()) != "" {
		err = fmt.Errorf("nothing may stand behind the call")
	}
	if err != nil {
		return nil, Errorf(KindValue, "the example %s is no call with literal arguments: at column %d: %w", example, utf8.RuneCountInString(example[:p.at]), err)
	}
	return args, nil
}

// callParser reads Python literals. Columns are 0-based.
type callParser struct {
	text string
	at   int
}

func (p *callParser) rest() string { return p.text[p.at:] }

func (p *callParser) skip() { p.at += len(p.rest()) - len(strings.TrimLeft(p.rest(), " \t\n")) }

// take consumes c behind blanks, if it stands there.
func (p *callParser) take(c byte) bool {
	p.skip()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

// until consumes up to and with c, and returns what stands before it; everything if there is none.
func (p *callParser) until(c byte) string {
	before, _, found := strings.Cut(p.rest(), string(c))
	p.at += len(before)
	if found {
		p.at++
	}
	return strings.TrimSpace(before)
}

// keyword consumes `name=`, if it stands there.
func (p *callParser) keyword() (string, bool) {
	p.skip()
	name, _, found := strings.Cut(p.rest(), "=")
	if !found || !identifier.MatchString(strings.TrimSpace(name)) {
		return "", false
	}
	p.at += len(name) + 1
	return strings.TrimSpace(name), true
}

// list reads elements up to end, which may follow a comma.
func (p *callParser) list(end byte, element func() error) error {
	for {
		if p.take(end) {
			return nil
		}
		if err := element(); err != nil {
			return err
		}
		if !p.take(',') {
			if p.take(end) {
				return nil
			}
			return fmt.Errorf("a comma or %q is missing", end)
		}
	}
}

func (p *callParser) value() (any, error) {
	p.skip()
	switch {
	case p.take('['):
		return p.elements(']')
	case p.take('('):
		return p.elements(')')
	case p.take('{'):
		return p.dict()
	}
	if rest := p.rest(); rest != "" && strings.ContainsRune("'\"", rune(rest[0])) {
		return p.str()
	}
	return p.word()
}

func (p *callParser) elements(end byte) (any, error) {
	values := []any{}
	err := p.list(end, func() error {
		v, err := p.value()
		values = append(values, v)
		return err
	})
	return values, err
}

func (p *callParser) dict() (any, error) {
	values := map[string]any{}
	err := p.list('}', func() error {
		key, err := p.value()
		name, isText := key.(string)
		if err != nil || !isText || !p.take(':') {
			return fmt.Errorf("an entry of a dict is \"key\": value")
		}
		values[name], err = p.value()
		return err
	})
	return values, err
}

// word reads a number or one of None, True and False.
func (p *callParser) word() (any, error) {
	n := strings.IndexAny(p.rest(), ",)]}: \t\n")
	if n < 0 {
		n = len(p.rest())
	}
	word := p.rest()[:n]
	switch word {
	case "None":
		p.at += n
		return nil, nil
	case "True", "False":
		p.at += n
		return word == "True", nil
	}
	number := strings.TrimPrefix(word, "+")
	if !json.Valid([]byte(number)) || strings.ContainsAny(number, "tfn\"") {
		return nil, fmt.Errorf("%q is no literal", word)
	}
	p.at += n
	return json.Number(number), nil
}

var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '0': "\x00", '\\': "\\", '\'': "'", '"': "\"", '\n': ""}

// hexEscapes are the escapes with so many hexadecimal digits.
var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

func (p *callParser) str() (string, error) {
	quote := p.text[p.at]
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		c := p.text[i]
		switch {
		case c == quote:
			p.at = i + 1
			return b.String(), nil
		case c != '\\' || i+1 == len(p.text):
			b.WriteByte(c)
			continue
		}
		i++
		c = p.text[i]
		if digits := hexEscapes[c]; digits > 0 && i+digits < len(p.text) {
			code, err := strconv.ParseUint(p.text[i+1:i+1+digits], 16, 32)
			if err != nil || !utf8.ValidRune(rune(code)) {
				return "", fmt.Errorf("the escape \\%s is none", p.text[i:i+1+digits])
			}
			b.WriteRune(rune(code))
			i += digits
			continue
		}
		text, known := escapes[c]
		if !known {
			return "", fmt.Errorf("the escape \\%c is not known here", c)
		}
		b.WriteString(text)
	}
	return "", fmt.Errorf("a text that begins here has no end")
}
