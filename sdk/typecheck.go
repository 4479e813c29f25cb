package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Check reports whether a JSON value fits the type, in words for the caller: what is wanted and what came. Values of enum
// types are integers. Nothing is converted: 3.0 is no int.
func (t TypeRef) Check(value json.RawMessage) error {
	var v any
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return checkValue(t, v)
}

func checkValue(t TypeRef, v any) error {
	ok := true
	switch t.Name {
	case "Any":
	case "None":
		ok = v == nil
	case "str":
		_, ok = v.(string)
	case "bool":
		_, ok = v.(bool)
	case "int":
		ok = isInteger(v)
	case "float":
		_, ok = v.(json.Number)
	case "literal":
		s, isText := v.(string)
		ok = isText && slices.Contains(t.Values, s)
	case "optional":
		if v == nil {
			return nil
		}
		return checkValue(t.Args[0], v)
	case "list":
		list, isList := v.([]any)
		if ok = isList; ok {
			for i, e := range list {
				if err := checkValue(t.Args[0], e); err != nil {
					return fmt.Errorf("element %d: %w", i, err)
				}
			}
		}
	case "dict":
		dict, isDict := v.(map[string]any)
		if ok = isDict; ok {
			for k, e := range dict {
				if err := checkValue(t.Args[0], e); err != nil {
					return fmt.Errorf("key %q: %w", k, err)
				}
			}
		}
	default: // an enum is an integer, a record an object
		_, isObject := v.(map[string]any)
		ok = isObject || isInteger(v)
	}
	if !ok {
		return fmt.Errorf("must be %s, not %s", t.Annotation(), describe(v))
	}
	return nil
}

func isInteger(v any) bool {
	n, ok := v.(json.Number)
	if !ok {
		return false
	}
	_, err := n.Int64()
	return err == nil
}

func describe(v any) string {
	switch x := v.(type) {
	case nil:
		return "None"
	case bool:
		return "a bool"
	case json.Number:
		if strings.ContainsAny(x.String(), ".eE") {
			return "a float (" + x.String() + ")"
		}
		if !isInteger(x) {
			return "an int beyond 64 bits"
		}
		return "an int (" + x.String() + ")"
	case string:
		if len(x) > 40 {
			return "a str of " + fmt.Sprint(len(x)) + " bytes"
		}
		return "the str " + fmt.Sprintf("%q", x)
	case []any:
		return "a list"
	}
	return "a dict"
}
