package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

// longestBrief is how many characters of a member are shown where its record stands within another value.
const longestBrief = 80

// longestList is how many elements of a list or dict are shown there.
const longestList = 3

// repr writes a value of a type as Python's repr does. around is the data of the record that it is a member of; nil: of none.
func (p plain) repr(b *strings.Builder, t sdk.TypeRef, value json.RawMessage, around map[string]json.RawMessage) error {
	t, value = settled(t, value)
	decl := p.facade.Type(t.Name)
	switch {
	case value[0] == '[':
		return p.reprList(b, elementOf(t), value, around)
	case value[0] == '{' && p.kind(t) == sdk.TypeRecord:
		return p.reprRecord(b, decl, value, around)
	case value[0] == '{' && p.kind(t) == sdk.TypeKeyedDict:
		return p.reprDict(b, value, nil, func(key string) sdk.TypeRef { return memberType(decl, key) })
	case value[0] == '{':
		return p.reprDict(b, value, around, func(string) sdk.TypeRef { return elementOf(t) })
	case p.kind(t) == sdk.TypeEnum && memberName(decl, value) != "":
		fmt.Fprintf(b, "<%s.%s: %s>", decl.Name, memberName(decl, value), value)
		return nil
	case t.Name == "float" && string(value) == "-0": // it is read as an int, which has no sign of zero
		value = json.RawMessage("0.0")
	case t.Name == "float":
		b.WriteString(pythonFloat(string(value)))
		return nil
	}
	return writePython(b, value)
}

// memberType is that of a record's member or a dict's key; Any where it has none.
func memberType(decl *sdk.TypeDecl, name string) sdk.TypeRef {
	for _, m := range decl.Members {
		if m.Name == name && m.Type != nil {
			return *m.Type
		}
	}
	return sdk.TypeRef{Name: "Any"}
}

func (p plain) reprList(b *strings.Builder, element sdk.TypeRef, value json.RawMessage, around map[string]json.RawMessage) error {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return err
	}
	b.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := p.repr(b, element, e, around); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

// reprDict writes the keys in their order.
func (p plain) reprDict(b *strings.Builder, value json.RawMessage, around map[string]json.RawMessage, typeOf func(key string) sdk.TypeRef) error {
	dec := json.NewDecoder(bytes.NewReader(value))
	if _, err := dec.Token(); err != nil {
		return err
	}
	b.WriteByte('{')
	for first := true; dec.More(); first = false {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return err
		}
		if !first {
			b.WriteString(", ")
		}
		name := key.(string) // of an object in JSON
		b.WriteString(pythonString(name) + ": ")
		if err := p.repr(b, typeOf(name), element, around); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// reprRecord writes the members that a model is told of, long ones in brief. Those to be fetched are not fetched for it.
func (p plain) reprRecord(b *strings.Builder, decl *sdk.TypeDecl, value json.RawMessage, around map[string]json.RawMessage) error {
	var data map[string]json.RawMessage
	if err := json.Unmarshal(value, &data); err != nil {
		return err
	}
	for _, m := range decl.Members {
		if inherited, there := around[m.Name]; m.Inherit && there && data[m.Name] == nil {
			data[m.Name] = inherited
		}
	}
	b.WriteString(decl.Name + "(")
	sep := ""
	for _, m := range decl.Members {
		if sdk.Hidden(m.Name) {
			continue
		}
		text := "<fetched when read>"
		if _, there := data[m.Name]; there || m.Lazy == "" {
			var err error
			if text, err = p.brief(memberType(decl, m.Name), data[m.Name], data); err != nil {
				return err
			}
		}
		b.WriteString(sep + m.Name + "=" + text)
		sep = ", "
	}
	b.WriteByte(')')
	return nil
}

// brief is the repr of a record's member, cut where it is long.
func (p plain) brief(t sdk.TypeRef, value json.RawMessage, around map[string]json.RawMessage) (string, error) {
	t, value = settled(t, value)
	if value[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) == nil && len(list) > longestList {
			return fmt.Sprintf("<list of %d>", len(list)), nil
		}
	}
	if value[0] == '{' && p.kind(t) != sdk.TypeRecord {
		var dict map[string]json.RawMessage
		if json.Unmarshal(value, &dict) == nil && len(dict) > longestList {
			return fmt.Sprintf("<dict of %d>", len(dict)), nil
		}
	}
	var b strings.Builder
	if err := p.repr(&b, t, value, around); err != nil {
		return "", err
	}
	text := b.String()
	if n := utf8.RuneCountInString(text); n > longestBrief {
		return fmt.Sprintf("%s… (%d characters)", string([]rune(text)[:longestBrief]), n), nil
	}
	return text, nil
}

// writePython writes a value that is no list or object.
func writePython(b *strings.Builder, value json.RawMessage) error {
	switch text := string(value); text {
	case "null":
		b.WriteString("None")
	case "true", "false":
		b.WriteString(strings.ToUpper(text[:1]) + text[1:])
	default:
		if value[0] != '"' {
			b.WriteString(pythonNumber(text))
			return nil
		}
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return err
		}
		b.WriteString(pythonString(s))
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
	return pythonFloat(text)
}

// pythonFloat is a number as Python writes it as a float.
func pythonFloat(text string) string {
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
