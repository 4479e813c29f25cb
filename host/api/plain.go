package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/serena-go/serena/sdk"
)

// deepestList is how many lists within lists are shown element by element for the records in them.
const deepestList = 3

// plainText shows an outcome that is no record as a cell shows it: a str as it is, the elements of a list one by one, records in it by
// their rendering, a member of an enum by its name, anything else as Python's str does.
func (d *Dispatcher) plainText(ctx context.Context, c Caller, m *Method, out Outcome) (string, error) {
	p := plain{facade: c.Scope.registry.Facade(m.Facade), record: func(typeName string, value json.RawMessage) (string, error) {
		return d.Render(ctx, c, m.Facade, typeName, value, out.Policy)
	}}
	t := m.Result
	if out.Type != "" { // of a union it is the type that the value has
		t = sdk.TypeRef{Name: out.Type}
	}
	return p.text(t, out.Value, 0)
}

type plain struct {
	facade *Facade
	record func(typeName string, value json.RawMessage) (string, error)
}

func (p plain) text(t sdk.TypeRef, value json.RawMessage, depth int) (string, error) {
	t, value = settled(t, value)
	switch kind := p.kind(t); {
	case value[0] == '"':
		var s string
		err := json.Unmarshal(value, &s)
		return s, err
	case value[0] == '[':
		var list []json.RawMessage
		if err := json.Unmarshal(value, &list); err != nil {
			return "", err
		}
		if element := elementOf(t); len(list) > 0 && (depth == 0 || depth < deepestList && p.anyRecord(element, list)) {
			return p.elements(element, list, depth)
		}
	case value[0] == '{' && kind == sdk.TypeRecord:
		return p.record(t.Name, value)
	case kind == sdk.TypeEnum:
		if name := memberName(p.facade.Type(t.Name), value); name != "" {
			return name, nil
		}
	}
	var b strings.Builder
	if err := p.repr(&b, t, value, nil); err != nil {
		return "", fmt.Errorf("the answer cannot be shown: %w", err)
	}
	return b.String(), nil
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

func (p plain) anyRecord(t sdk.TypeRef, list []json.RawMessage) bool {
	return slices.ContainsFunc(list, func(element json.RawMessage) bool {
		t, element := settled(t, element)
		return element[0] == '{' && p.kind(t) == sdk.TypeRecord
	})
}

// kind is that of a declared type, else empty.
func (p plain) kind(t sdk.TypeRef) string {
	if decl := p.facade.Type(t.Name); decl != nil {
		return decl.Kind
	}
	return ""
}

// elementOf is what a list or dict holds.
func elementOf(t sdk.TypeRef) sdk.TypeRef {
	if t.Name == "list" || t.Name == "dict" {
		return t.Args[0]
	}
	return sdk.TypeRef{Name: "Any"}
}

// memberName is the name of an enum's member, empty where the value is none.
func memberName(enum *sdk.TypeDecl, value json.RawMessage) string {
	at := slices.IndexFunc(enum.Members, func(m sdk.MemberDecl) bool { return strconv.Itoa(m.Value) == string(value) })
	if at < 0 {
		return ""
	}
	return enum.Members[at].Name
}

// emptyOf is what null stands for where a value of a plain type is promised.
var emptyOf = map[string]string{"list": "[]", "dict": "{}", "str": `""`, "int": "0", "float": "0.0", "bool": "false"}

// settled is the type that a value has where its declaration leaves it open, and the value that it stands for.
func settled(t sdk.TypeRef, value json.RawMessage) (sdk.TypeRef, json.RawMessage) {
	if value = bytes.TrimSpace(value); len(value) == 0 {
		value = json.RawMessage("null")
	}
	if t.Name == "union" {
		t = armOf(t, value)
	}
	if t.Name == "optional" {
		if string(value) == "null" {
			return sdk.TypeRef{Name: "None"}, value
		}
		return settled(t.Args[0], value)
	}
	if empty, ok := emptyOf[t.Name]; ok && string(value) == "null" {
		value = json.RawMessage(empty)
	}
	return t, value
}

// armOf is the plain type of a union that the value is of.
func armOf(t sdk.TypeRef, value json.RawMessage) sdk.TypeRef {
	forms := map[byte][]string{'"': {"str", "literal"}, 't': {"bool"}, 'f': {"bool"}, 'n': {"None"}, '[': {"list"}, '{': {"dict"}}[value[0]]
	if forms == nil {
		forms = []string{"int", "float"}
	}
	at := slices.IndexFunc(t.Args, func(a sdk.TypeRef) bool { return slices.Contains(forms, a.Name) })
	if at < 0 {
		return sdk.TypeRef{Name: "Any"}
	}
	return t.Args[at]
}
