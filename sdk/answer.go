package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// CheckAnswer reports whether a value that a plugin answered, valid JSON, is of the form that its method declares: whether it is text, a number, a list or an
// object, not what is in it. typeName is the outcome's, empty for none. Null stands for the empty value of every type.
func (m Manifest) CheckAnswer(result TypeRef, typeName string, value json.RawMessage) error {
	value = bytes.TrimSpace(value)
	if typeName != "" && !slices.ContainsFunc(m.Types, func(t TypeDecl) bool { return t.Name == typeName }) {
		return fmt.Errorf("its value is of the type %.60q, which the plugin does not declare", typeName)
	}
	if string(value) == "null" {
		return nil
	}
	arms := []TypeRef{result}
	if result.Name == "union" {
		arms = result.Args
	}
	for _, t := range arms {
		for t.Name == "optional" {
			t = t.Args[0]
		}
		if m.looksLike(t, typeName, value) {
			return nil
		}
	}
	what := "its value begins with"
	if typeName != "" {
		what = "its value is of the type " + typeName + " and begins with"
	}
	return fmt.Errorf("%s %.60q, and its method is declared to answer %s", what, value, result.Annotation())
}

func (m Manifest) looksLike(t TypeRef, typeName string, value json.RawMessage) bool {
	kind := ""
	for _, decl := range m.Types {
		if decl.Name == t.Name {
			kind = decl.Kind
		}
	}
	first := value[0]
	isNumber := first == '-' || '0' <= first && first <= '9'
	switch {
	case t.Name == "Any":
		return true
	case kind == TypeEnum:
		return isInteger(json.Number(value)) && (typeName == "" || typeName == t.Name)
	case kind != "":
		return first == '{' && (typeName == "" || typeName == t.Name)
	case typeName != "":
		return false
	}
	switch t.Name {
	case "str", "literal":
		return first == '"'
	case "int":
		return isInteger(json.Number(value))
	case "float":
		return isNumber
	case "bool":
		return first == 't' || first == 'f'
	case "list":
		return first == '['
	case "dict":
		return first == '{'
	}
	return false
}
