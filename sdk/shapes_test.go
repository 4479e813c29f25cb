package sdk

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

type preview struct {
	Found int `json:"found"`
}

func (p preview) RenderText(Policy) string { return strings.Repeat("x", p.Found) }

type options struct {
	Depth int      `json:"depth" doc:"levels"`
	Names []string `json:"names"`
	Of    *preview `json:"of"`
}

func (options) KeyedDict() {}

type gate struct {
	ID     string `json:"id"`
	Secret string `json:"secret_"`
	Size   int    `json:"size"`
}

func (*gate) RecordMethods() []RecordMethod {
	return []RecordMethod{{Name: "shut", Calls: "shut_", Doc: "Shuts it."}, {Name: "oil", Calls: "oil_"}}
}

type onGate struct {
	Record gate `json:"record"`
	Twice  bool `json:"twice" default:"False"`
}

func TestAResultIsOneOfTwoTypes(t *testing.T) {
	t.Parallel()
	type which struct {
		First bool `json:"first"`
	}
	m := NewMethod("m", func(_ context.Context, _ *Call, p which) (Either[preview, string], error) {
		if p.First {
			return First[preview, string](preview{Found: 3}), nil
		}
		return Second[preview, string]("none"), nil
	}, "S.\n\nD.")
	p := facadeOf(m)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := m.Decl().Signature(); got != "m(first: bool) -> preview | str" {
		t.Error(got)
	}
	if names := strings.Join(typeNames(p), " "); names != "preview" {
		t.Errorf("types %s", names)
	}
	for arg, want := range map[string][3]string{"true": {`{"found":3}`, "xxx", "preview"}, "false": {`"none"`, "none", ""}} {
		args := map[string]json.RawMessage{"first": json.RawMessage(arg)}
		value, text, err := p.Invoke(t.Context(), NewCall(nil, 0, nil, nil, nil), "tree", "m", args, 9)
		if err != nil || string(value) != want[0] || text != want[1] {
			t.Errorf("%s: %s, %q, %v", arg, value, text, err)
		}
		out := call(t, p, "m", `{"first":`+arg+`}`)
		if out.Failure != nil || string(out.Value) != want[0] || out.Text != want[1] || out.Type != want[2] {
			t.Errorf("%s: %v", arg, out)
		}
	}
	both := Second[int, string]("a")
	if both.IsFirst() || both.First() != 0 || both.Second() != "a" {
		t.Error("what an Either is")
	}
}

func typeNames(p Plugin) []string {
	var names []string
	for _, t := range p.Manifest().Types {
		names = append(names, t.Name)
	}
	return names
}

func TestUnionsThatNobodyCouldTellApart(t *testing.T) {
	t.Parallel()
	type inside struct {
		Either Either[int, string] `json:"either"`
	}
	for says, m := range map[string]Method{
		"int and float look the same on the wire (a number)":                         declare[struct{}, Either[int, float64]]("m"),
		"str and Literal[\"calm\", \"wild\"] look the same on the wire (a string)":   declare[struct{}, Either[string, mood]]("m"),
		"preview and preview look the same on the wire (preview)":                    declare[struct{}, Either[preview, preview]]("m"),
		"preview | None cannot be one of several types":                              declare[struct{}, Either[*preview, string]]("m"),
		"Any cannot be one of several types":                                         declare[struct{}, Either[any, string]]("m"),
		"sdk.Either[int,string]: one of several types can be the whole result":       declare[inside, int]("m"),
		"Either[int,string]: one of several types can be the whole result of a meth": declare[struct{}, []Either[int, string]]("m"),
	} {
		if err := facadeOf(m).Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says %q, got %v", says, err)
		}
	}
}

func TestKeyedDictsAreDeclared(t *testing.T) {
	t.Parallel()
	p := facadeOf(declare[struct{}, []options]("m"))
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(p.Manifest().Types)
	want := `[{"name":"options","kind":"keyed_dict","members":[{"name":"depth","type":{"name":"int"},"doc":"levels"},` +
		`{"name":"names","type":{"name":"list","args":[{"name":"str"}]}},{"name":"of","type":{"name":"optional","args":[{"name":"preview"}]}}]},` +
		`{"name":"preview","kind":"record","members":[{"name":"found","type":{"name":"int"}}],"renders":true}]`
	if string(data) != want {
		t.Errorf("%s\nwant\n%s", data, want)
	}
}

type shownDict struct{ options }

func (shownDict) RenderText(Policy) string { return "" }

type busyDict struct {
	Names []string `json:"names" items:"true"`
	Late  *int     `json:"late,omitempty" lazy:"late_"`
}

func (busyDict) KeyedDict() {}

func (busyDict) RecordMethods() []RecordMethod { return []RecordMethod{{Name: "a", Calls: "a_"}} }

func TestValidateKeyedDicts(t *testing.T) {
	t.Parallel()
	for says, m := range map[string]Method{
		"sdk.shownDict is a keyed dict, so it has no text of its own: remove RenderText": declare[struct{}, shownDict]("m"),
		"sdk.busyDict is a keyed dict, so it has no methods: remove RecordMethods":       declare[struct{}, busyDict]("m"),
		"key late can be neither lazy nor inherited":                                     declare[struct{}, busyDict]("m"),
	} {
		if err := facadeOf(m).Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says %q, got %v", says, err)
		}
	}
}

func TestRecordMethodsAreDeclaredAndDocumented(t *testing.T) {
	t.Parallel()
	p := facadeOf(declare[struct{}, gate]("open"), declare[onGate, string]("shut_"), declare[ofRecord, int]("oil_"))
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	decl := p.Manifest().Types[0]
	data, _ := json.Marshal(decl.Methods)
	if string(data) != `[{"name":"shut","calls":"shut_","doc":"Shuts it."},{"name":"oil","calls":"oil_"}]` {
		t.Errorf("%s", data)
	}
	f := p.Manifest().Facades[0]
	if got := f.method("shut_").OnRecord("shut").Signature(); got != "shut(twice: bool = False) -> str" {
		t.Error(got)
	}
	told := func(d TypeDecl) string {
		var names []string
		for _, m := range d.DocumentedMembers() {
			names = append(names, m.Name)
		}
		for _, m := range d.DocumentedMethods() {
			names = append(names, m.Name+"()")
		}
		return strings.Join(names, " ")
	}
	if got := told(decl); got != "id size shut()" {
		t.Errorf("documented: %s", got)
	}
	decl.Curated = []string{"size", "oil", "secret_"}
	if got := told(decl); got != "size secret_ oil()" {
		t.Errorf("documented when curated: %s", got)
	}
}

type curated struct {
	A string `json:"a"`
}

func (curated) CuratedMembers() []string { return []string{"a", "bb"} }

type twofold struct {
	Name string `json:"name"`
}

func (twofold) RecordMethods() []RecordMethod { return []RecordMethod{{Name: "name", Calls: "name_"}} }

type loud struct {
	Name string `json:"name"`
}

func (loud) RecordMethods() []RecordMethod { return []RecordMethod{{Name: "shout", Calls: "shout"}} }

func TestValidateRecordMethods(t *testing.T) {
	t.Parallel()
	type wrong struct {
		Rec gate `json:"rec"`
	}
	oil := declare[ofRecord, int]("oil_")
	for says, p := range map[string]Plugin{
		"method gate.shut: facade tree, whose results contain gate, has no method shut_ (did you mean shutt_?)": facadeOf(declare[struct{}, gate]("open"), declare[onGate, string]("shutt_"), oil),
		"method gate.shut: the first parameter of tree.shut_ must be record, of type gate or Any":               facadeOf(declare[struct{}, gate]("open"), declare[wrong, string]("shut_"), oil),
		`method loud.shout: the name of the facade's method that it calls, "shout", must end in "_"`:            facadeOf(declare[struct{}, loud]("open"), declare[ofRecord, int]("shout")),
		"type twofold has two members named name":                                                               facadeOf(declare[struct{}, twofold]("open"), declare[ofRecord, int]("name_")),
		"type curated: the curated member bb is neither a member nor a method":                                  facadeOf(declare[struct{}, curated]("open")),
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says %q, got %v", says, err)
		}
	}
}
