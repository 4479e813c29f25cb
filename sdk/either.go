package sdk

import (
	"encoding/json"
	"reflect"
)

// Either is a method's result that is an A or a B, `A | B` in Python. Make it with First or Second. A and B must differ on the wire: declared
// types by their names, plain ones by their JSON. It stands for a whole result and nowhere else.
type Either[A, B any] struct {
	first  A
	second B
	which  int // 0: first
}

// First is an Either that is an A.
func First[A, B any](a A) Either[A, B] { return Either[A, B]{first: a} }

// Second is an Either that is a B.
func Second[A, B any](b B) Either[A, B] { return Either[A, B]{second: b, which: 1} }

// IsFirst reports whether it is an A.
func (e Either[A, B]) IsFirst() bool { return e.which == 0 }

// First returns the A; the zero value if it is a B.
func (e Either[A, B]) First() A { return e.first }

// Second returns the B; the zero value if it is an A.
func (e Either[A, B]) Second() B { return e.second }

// MarshalJSON writes the value that it is.
func (e Either[A, B]) MarshalJSON() ([]byte, error) {
	value, _ := e.chosen()
	return json.Marshal(value)
}

func (e Either[A, B]) arms() [2]reflect.Type {
	return [2]reflect.Type{reflect.TypeFor[A](), reflect.TypeFor[B]()}
}

func (e Either[A, B]) chosen() (any, int) {
	if e.which == 0 {
		return e.first, 0
	}
	return e.second, 1
}

// either is what all Eithers have.
type either interface {
	arms() [2]reflect.Type
	chosen() (value any, arm int)
}

var eitherType = reflect.TypeFor[either]()

// result declares a method's result, which may be a union.
func (d *deriver) result(t reflect.Type) TypeRef {
	if !t.Implements(eitherType) || t.Kind() == reflect.Pointer {
		return d.typeRef(t)
	}
	arms := reflect.Zero(t).Interface().(either).arms()
	return TypeRef{Name: "union", Args: []TypeRef{d.typeRef(arms[0]), d.typeRef(arms[1])}}
}

// actual is a result's own value and type, where it was declared as one of several.
func actual(t TypeRef, result any) (TypeRef, any) {
	e, ok := result.(either)
	if !ok || t.Name != "union" {
		return t, result
	}
	value, arm := e.chosen()
	return t.Args[arm], value
}

// jsonForm is what a plain type's values look like; a declared type is told by its name instead.
func jsonForm(t TypeRef) string {
	switch t.Name {
	case "str", "literal":
		return "a string"
	case "int", "float":
		return "a number"
	case "bool":
		return "true or false"
	case "None":
		return "null"
	case "list":
		return "a list"
	case "dict":
		return "an object"
	}
	return ""
}

// union checks that a value of the union tells which type it is of.
func (v *validator) union(at string, t TypeRef) {
	seen := map[string]string{}
	for _, a := range t.Args {
		form := jsonForm(a)
		switch {
		case a.Name == "optional" || a.Name == "union" || a.Name == "Any":
			v.fault("%s: %s cannot be one of several types: give a type of its own", at, a.Annotation())
			continue
		case form == "":
			form = a.Name
		}
		if other, have := seen[form]; have {
			v.fault("%s: %s and %s look the same on the wire (%s), so a caller could not tell which it got", at, other, a.Annotation(), form)
		}
		seen[form] = a.Annotation()
		v.ref(at, a)
	}
}
