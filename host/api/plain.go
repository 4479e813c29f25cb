package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

// deepestList is how many lists within lists are shown element by element for the records in them.
const deepestList = 3

// plainText shows an outcome that is no record as a cell shows it: a str as it is, the elements of a list one by one, records in it by
// their rendering, anything else as Python's str does.
func (d *Dispatcher) plainText(ctx context.Context, c Caller, m *Method, out Outcome) (string, error) {
	p := plain{facade: c.Scope.registry.Facade(m.Facade), record: func(typeName string, value json.RawMessage) (string, error) {
		return d.Render(ctx, c, m.Facade, typeName, value, out.Policy)
	}}
	return p.text(m.Result, out.Value, 0)
}

type plain struct {
	facade *Facade
	record func(typeName string, value json.RawMessage) (string, error)
}

func (p plain) text(t sdk.TypeRef, value json.RawMessage, depth int) (string, error) {
	value = bytes.TrimSpace(value)
	for t.Name == "optional" {
		t = t.Args[0]
	}
	var list []json.RawMessage
	switch {
	case len(value) == 0 || string(value) == "null":
		return "None", nil
	case value[0] == '"':
		var s string
		err := json.Unmarshal(value, &s)
		return s, err
	case value[0] == '[' && json.Unmarshal(value, &list) == nil && len(list) > 0:
		element := sdk.TypeRef{Name: "Any"}
		if t.Name == "list" {
			element = t.Args[0]
		}
		if depth == 0 || depth < deepestList && p.isRecord(element) {
			return p.elements(element, list, depth)
		}
	case value[0] == '{' && p.isRecord(t):
		return p.record(t.Name, value)
	}
	return p.python(t, value)
}

func (p plain) elements(t sdk.TypeRef, list []json.RawMessage, depth int) (string, error) {
	texts := make([]string, len(list))
	for i, element := range list {
		var err error
		if texts[i], err = p.text(t, element, depth+1); err != nil {
			return "", err
		}
	}
	return strings.Join(texts, "\n"), nil
}

func (p plain) isRecord(t sdk.TypeRef) bool {
	decl := p.facade.Type(t.Name)
	return decl != nil && decl.Kind == sdk.TypeRecord
}

// python writes a value as Python's str does; a str within it as repr does. A member of an enum is its name.
func (p plain) python(t sdk.TypeRef, value json.RawMessage) (string, error) {
	if decl := p.facade.Type(t.Name); decl != nil && decl.Kind == sdk.TypeEnum {
		at := slices.IndexFunc(decl.Members, func(m sdk.MemberDecl) bool { return strconv.Itoa(m.Value) == string(value) })
		if at >= 0 {
			return decl.Members[at].Name, nil
		}
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var b strings.Builder
	if err := writePython(&b, dec); err != nil {
		return "", fmt.Errorf("the answer cannot be shown: %w", err)
	}
	return b.String(), nil
}

// writePython writes the next value, the keys of a dict in their order.
func writePython(b *strings.Builder, dec *json.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		b.WriteString(map[bool]string{true: "True", false: "False"}[v])
	case json.Number:
		b.WriteString(pythonNumber(v.String()))
	case string:
		b.WriteString(pythonString(v))
	case json.Delim:
		b.WriteString(v.String())
		for first := true; dec.More(); first = false {
			if !first {
				b.WriteString(", ")
			}
			if v == '{' {
				key, err := dec.Token()
				if err != nil {
					return err
				}
				b.WriteString(pythonString(key.(string)) + ": ")
			}
			if err := writePython(b, dec); err != nil {
				return err
			}
		}
		end, err := dec.Token()
		if err != nil {
			return err
		}
		b.WriteString(end.(json.Delim).String())
	}
	return nil
}

// pythonNumber is a number as Python writes it.
func pythonNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" { // an int has no sign of zero
			return "0"
		}
		return text
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return map[bool]string{true: "-inf", false: "inf"}[strings.HasPrefix(text, "-")]
	}
	short := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(short, "e")
	if e, _ := strconv.Atoi(exponent); e < -4 || e >= 16 {
		return mantissa + "e" + exponent
	}
	if short = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(short, ".") {
		short += ".0"
	}
	return short
}

// pythonString is a str as Python's repr writes it.
func pythonString(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteRune('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || r > utf8.RuneSelf && unicode.IsPrint(r) || r > ' ' && r < 0x7f:
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}
