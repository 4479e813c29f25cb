package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Check reports whether a JSON value fits the type, in words for the caller: what is wanted and what came. Values of enum
// types are integers. Nothing is converted: 3.0 is no int.
func (t TypeRef) Check(value json.RawMessage) error { return checker{}.check(t, value) }

// checker checks values. types finds declared types; where it is nil or has none, what is in a value of such a type is not looked at.
type checker struct {
	types func(name string) *TypeDecl
}

// mismatch is a value that is of another type as a whole.
type mismatch struct {
	want TypeRef
	got  any
}

func (e *mismatch) Error() string {
	return fmt.Sprintf("must be %s, not %s", e.want.Annotation(), describe(e.got))
}

// noMember is a number that an enum does not have.
type noMember struct {
	enum *TypeDecl
	got  any
}

func (e *noMember) Error() string {
	members := make([]string, len(e.enum.Members))
	for i, m := range e.enum.Members {
		members[i] = fmt.Sprintf("%s = %d", m.Name, m.Value)
	}
	return fmt.Sprintf("must be one of %s (%s), not %v", e.enum.Name, strings.Join(members, ", "), e.got)
}

func (c checker) check(t TypeRef, value json.RawMessage) error {
	var v any
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	return c.value(t, v, false)
}

// value checks a value. Within a record, which a plugin may have made, what is none of an enum's or literal's values is let through.
func (c checker) value(t TypeRef, v any, within bool) error {
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
		n, isNumber := v.(json.Number)
		ok = isNumber && isFinite(n)
	case "literal":
		s, isText := v.(string)
		ok = isText && (within || slices.Contains(t.Values, s))
	case "optional":
		if v == nil {
			return nil
		}
		return c.value(t.Args[0], v, within)
	case "list":
		list, isList := v.([]any)
		if ok = isList; ok {
			for i, e := range list {
				if err := c.value(t.Args[0], e, within); err != nil {
					return fmt.Errorf("element %d: %w", i, err)
				}
			}
		}
	case "dict":
		dict, isDict := v.(map[string]any)
		if ok = isDict; ok {
			for k, e := range dict {
				if err := c.value(t.Args[0], e, within); err != nil {
					return fmt.Errorf("key %q: %w", k, err)
				}
			}
		}
	default:
		return c.declared(t, v, within)
	}
	if !ok {
		return &mismatch{t, v}
	}
	return nil
}

// declared checks a value of a declared type: an enum's is an integer, any other an object. Members that are missing or null are the
// plugin's to judge.
func (c checker) declared(t TypeRef, v any, within bool) error {
	decl := c.decl(t.Name)
	object, isObject := v.(map[string]any)
	switch {
	case decl == nil && (isObject || isInteger(v)):
		return nil
	case decl != nil && decl.Kind == TypeEnum && isInteger(v):
		if within || slices.ContainsFunc(decl.Members, func(m MemberDecl) bool { return strconv.Itoa(m.Value) == v.(json.Number).String() }) {
			return nil
		}
		return &noMember{decl, v}
	case decl != nil && decl.Kind != TypeEnum && isObject:
		for _, m := range decl.Members {
			if e := object[m.Name]; e != nil && m.Type != nil {
				if err := c.value(*m.Type, e, true); err != nil {
					return fmt.Errorf("member %s: %w", m.Name, err)
				}
			}
		}
		return nil
	}
	return &mismatch{t, v}
}

func (c checker) decl(name string) *TypeDecl {
	if c.types == nil {
		return nil
	}
	return c.types(name)
}

func isFinite(n json.Number) bool {
	_, err := n.Float64()
	return err == nil
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
		if !isFinite(x) {
			return "a number beyond a float's range"
		}
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
