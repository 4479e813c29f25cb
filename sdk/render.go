package sdk

import (
	"encoding/json"
	"reflect"

	"github.com/serena-go/serena/internal/nearest"
)

// Render turns a value of one of the plugin's record types into its text. It is pure.
func (p Plugin) Render(typeName string, value, policy json.RawMessage) (string, error) {
	var names []string
	for _, f := range p.Facades {
		for _, m := range f.Methods {
			if t, ok := m.goTypes[typeName]; ok {
				v := reflect.New(t)
				if err := json.Unmarshal(value, v.Interface()); err != nil {
					return "", Errorf(KindValue, "not a %s: %w", typeName, err)
				}
				return renderText(v.Interface(), policy, value), nil
			}
			for name := range m.goTypes {
				names = append(names, name)
			}
		}
	}
	hint := ""
	if best, ok := nearest.Best(typeName, names); ok {
		hint = "; did you mean " + best + "?"
	}
	return "", Errorf(KindLookup, "plugin %s has no type %s%s", p.Name, typeName, hint)
}

// renderText is what a model reads: a string as it is, a Renderer by its policy, anything else as JSON.
func renderText(result any, policy, value json.RawMessage) string {
	var p Policy
	if len(policy) > 0 {
		_ = json.Unmarshal(policy, &p) // made by policyOf
	}
	switch v := result.(type) {
	case string:
		return v
	case Renderer:
		if rv := reflect.ValueOf(v); rv.Kind() != reflect.Pointer || !rv.IsNil() {
			return v.RenderText(p)
		}
		return "None"
	}
	if rv := reflect.ValueOf(result); rv.IsValid() && rv.Kind() == reflect.Struct { // RenderText may want a pointer
		ptr := reflect.New(rv.Type())
		ptr.Elem().Set(rv)
		if r, ok := ptr.Interface().(Renderer); ok {
			return r.RenderText(p)
		}
	}
	return PythonLiteral(value)
}

// policyOf keeps the output parameters among a call's arguments.
func policyOf(m MethodDecl, arguments json.RawMessage) json.RawMessage {
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil {
		return nil
	}
	policy := Policy{}
	for _, p := range m.Params {
		if v, ok := given[p.Name]; ok && p.Output {
			policy[p.Name] = v
		}
	}
	data, _ := json.Marshal(policy) // raw JSON values: cannot fail
	return data
}

// recordName names the record type of a value; plain values, lists and None have none.
func recordName(t TypeRef, value json.RawMessage) string {
	switch t.Name {
	case "str", "int", "float", "bool", "None", "Any", "list", "dict", "literal":
		return ""
	case "optional":
		if string(value) == "null" {
			return ""
		}
		return recordName(t.Args[0], value)
	}
	return t.Name
}
