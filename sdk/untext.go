package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// pythonWords are texts that stand for what JSON writes otherwise.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// untext returns the value that a text stands for where t wants something else than that text. What cannot be made to fit is
// returned as it came, for Check to word the fault; what is right but for a part of it, as it was read.
func (c checker) untext(t TypeRef, value json.RawMessage) json.RawMessage {
	if c.check(t, value) == nil {
		return value
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return value
	}
	read, err := json.Marshal(c.readAs(t, v))
	if err != nil {
		return value
	}
	if _, other := c.check(t, read).(*mismatch); other {
		return value
	}
	return read
}

func (c checker) readAs(t TypeRef, v any) any {
	if c.value(t, v, false) == nil {
		return v
	}
	switch x := v.(type) {
	case string:
		if inner, ok := parseText(x); ok {
			if _, still := inner.(string); !still {
				return c.readAs(t, inner)
			}
		}
	case json.Number:
		if f, err := strconv.ParseFloat(x.String(), 64); err == nil && f == float64(int64(f)) && wantsInt(t) {
			return json.Number(strconv.FormatInt(int64(f), 10))
		}
	case []any:
		if element := elementOf(t, "list"); element != nil {
			for i := range x {
				x[i] = c.readAs(*element, x[i])
			}
		}
	case map[string]any:
		for k := range x {
			if element := c.memberOf(t, k); element != nil {
				x[k] = c.readAs(*element, x[k])
			}
		}
	}
	return v
}

// memberOf is the type of what a dict or record, optional or not, has under a key; nil where that is not known.
func (c checker) memberOf(t TypeRef, key string) *TypeRef {
	if t.Name == "optional" {
		return c.memberOf(t.Args[0], key)
	}
	if decl := c.decl(t.Name); decl != nil && decl.member(key) != nil {
		return decl.member(key).Type
	}
	return elementOf(t, "dict")
}

// parseText reads a text that holds nothing but one JSON value or one of Python's words.
func parseText(text string) (any, bool) {
	text = strings.TrimSpace(text)
	if word, ok := pythonWords[text]; ok {
		text = word
	}
	if checkText([]byte(text)) != nil {
		return nil, false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return nil, false
	}
	_, err := dec.Token() // More takes a bracket too many for an end
	return v, errors.Is(err, io.EOF)
}

// elementOf is the element of a list or dict, optional or not.
func elementOf(t TypeRef, name string) *TypeRef {
	if t.Name == "optional" {
		return elementOf(t.Args[0], name)
	}
	if t.Name != name {
		return nil
	}
	return &t.Args[0]
}

// wantsInt reports whether a number must be an int: enums are.
func wantsInt(t TypeRef) bool {
	switch t.Name {
	case "optional":
		return wantsInt(t.Args[0])
	case "str", "bool", "None", "Any", "float", "list", "dict", "literal", "union":
		return false
	}
	return true
}
