package sdk

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Bounds of what is shown of every plugin, asked or not, in characters.
const (
	maxNameLength    = 100
	maxSummaryLength = 300 // of a facade
)

// Bounds of what a manifest nests, so that Python can read it: a value that it cannot read would take all facades away.
const (
	maxTypeDepth    = 32  // references in references
	maxDefaultDepth = 64  // lists and objects in each other
	maxNumberLength = 400 // characters of a number
)

// wellFormed checks what every other rule builds on: that each reference has the arguments that it must have, and each default can be read.
func (v *validator) wellFormed(m Manifest) bool {
	before := len(v.faults)
	for _, t := range m.Types {
		for _, member := range t.Members {
			if member.Type != nil {
				v.wholeRef("type "+t.Name+", member "+member.Name, *member.Type, 0)
			}
		}
	}
	for _, f := range m.Facades {
		for _, method := range f.Methods {
			at := f.Name + "." + method.Name
			for _, p := range method.Params {
				v.wholeRef(at+", parameter "+p.Name, p.Type, 0)
				v.readable(at+": the default of "+p.Name, p)
			}
			v.wholeRef(at+", result", method.Result, 0)
		}
	}
	for _, s := range m.Settings {
		v.wholeRef("setting "+s.Name, s.Type, 0)
		v.readable("setting "+s.Name+": its default", s)
	}
	return len(v.faults) == before
}

func (v *validator) wholeRef(at string, t TypeRef, depth int) {
	if depth == maxTypeDepth {
		v.fault("%s: the type is nested more than %d deep: declare a type of its own for a part of it", at, maxTypeDepth)
		return
	}
	switch {
	case slices.Contains([]string{"list", "dict", "optional"}, t.Name) && len(t.Args) != 1:
		v.fault("%s: %s needs one argument", at, t.Name)
	case t.Name == "union" && len(t.Args) < 2:
		v.fault("%s: a union needs two types or more", at)
	}
	for _, a := range t.Args {
		v.wholeRef(at, a, depth+1)
	}
}

func (v *validator) readable(at string, p ParamDecl) {
	if p.Required() || p.badDefault {
		return
	}
	if !json.Valid(p.Default) {
		v.fault("%s is no JSON", at)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(p.Default))
	dec.UseNumber()
	for depth := 0; ; {
		token, err := dec.Token()
		if err != nil { // the end
			return
		}
		switch x := token.(type) {
		case json.Delim:
			if depth++; strings.ContainsRune("]}", rune(x)) {
				depth -= 2
			}
		case json.Number:
			if len(x) > maxNumberLength {
				v.fault("%s has a number of %d characters, more than the %d that every reader can read", at, len(x), maxNumberLength)
				return
			}
		}
		if depth > maxDefaultDepth {
			v.fault("%s is nested more than %d deep", at, maxDefaultDepth)
			return
		}
	}
}
