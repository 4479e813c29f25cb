package sdk

import (
	"reflect"
	"strings"
)

// recordParam is the first parameter of a method that a record calls, and the only one of a lazy member's: the record's data.
const recordParam = "record"

// Hidden reports whether a method or a record's member is there for plugins and runtimes only: its name ends in "_", and a
// model is not told of it.
func Hidden(name string) bool { return strings.HasSuffix(name, "_") }

// member declares a field of a record.
func (d *deriver) member(record reflect.Type, f reflect.StructField, name string) MemberDecl {
	ref := d.field(record, f)
	m := MemberDecl{Name: name, Type: &ref, Doc: f.Tag.Get("doc"), Lazy: f.Tag.Get("lazy"), Inherit: f.Tag.Get("inherit") == "true", Whole: f.Tag.Get("whole") == "true"}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	absent := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	switch {
	case m.Lazy != "" && (f.Type.Kind() != reflect.Pointer || !absent):
		d.fault("member %s of %s is lazy: it must be a pointer with omitempty in its json tag, since only an absent value is fetched", name, record)
	case m.Inherit && !absent:
		d.fault("member %s of %s is inherited: it needs omitempty in its json tag, since only an absent value is", name, record)
	}
	return m
}

// calledByRecords checks that each facade whose results contain a record has the methods that the record calls.
func (v *validator) calledByRecords(m Manifest) {
	types := map[string]TypeDecl{}
	for _, t := range m.Types {
		types[t.Name] = t
	}
	for _, f := range m.Facades {
		reached := map[string]bool{}
		for _, method := range f.Methods {
			reach(method.Result, types, reached)
		}
		for _, t := range m.Types {
			if !reached[t.Name] {
				continue
			}
			v.recordMethods(f, t)
			for _, member := range t.Members {
				if member.Lazy != "" && member.Type != nil {
					v.lazyMember(f, t.Name+"."+member.Name, member)
				}
			}
		}
	}
}

func (v *validator) lazyMember(f FacadeDecl, at string, member MemberDecl) {
	if member.Type.Name != "optional" {
		v.fault("member %s is lazy: its type must be optional, not %s", at, member.Type.Annotation())
		return
	}
	method := f.method(member.Lazy)
	switch {
	case !Hidden(member.Lazy):
		v.fault("member %s is lazy: the name of its method, %q, must end in \"_\"", at, member.Lazy)
	case method == nil:
		v.fault("member %s is lazy: facade %s, whose results contain it, has no method %s", at, f.Name, member.Lazy)
	case len(method.Params) != 1 || method.Params[0].Name != recordParam || method.Params[0].Type.Name != "Any":
		v.fault("member %s is lazy: %s.%s must have one parameter, %s of type Any", at, f.Name, member.Lazy, recordParam)
	case method.CanEdit:
		v.fault("member %s is lazy: reading it must change nothing, but %s.%s can edit", at, f.Name, member.Lazy)
	case method.Result.Annotation() != member.Type.Annotation() && method.Result.Annotation() != member.Type.Args[0].Annotation():
		v.fault("member %s is lazy: it is %s, but %s.%s returns %s", at, member.Type.Annotation(), f.Name, member.Lazy, method.Result.Annotation())
	}
}

// reach collects the names of the declared types that t contains.
func reach(t TypeRef, types map[string]TypeDecl, reached map[string]bool) {
	for _, a := range t.Args {
		reach(a, types, reached)
	}
	decl, declared := types[t.Name]
	if !declared || reached[t.Name] {
		return
	}
	reached[t.Name] = true
	for _, m := range decl.Members {
		if m.Type != nil {
			reach(*m.Type, types, reached)
		}
	}
}
