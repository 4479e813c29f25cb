package sdk

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type leaf struct {
	Name  string  `json:"name"`
	Body  *string `json:"body,omitempty" lazy:"leaf_body_" doc:"its text"`
	Twig  **leaf  `json:"twig,omitempty" lazy:"leaf_twig_"`
	Place string  `json:"place_,omitempty" inherit:"true"`
}

type branch struct {
	Leaves []leaf `json:"leaves" items:"true"`
	Place  string `json:"place_,omitempty"`
}

type ofRecord struct {
	Record json.RawMessage `json:"record"`
}

func declare[P, R any](name string, opts ...MethodOption) Method {
	return NewMethod(name, func(context.Context, *Call, P) (R, error) { var r R; return r, nil }, "S.\n\nD.", opts...)
}

func facadeOf(methods ...Method) Plugin {
	return Plugin{Name: "x", Facades: []Facade{{Name: "tree", Summary: "s", Methods: methods}}}
}

func TestLazyMembersAreDeclared(t *testing.T) {
	t.Parallel()
	p := facadeOf(declare[struct{}, branch]("grow"), declare[ofRecord, string]("leaf_body_"), declare[ofRecord, *leaf]("leaf_twig_"))
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	m, err := ParseManifest(p.Manifest().JSON())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range m.Types {
		for _, member := range d.Members {
			data, err := json.Marshal(member)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(data))
		}
	}
	want := []string{
		`{"name":"leaves","type":{"name":"list","args":[{"name":"leaf"}]}}`,
		`{"name":"place_","type":{"name":"str"}}`,
		`{"name":"name","type":{"name":"str"}}`,
		`{"name":"body","type":{"name":"optional","args":[{"name":"str"}]},"doc":"its text","lazy":"leaf_body_"}`,
		`{"name":"twig","type":{"name":"optional","args":[{"name":"leaf"}]},"lazy":"leaf_twig_"}`,
		`{"name":"place_","type":{"name":"str"},"inherit":true}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("members\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Absent is "not had yet", null is None for good.
func TestLazyMembersOnTheWire(t *testing.T) {
	t.Parallel()
	var none *leaf
	body, twig := "text", &leaf{Name: "b"}
	for want, l := range map[string]leaf{
		`{"name":"a"}`:                      {Name: "a"},
		`{"name":"a","twig":null}`:          {Name: "a", Twig: &none},
		`{"name":"a","twig":{"name":"b"}}`:  {Name: "a", Twig: &twig},
		`{"name":"","body":"text"}`:         {Body: &body},
		`{"name":"a","place_":"somewhere"}`: {Name: "a", Place: "somewhere"},
	} {
		if got, err := json.Marshal(l); err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

func TestValidateLazyMembers(t *testing.T) {
	t.Parallel()
	type plain struct {
		Body string `json:"body,omitempty" lazy:"leaf_body_"`
	}
	type kept struct {
		Body *string `json:"body" lazy:"leaf_body_"`
	}
	type shown struct {
		Body *string `json:"body,omitempty" lazy:"leaf_body"`
	}
	type only struct {
		Body *string `json:"body,omitempty" lazy:"leaf_body_"`
	}
	type handed struct {
		Place string `json:"place_" inherit:"true"`
	}
	type other struct {
		Leaf json.RawMessage `json:"leaf"`
	}
	type typed struct {
		Record string `json:"record"`
	}
	body := declare[ofRecord, string]("leaf_body_")
	for says, p := range map[string]Plugin{
		"member body of sdk.plain is lazy: it must be a pointer with omitempty":                     facadeOf(declare[struct{}, plain]("m"), body),
		"member body of sdk.kept is lazy: it must be a pointer with omitempty":                      facadeOf(declare[struct{}, kept]("m"), body),
		"member place_ of sdk.handed is inherited: it needs omitempty":                              facadeOf(declare[struct{}, handed]("m")),
		"member plain.body is lazy: its type must be optional, not str":                             facadeOf(declare[struct{}, plain]("m"), body),
		`member shown.body is lazy: the name of its method, "leaf_body", must end in "_"`:           facadeOf(declare[struct{}, shown]("m"), declare[ofRecord, string]("leaf_body")),
		"member only.body is lazy: facade tree, whose results contain it, has no method leaf_body_": facadeOf(declare[struct{}, []only]("m")),
		"member only.body is lazy: tree.leaf_body_ must have one parameter, record of type Any":     facadeOf(declare[struct{}, only]("m"), declare[other, string]("leaf_body_")),
		"only.body is lazy: tree.leaf_body_ must have one parameter":                                facadeOf(declare[struct{}, *only]("m"), declare[typed, string]("leaf_body_")),
		"member only.body is lazy: it is str | None, but tree.leaf_body_ returns int":               facadeOf(declare[struct{}, only]("m"), declare[ofRecord, int]("leaf_body_")),
		"member only.body is lazy: reading it must change nothing, but tree.leaf_body_ can edit":    facadeOf(declare[struct{}, only]("m"), declare[ofRecord, string]("leaf_body_", CanEdit())),
		"tree.leaf_body_ is not shown to a model, as its name ends in \"_\", and so can be no tool": facadeOf(declare[ofRecord, string]("leaf_body_", Tool("leaf_body"))),
		"member only.body is lazy: facade far, whose results contain it, has no method leaf_body_":  {Name: "x", Facades: []Facade{facadeOf(declare[struct{}, only]("m"), body).Facades[0], {Name: "far", Summary: "s", Methods: []Method{declare[struct{}, map[string]only]("m")}}}},
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says %q, got %v", says, err)
		}
	}
	for name, p := range map[string]Plugin{
		"an optional result": facadeOf(declare[struct{}, only]("m"), declare[ofRecord, *string]("leaf_body_")),
		"a facade that only takes the record": {Name: "x", Facades: []Facade{facadeOf(declare[struct{}, only]("m"), body).Facades[0], {Name: "far", Summary: "s", Methods: []Method{declare[struct {
			Leaf only `json:"leaf"`
		}, string]("m")}}}},
	} {
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
