package sdk

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
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
	literalType = reflect.TypeFor[Literal]()
	enumType    = reflect.TypeFor[Enum]()
	jsonType    = reflect.TypeFor[json.Marshaler]()
	textType    = reflect.TypeFor[encoding.TextMarshaler]()
	rawType     = reflect.TypeFor[json.RawMessage]()
	limitType   = reflect.TypeFor[AnswerLimit]()
)

// deriver turns Go types into declarations and collects those that need one of their own.
type deriver struct {
	types   []TypeDecl
	faults  []string
	goTypes map[string]reflect.Type // the declared types' own, by name
	strict  bool                    // look at what does not change the declaration, too
	given   bool                    // it is a parameter's type, not one of the plugin's own values
	at      string                  // what is being declared, for faults
}

func newDeriver() *deriver { return &deriver{goTypes: map[string]reflect.Type{}} }

func (d *deriver) fault(format string, args ...any) TypeRef {
	d.faults = append(d.faults, d.at+fmt.Sprintf(format, args...))
	return TypeRef{Name: "Any"}
}

func (d *deriver) params(t reflect.Type) []ParamDecl {
	params := []ParamDecl{}
	if t.Kind() != reflect.Struct {
		d.fault("the parameters must be a struct, not %s", t)
		return params
	}
	for _, f := range d.fields(t, "parameter", paramTags) {
		d.given = jsonName(f) != recordParam && jsonName(f) != "entered" // which the plugin itself answered
		ref := d.field(t, f)
		d.given = false
		p := ParamDecl{Name: jsonName(f), Type: ref, Doc: f.Tag.Get("doc"), Output: f.Tag.Get("output") == "true"}
		if f.Type == limitType {
			p.AnswerLimit, p.Output, p.Default = true, true, json.RawMessage("-1")
			if p.Doc == "" {
				p.Doc = answerLimitDoc
			}
		}
		if literal, ok := f.Tag.Lookup("default"); ok {
			value, err := parseLiteral(literal)
			if err == nil {
				err = p.Type.Check(value)
			}
			if err != nil {
				d.fault("field %s of %s: default %s: %v", f.Name, t, literal, err)
				p.badDefault, value = true, json.RawMessage("null")
			}
			p.Default = value
		}
		params = append(params, p)
	}
	return params
}

func (d *deriver) typeRef(t reflect.Type) TypeRef {
	switch {
	case t.Implements(eitherType) && t.Kind() != reflect.Pointer:
		return d.fault("%s: one of several types can be the whole result of a method only", t)
	case t != rawType && (t.Implements(jsonType) || t.Implements(textType) || reflect.PointerTo(t).Implements(jsonType)) && t.Kind() != reflect.Pointer:
		return d.fault("%s writes its own JSON, so what it looks like cannot be derived: use a string, a number or a struct of your own", t)
	case t.Kind() == reflect.Slice && t != rawType && t.Elem().Kind() == reflect.Uint8:
		return d.fault("%s would travel as base64 text: use string, or a slice of another type of number", t)
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
		if d.given && t.Kind() == reflect.Array { // encoding/json drops what is too much, and makes up what is missing
			d.fault("%s has a fixed length, which a list in Python has not: use []%s", t, t.Elem())
		}
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

// declare notes the Go type of a name, and reports whether its declaration is still to be made.
func (d *deriver) declare(t reflect.Type) bool {
	name := t.Name()
	if other, have := d.goTypes[name]; have {
		if other != t {
			d.fault("%s.%s and %s.%s have the same name, but Python knows types by their names alone: rename one of them", other.PkgPath(), name, t.PkgPath(), name)
		}
		return false
	}
	if strings.Contains(name, "[") {
		d.fault("%s is an instance of a generic type, whose name is none in Python: give it one (type X struct{ … }, not type X = …)", t)
	}
	d.goTypes[name] = t
	return true
}

func (d *deriver) enum(t reflect.Type) TypeRef {
	if d.declare(t) {
		decl := TypeDecl{Name: t.Name(), Kind: TypeEnum, Doc: typeDoc(t)}
		if len(reflect.Zero(t).Interface().(Enum).EnumMembers()) == 0 {
			d.fault("%s is an enum without members: EnumMembers must name its values", t)
		}
		for _, m := range reflect.Zero(t).Interface().(Enum).EnumMembers() {
			decl.Members = append(decl.Members, MemberDecl{Name: m.Name, Value: m.Value, Doc: m.Doc})
		}
		d.types = append(d.types, decl)
	}
	return TypeRef{Name: t.Name()}
}

func (d *deriver) record(t reflect.Type) TypeRef {
	if t.Name() == "" {
		return d.fault("%s needs a type name: it is how Python knows it", t)
	}
	ref := TypeRef{Name: t.Name()}
	if !d.declare(t) {
		return ref
	}
	at := len(d.types)
	d.types = append(d.types, TypeDecl{Name: t.Name(), Kind: TypeRecord}) // before its members: a type may contain itself
	_, renders := as[Renderer](t)
	decl := TypeDecl{Name: t.Name(), Kind: TypeRecord, Doc: typeDoc(t), Renders: renders}
	for _, f := range d.fields(t, "member", memberTags) {
		name := jsonName(f)
		decl.Members = append(decl.Members, d.member(t, f, name))
		if f.Tag.Get("items") != "true" {
			continue
		}
		switch {
		case decl.Items != "":
			d.fault("field %s of %s: only one field can be the items", f.Name, t)
		case f.Type.Kind() != reflect.Slice:
			d.fault("field %s of %s is marked as the items, so it must be a slice, not %s", f.Name, t, f.Type)
		default:
			decl.Items = name
		}
	}
	d.shape(t, &decl)
	d.types[at] = decl
	return ref
}

func typeDoc(t reflect.Type) string {
	if d, ok := as[Documented](t); ok {
		return d.TypeDoc()
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
