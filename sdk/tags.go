package sdk

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
)

// Tags that fields may have, by what the field declares. Other libraries' tags are left alone, unless they are nearly one of these.
var (
	paramTags   = []string{"json", "doc", "default", "output"}
	memberTags  = []string{"json", "doc", "items", "lazy", "inherit", "whole"}
	settingTags = []string{"json", "doc"}
	flagTags    = []string{"output", "items", "inherit", "whole"} // whose value is "true" or nothing
)

var tagKey = regexp.MustCompile(`([^\s":]+):"(?:[^"\\]|\\.)*"`)

// tags reports what a field's tag says that is not understood.
func (d *deriver) tags(t reflect.Type, f reflect.StructField, what string, known []string) {
	for _, m := range tagKey.FindAllStringSubmatch(string(f.Tag), -1) {
		key := m[1]
		switch {
		case slices.Contains(known, key):
		case slices.Contains(paramTags, key) || slices.Contains(memberTags, key):
			d.fault("field %s of %s: the tag %s has no meaning for a %s, which may have %s", f.Name, t, key, what, strings.Join(known, ", "))
		default:
			if best, near := nearest.Best(key, known); near {
				d.fault("field %s of %s: the tag %s is not known; did you mean %s?", f.Name, t, key, best)
			}
		}
	}
	for _, key := range flagTags {
		if value, ok := f.Tag.Lookup(key); ok && value != "true" && slices.Contains(known, key) {
			d.fault(`field %s of %s: the tag %s is %s:"true" or absent, not %q`, f.Name, t, key, key, value)
		}
	}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "", "omitempty", "omitzero":
		default:
			d.fault("field %s of %s: the option %s of its json tag changes what is on the wire, so the declared type would be wrong: remove it", f.Name, t, option)
		}
	}
}

// fields are those that are on the wire, embedded ones included, each with its name in a json tag: encoding/json would send a field
// without one under its Go name.
func (d *deriver) fields(t reflect.Type, what string, known []string) []reflect.StructField {
	var out []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct && f.Tag.Get("json") == "":
			out = append(out, d.fields(f.Type, what, known)...)
		case f.Tag.Get("json") == "-":
		case !f.IsExported():
			if f.Tag.Get("json") != "" {
				d.fault("field %s of %s has a json tag but is not exported, so it is no %s: write it with a capital letter", f.Name, t, what)
			}
		case jsonName(f) == "":
			d.fault("field %s of %s needs a json tag that names the %s, or json:\"-\"", f.Name, t, what)
		default:
			if d.strict {
				d.tags(t, f, what, known)
				d.sameName(t, f, out)
			}
			out = append(out, f)
		}
	}
	return out
}

func (d *deriver) sameName(t reflect.Type, f reflect.StructField, others []reflect.StructField) {
	for _, other := range others {
		if jsonName(other) == jsonName(f) {
			d.fault("fields %s and %s of %s have the same name, %s, in their json tags, so neither would be on the wire", other.Name, f.Name, t, jsonName(f))
		}
	}
}

// field declares a field's type; faults say which field they are about.
func (d *deriver) field(t reflect.Type, f reflect.StructField) TypeRef {
	outer := d.at
	d.at = "field " + f.Name + " of " + t.String() + ": "
	defer func() { d.at = outer }()
	return d.typeRef(f.Type)
}
