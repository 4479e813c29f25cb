package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/serena-go/serena/sdk"
)

// schemas writes JSON schemas of declarations. declared finds the types that are more than plain ones; it may be nil.
type schemas struct {
	declared func(name string) *sdk.TypeDecl
	named    map[string]bool // the enums whose values were named already, within one tool
}

// deepestRecord is how many records within records a schema describes; a type may contain itself.
const deepestRecord = 3

// parameters writes the JSON schema of a declaration's parameters, in their order. Only what all clients know is used of JSON Schema.
func (s schemas) parameters(decl sdk.MethodDecl) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	s.named = map[string]bool{}
	for i, p := range decl.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		property := s.of(p.Type, 0)
		describe(property, p.Doc)
		if p.Required() {
			required = append(required, p.Name)
		} else {
			property["default"] = p.Default
		}
		fmt.Fprintf(&b, "%q:", p.Name)
		b.Write(mustJSON(property))
	}
	b.WriteString(`},"required":`)
	b.Write(mustJSON(required))
	b.WriteByte('}')
	return b.Bytes()
}

func (s schemas) of(t sdk.TypeRef, depth int) map[string]any {
	switch t.Name {
	case "str":
		return map[string]any{"type": "string"}
	case "bool":
		return map[string]any{"type": "boolean"}
	case "int":
		return map[string]any{"type": "integer"}
	case "float":
		return map[string]any{"type": "number"}
	case "None":
		return map[string]any{"type": "null"}
	case "literal":
		return map[string]any{"type": "string", "enum": t.Values}
	case "list":
		return map[string]any{"type": "array", "items": s.of(t.Args[0], depth)}
	case "dict":
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Args[0], depth)}
	case "optional":
		return map[string]any{"anyOf": []any{s.of(t.Args[0], depth), map[string]any{"type": "null"}}}
	case "union":
		alternatives := make([]any, len(t.Args))
		for i, a := range t.Args {
			alternatives[i] = s.of(a, depth)
		}
		return map[string]any{"anyOf": alternatives}
	}
	if s.declared == nil {
		return map[string]any{}
	}
	if decl := s.declared(t.Name); decl != nil {
		return s.ofDeclared(decl, depth)
	}
	return map[string]any{}
}

// ofDeclared describes an enum by its values, named in the description, and a record by its members.
func (s schemas) ofDeclared(decl *sdk.TypeDecl, depth int) map[string]any {
	if decl.Kind == sdk.TypeEnum {
		values, names := []int{}, ""
		for i, m := range decl.Members {
			values = append(values, m.Value)
			names += fmt.Sprintf("%s%d %s", []string{"", ", "}[min(i, 1)], m.Value, m.Name)
		}
		out := map[string]any{"type": "integer", "enum": values}
		if !s.named[decl.Name] {
			s.named[decl.Name] = true
			describe(out, decl.Name+": "+names)
		}
		return out
	}
	out := map[string]any{"type": "object"}
	if depth >= deepestRecord {
		return out
	}
	members := map[string]any{}
	for _, m := range decl.Members {
		if m.Type == nil || sdk.Hidden(m.Name) {
			continue
		}
		member := s.of(*m.Type, depth+1)
		describe(member, m.Doc)
		members[m.Name] = member
	}
	out["properties"] = members
	return out
}

// describe puts a documentation before what the type says of itself.
func describe(schema map[string]any, doc string) {
	if of, ok := schema["description"].(string); ok && doc != "" {
		doc += "; " + of
	}
	if doc != "" {
		schema["description"] = doc
	}
}

// mustJSON marshals plain data, which cannot fail.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
