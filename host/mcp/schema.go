package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/serena-go/serena/sdk"
)

// schema writes the JSON schema of a declaration's parameters, in their order.
func schema(decl sdk.MethodDecl) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	required := []string{}
	for i, p := range decl.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		property := typeSchema(p.Type)
		if p.Doc != "" {
			property["description"] = p.Doc
		}
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

func typeSchema(t sdk.TypeRef) map[string]any {
	switch t.Name {
	case "str":
		return map[string]any{"type": "string"}
	case "bool":
		return map[string]any{"type": "boolean"}
	case "int":
		return map[string]any{"type": "integer"}
	case "float":
		return map[string]any{"type": "number"}
	case "literal":
		return map[string]any{"type": "string", "enum": t.Values}
	case "list":
		return map[string]any{"type": "array", "items": typeSchema(t.Args[0])}
	case "dict":
		return map[string]any{"type": "object", "additionalProperties": typeSchema(t.Args[0])}
	case "optional":
		return map[string]any{"anyOf": []any{typeSchema(t.Args[0]), map[string]any{"type": "null"}}}
	}
	return map[string]any{}
}

// mustJSON marshals plain data, which cannot fail.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
