package sdk

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

type shade int

func (shade) EnumMembers() []EnumMember {
	return []EnumMember{{Name: "DARK", Value: 1}, {Name: "LIGHT", Value: 4}}
}

type paint struct {
	Name   string   `json:"name"`
	Shade  shade    `json:"shade"`
	Layers []int    `json:"layers"`
	Under  *paint   `json:"under"`
	Mood   mood     `json:"mood"`
	Free   any      `json:"free"`
	Tags   []string `json:"tags"`
}

type paintParams struct {
	Shade  shade            `json:"shade" default:"1"`
	Shades []shade          `json:"shades" default:"()"`
	Maybe  *shade           `json:"maybe" default:"None"`
	ByName map[string]shade `json:"by_name" default:"{}"`
	Paint  *paint           `json:"paint" default:"None"`
	Paints []paint          `json:"paints" default:"()"`
}

// TestBinderLooksIntoDeclaredTypes: with the declarations an enum's number must be one of its own, and what is within a record must fit.
func TestBinderLooksIntoDeclaredTypes(t *testing.T) {
	t.Parallel()
	m := NewMethod("m", func(context.Context, *Call, paintParams) (string, error) { return "", nil }, "S.\n\nD.")
	types := func(name string) *TypeDecl {
		at := slices.IndexFunc(m.types, func(d TypeDecl) bool { return d.Name == name })
		if at < 0 {
			return nil
		}
		return &m.types[at]
	}
	const members = "must be one of shade (DARK = 1, LIGHT = 4), not "
	for name, c := range map[string]struct {
		param, given, want, kind, says string
		text                           bool
	}{
		"a member":                   {param: "shade", given: "4", want: "4"},
		"a member in text":           {param: "shade", given: `"4"`, want: "4", text: true},
		"no member":                  {param: "shade", given: "99", kind: KindValue, says: "argument shade " + members + "99"},
		"no member in text":          {param: "shade", given: `"99"`, kind: KindValue, says: members + "99", text: true},
		"no member in a list":        {param: "shades", given: "[1,2]", kind: KindValue, says: "argument shades element 1: " + members + "2"},
		"no member in a list's text": {param: "shades", given: `"[1,2]"`, kind: KindValue, says: "element 1: " + members + "2", text: true},
		"no member in a dict":        {param: "by_name", given: `{"k":0}`, kind: KindValue, says: `key "k": ` + members + "0"},
		"no member, optional":        {param: "maybe", given: "0", kind: KindValue, says: members + "0"},
		"none, optional":             {param: "maybe", given: "null", want: "null"},
		"an object is no enum":       {param: "shade", given: `{"x":1}`, kind: KindType, says: "must be shade, not a dict"},
		"an int is no record":        {param: "paint", given: "5", kind: KindType, says: "must be paint, not an int (5)"},
		"a record":                   {param: "paint", given: `{"name":"a","shade":1,"layers":[1],"under":{"name":"b"},"free":[{}]}`, want: `{"name":"a","shade":1,"layers":[1],"under":{"name":"b"},"free":[{}]}`},
		"a plugin's own record":      {param: "paint", given: `{"shade":0,"mood":"","layers":null}`, want: `{"shade":0,"mood":"","layers":null}`},
		"a member of another type":   {param: "paint", given: `{"name":1}`, kind: KindType, says: "argument paint member name: must be str, not an int (1)"},
		"deep within":                {param: "paints", given: `[{"under":{"layers":["x"]}}]`, kind: KindType, says: `element 0: member under: member layers: element 0: must be int, not the str "x"`},
		"text within":                {param: "paint", given: `{"shade":"4","layers":"[1]","tags":"[\"1\"]"}`, want: `{"layers":[1],"shade":4,"tags":["1"]}`, text: true},
		"text within text":           {param: "paint", given: `"{\"under\":{\"shade\":\"4\"}}"`, want: `{"under":{"shade":4}}`, text: true},
	} {
		got, err := Binder{Types: types, Text: c.text}.Bind(m.Decl(), "f", map[string]json.RawMessage{c.param: json.RawMessage(c.given)})
		if c.says != "" {
			if !IsKind(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %s, %v; want a %s that says %q", name, got, err, c.kind, c.says)
			}
			continue
		}
		var all map[string]json.RawMessage
		if err != nil || json.Unmarshal(got, &all) != nil || string(all[c.param]) != c.want {
			t.Errorf("%s: %s, %v; want %s", name, all[c.param], err, c.want)
		}
	}
}
