package sdk

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// AnswerLimit is the type of a parameter `max_answer_chars`: the most characters of a rendering. A caller's -1 stands for
// the configured limit and is resolved by the host, so that a method never sees it.
type AnswerLimit int

const answerLimitDoc = "longest answer in characters; a longer one is shortened or left out. -1: the configured limit"

// Literal is implemented by string types whose values are fixed: Literal["a", "b"] in Python.
type Literal interface{ LiteralValues() []string }

// Enum is implemented by integer types with named values: an IntEnum in Python.
type Enum interface{ EnumMembers() []EnumMember }

// EnumMember is one named value of an Enum.
type EnumMember struct {
	Name  string
	Value int
	Doc   string
}

// Documented gives a record or enum its documentation.
type Documented interface{ TypeDoc() string }

// Renderer turns a result into the text that a model reads, by the policy fixed when it was retrieved. It must be pure.
// A record without it is shown as JSON.
type Renderer interface{ RenderText(policy Policy) string }

// Policy holds the output parameters of the call that retrieved a value.
type Policy map[string]json.RawMessage

// Int returns the number of that name, or def when there is none.
func (p Policy) Int(name string, def int) int { return policyValue(p, name, def) }

// Bool returns the flag of that name, or def when there is none.
func (p Policy) Bool(name string, def bool) bool { return policyValue(p, name, def) }

func policyValue[T any](p Policy, name string, def T) T {
	v := def
	if raw, ok := p[name]; ok && json.Unmarshal(raw, &v) != nil {
		return def
	}
	return v
}

var (
	literalType    = reflect.TypeFor[Literal]()
	enumType       = reflect.TypeFor[Enum]()
	rendererType   = reflect.TypeFor[Renderer]()
	documentedType = reflect.TypeFor[Documented]()
	rawType        = reflect.TypeFor[json.RawMessage]()
	limitType      = reflect.TypeFor[AnswerLimit]()
)

// deriver turns Go types into declarations and collects those that need one of their own.
type deriver struct {
	types   []TypeDecl
	faults  []string
	goTypes map[string]reflect.Type // record types by name
}

func newDeriver() *deriver { return &deriver{goTypes: map[string]reflect.Type{}} }

func (d *deriver) fault(format string, args ...any) TypeRef {
	d.faults = append(d.faults, fmt.Sprintf(format, args...))
	return TypeRef{Name: "Any"}
}

func (d *deriver) params(t reflect.Type) []ParamDecl {
	params := []ParamDecl{}
	if t.Kind() != reflect.Struct {
		d.fault("the parameters must be a struct, not %s", t)
		return params
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := jsonName(f)
		if name == "" {
			d.fault("field %s of %s needs a json tag that names the parameter", f.Name, t)
			continue
		}
		p := ParamDecl{Name: name, Type: d.typeRef(f.Type), Doc: f.Tag.Get("doc"), Output: f.Tag.Get("output") == "true"}
		if f.Type == limitType {
			p.AnswerLimit, p.Output, p.Default = true, true, json.RawMessage("-1")
			if p.Doc == "" {
				p.Doc = answerLimitDoc
			}
		}
		if literal, ok := f.Tag.Lookup("default"); ok {
			value, err := parseLiteral(literal)
			if err != nil {
				d.fault("parameter %s: default %s: %v", name, literal, err)
			}
			p.Default = value
		}
		params = append(params, p)
	}
	return params
}

func (d *deriver) typeRef(t reflect.Type) TypeRef {
	switch {
	case t == rawType || t.Kind() == reflect.Interface:
		return TypeRef{Name: "Any"}
	case t.Kind() == reflect.Pointer:
		ref := d.typeRef(t.Elem())
		if ref.Name == "optional" { // a pointer to a pointer: absent, None or a value
			return ref
		}
		return TypeRef{Name: "optional", Args: []TypeRef{ref}}
	case t.Implements(literalType):
		return TypeRef{Name: "literal", Values: reflect.Zero(t).Interface().(Literal).LiteralValues()}
	case t.Implements(enumType):
		return d.enum(t)
	}
	switch t.Kind() {
	case reflect.String:
		return TypeRef{Name: "str"}
	case reflect.Bool:
		return TypeRef{Name: "bool"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return TypeRef{Name: "int"}
	case reflect.Float32, reflect.Float64:
		return TypeRef{Name: "float"}
	case reflect.Slice, reflect.Array:
		return TypeRef{Name: "list", Args: []TypeRef{d.typeRef(t.Elem())}}
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return d.fault("%s: the keys of a map must be strings", t)
		}
		return TypeRef{Name: "dict", Args: []TypeRef{d.typeRef(t.Elem())}}
	case reflect.Struct:
		return d.record(t)
	}
	return d.fault("%s cannot be declared: use strings, numbers, bools, slices, maps, structs and pointers to them", t)
}

func (d *deriver) declared(name string) bool {
	return slices.ContainsFunc(d.types, func(t TypeDecl) bool { return t.Name == name })
}

func (d *deriver) enum(t reflect.Type) TypeRef {
	if !d.declared(t.Name()) {
		decl := TypeDecl{Name: t.Name(), Kind: TypeEnum, Doc: typeDoc(t)}
		for _, m := range reflect.Zero(t).Interface().(Enum).EnumMembers() {
			decl.Members = append(decl.Members, MemberDecl{Name: m.Name, Value: m.Value, Doc: m.Doc})
		}
		d.types = append(d.types, decl)
	}
	return TypeRef{Name: t.Name()}
}

func (d *deriver) record(t reflect.Type) TypeRef {
	if t.Name() == "" {
		return d.fault("a struct in a result needs a type name")
	}
	ref := TypeRef{Name: t.Name()}
	if d.declared(t.Name()) {
		return ref
	}
	d.goTypes[t.Name()] = t
	at := len(d.types)
	d.types = append(d.types, TypeDecl{Name: t.Name(), Kind: TypeRecord}) // before its members: a type may contain itself
	decl := TypeDecl{Name: t.Name(), Kind: TypeRecord, Doc: typeDoc(t), Renders: t.Implements(rendererType) || reflect.PointerTo(t).Implements(rendererType)}
	for i := range t.NumField() {
		f := t.Field(i)
		name := jsonName(f)
		if name == "" {
			continue
		}
		decl.Members = append(decl.Members, d.member(t, f, name))
		if f.Tag.Get("items") == "true" {
			decl.Items = name
		}
	}
	d.types[at] = decl
	return ref
}

func typeDoc(t reflect.Type) string {
	if t.Implements(documentedType) {
		return reflect.Zero(t).Interface().(Documented).TypeDoc()
	}
	return ""
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" {
		return ""
	}
	return name
}
