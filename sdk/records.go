package sdk

import (
	"reflect"
	"slices"
	"strings"
)

// RecordMethod is a method that a record has in Python: `record.Name(…)` calls the facade's method Calls, whose name ends in "_",
// with the record's data as its first parameter, `record`, and then the arguments given. Doc is its documentation; without it the
// method is there, but a model is told of it only if it is curated.
type RecordMethod struct {
	Name  string `json:"name"`
	Calls string `json:"calls"`
	Doc   string `json:"doc,omitempty"`
}

// WithMethods is implemented by record types that have methods in Python.
type WithMethods interface{ RecordMethods() []RecordMethod }

// Curated is implemented by record types of which a model is told only some members and methods, documented or not, in this order.
type Curated interface{ CuratedMembers() []string }

// KeyedDict is implemented by struct types that are plain dicts in Python; their fields are documented as keys.
type KeyedDict interface{ KeyedDict() }

// as returns t's zero value as an I, whether the value's or the pointer's method set has it.
func as[I any](t reflect.Type) (I, bool) {
	i, ok := reflect.New(t).Interface().(I)
	return i, ok
}

// shape gives a record's declaration what its Go type says beyond its fields.
func (d *deriver) shape(t reflect.Type, decl *TypeDecl) {
	if r, ok := as[WithMethods](t); ok {
		decl.Methods = r.RecordMethods()
	}
	if r, ok := as[Curated](t); ok {
		decl.Curated = r.CuratedMembers()
	}
	if _, ok := as[KeyedDict](t); !ok {
		return
	}
	decl.Kind = TypeKeyedDict
	switch {
	case decl.Renders:
		d.fault("%s is a keyed dict, so it has no text of its own: remove RenderText or KeyedDict", t)
	case len(decl.Methods) > 0:
		d.fault("%s is a keyed dict, so it has no methods: remove RecordMethods or KeyedDict", t)
	case decl.Items != "":
		d.fault("%s is a keyed dict, so iteration gives its keys: remove items from field %s, or KeyedDict", t, decl.Items)
	}
	for _, m := range decl.Members {
		if m.Lazy != "" || m.Inherit {
			d.fault("%s is a keyed dict, so all of its keys are there: key %s can be neither lazy nor inherited", t, m.Name)
		}
	}
}

// DocumentedMembers are the members that a model is told of: the curated ones where there is such a list, otherwise those whose name
// does not end in "_".
func (t *TypeDecl) DocumentedMembers() []MemberDecl {
	var out []MemberDecl
	if t.Curated == nil {
		for _, m := range t.Members {
			if !Hidden(m.Name) {
				out = append(out, m)
			}
		}
		return out
	}
	for _, name := range t.Curated {
		if m := t.member(name); m != nil {
			out = append(out, *m)
		}
	}
	return out
}

// DocumentedMethods are the methods that a model is told of: the curated ones where there is such a list, otherwise those that have a
// documentation and whose name does not end in "_".
func (t *TypeDecl) DocumentedMethods() []RecordMethod {
	var out []RecordMethod
	if t.Curated == nil {
		for _, m := range t.Methods {
			if m.Doc != "" && !Hidden(m.Name) {
				out = append(out, m)
			}
		}
		return out
	}
	for _, name := range t.Curated {
		for _, m := range t.Methods {
			if m.Name == name {
				out = append(out, m)
			}
		}
	}
	return out
}

// OnRecord is the method as it is called on a record under the name: without its first parameter.
func (m MethodDecl) OnRecord(name string) MethodDecl {
	m.Name = name
	m.Params = m.Params[min(1, len(m.Params)):]
	return m
}

// recordMethods checks the methods of a type whose values a facade returns.
func (v *validator) recordMethods(f FacadeDecl, t TypeDecl) {
	for _, r := range t.Methods {
		at := "method " + t.Name + "." + r.Name
		method := f.method(r.Calls)
		switch {
		case !Hidden(r.Calls):
			v.fault("%s: the name of the facade's method that it calls, %q, must end in \"_\"", at, r.Calls)
		case method == nil:
			v.fault("%s: facade %s, whose results contain %s, has no method %s", at, f.Name, t.Name, v.near(r.Calls, f.methodNames()))
		case len(method.Params) == 0 || method.Params[0].Name != recordParam || method.Params[0].Type.Name != "Any" && method.Params[0].Type.Name != t.Name:
			v.fault("%s: the first parameter of %s.%s must be %s, of type %s or Any (json.RawMessage)", at, f.Name, r.Calls, recordParam, t.Name)
		case method.Kind != "":
			v.fault("%s: %s.%s must be an ordinary method, not a %s", at, f.Name, r.Calls, method.Kind)
		}
	}
}

// recordShape checks what a type says beyond its members.
func (v *validator) recordShape(t TypeDecl) {
	names := memberNames(&t)
	for _, r := range t.Methods {
		v.name("method of "+t.Name, r.Name)
		if slices.Contains(names, r.Name) {
			v.fault("type %s has two members named %s", t.Name, r.Name)
		}
		names = append(names, r.Name)
	}
	for _, c := range t.Curated {
		if !slices.Contains(names, c) {
			v.fault("type %s: the curated member %s", t.Name, v.near(c, names)+" is neither a member nor a method")
		}
	}
	if t.Kind != TypeRecord && (len(t.Methods) > 0 || t.Items != "" || t.Renders) {
		v.fault("type %s: a %s has neither methods nor items nor a text of its own", t.Name, strings.ReplaceAll(t.Kind, "_", " "))
	}
}
