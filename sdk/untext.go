package sdk

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// pythonWords are texts that stand for what JSON writes otherwise.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// untext returns the value that a text stands for where t wants something else than that text. What cannot be made to fit is
// returned as it came, for Check to word the fault.
func untext(t TypeRef, value json.RawMessage) json.RawMessage {
	if t.Check(value) == nil {
		return value
	}
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return value
	}
	read, err := json.Marshal(readAs(t, v))
	if err != nil || t.Check(read) != nil {
		return value
	}
	return read
}

func readAs(t TypeRef, v any) any {
	if checkValue(t, v) == nil {
		return v
	}
	switch x := v.(type) {
	case string:
		if inner, ok := parseText(x); ok {
			if _, still := inner.(string); !still {
				return readAs(t, inner)
			}
		}
	case json.Number:
		if f, err := strconv.ParseFloat(x.String(), 64); err == nil && f == float64(int64(f)) && wantsInt(t) {
			return json.Number(strconv.FormatInt(int64(f), 10))
		}
	case []any:
		if element := elementOf(t, "list"); element != nil {
			for i := range x {
				x[i] = readAs(*element, x[i])
			}
		}
	case map[string]any:
		if element := elementOf(t, "dict"); element != nil {
			for k := range x {
				x[k] = readAs(*element, x[k])
			}
		}
	}
	return v
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
	if dec.Decode(&v) != nil || dec.More() {
		return nil, false
	}
	return v, true
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
