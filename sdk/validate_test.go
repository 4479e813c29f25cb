package sdk

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/sdk/internal/twin"
)

type weekday int

func (weekday) EnumMembers() []EnumMember { return nil }

type reserved int

func (reserved) EnumMembers() []EnumMember { return []EnumMember{{Name: "mro", Value: 1}} }

// Any is a type whose name Python has for another.
type Any struct {
	A int `json:"a"`
}

type twice int

func (twice) EnumMembers() []EnumMember {
	return []EnumMember{{Name: "A", Value: 1}, {Name: "B", Value: 1}}
}

type page[T any] struct {
	Items []T `json:"items"`
}

type Gadget struct {
	Name string `json:"name"`
}

type intPage = page[int]

// TestValidate_fieldsAndTypes has what an author writes in Go and what is said about it.
func TestValidate_fieldsAndTypes(t *testing.T) {
	t.Parallel()
	type noTag struct{ Name string }
	type badDefault struct {
		A int `json:"a" default:"'x'"`
	}
	type order struct {
		A int `json:"a" default:"1"`
		B int `json:"b"`
	}
	type noLiteral struct {
		A string `json:"a" default:"x"`
	}
	type noMood struct {
		A mood `json:"a" default:"'sad'"`
	}
	type function struct {
		F func() `json:"f"`
	}
	type moment struct {
		At time.Time `json:"at"`
	}
	type blob struct {
		Data []byte `json:"data"`
	}
	type pair struct {
		P [2]int `json:"p"`
	}
	type keys struct {
		M map[int]string `json:"m"`
	}
	type typo struct {
		A int `json:"a" defualt:"1"`
	}
	type misplaced struct {
		A []int `json:"a" items:"true"`
	}
	type notTrue struct {
		A int `json:"a" default:"1" output:"yes"`
	}
	type asText struct {
		A int `json:"a,string"`
	}
	type noSlice struct {
		A string `json:"a" items:"true"`
	}
	type twoItems struct {
		A []int `json:"a" items:"true"`
		B []int `json:"b" items:"true"`
	}
	type nameless struct {
		A struct{ B int } `json:"a"`
	}
	type underscore struct {
		A int `json:"_a"`
	}
	type keyword struct {
		A int `json:"lambda"`
	}
	type noMember struct {
		S shade `json:"s" default:"9"`
	}
	type member struct {
		S shade `json:"s" default:"4"`
	}
	for says, m := range map[string]Method{
		`tree.m: the default of s does not fit its type: must be one of shade (DARK = 1, LIGHT = 4), not 9`:                         declare[noMember, int]("m"),
		`must be one of shade (DARK = 1, LIGHT = 4), not 3`:                                                                         declare[member, int]("m", Example("tree.m(s=3)")),
		`enum reserved: Python keeps the name mro for itself: rename the member`:                                                    declare[struct{}, reserved]("m"),
		`type Any has the name of a type that everybody has: rename it`:                                                             declare[struct{}, Any]("m"),
		`tree.m: field Name of sdk.noTag needs a json tag that names the parameter, or json:"-"`:                                    declare[noTag, int]("m"),
		`tree.m: field Name of sdk.noTag needs a json tag that names the member`:                                                    declare[struct{}, noTag]("m"),
		`tree.m: field A of sdk.badDefault: default 'x': must be int, not the str "x"`:                                              declare[badDefault, int]("m"),
		`tree.m: parameter b has no default but stands behind one that has`:                                                         declare[order, int]("m"),
		`tree.m: field A of sdk.noLiteral: default x: not a Python literal: write 'text', a number`:                                 declare[noLiteral, int]("m"),
		`tree.m: field A of sdk.noMood: default 'sad': must be Literal["calm", "wild"]`:                                             declare[noMood, int]("m"),
		`tree.m: field F of sdk.function: func() cannot be declared: use strings`:                                                   declare[function, int]("m"),
		`tree.m: field At of sdk.moment: time.Time writes its own JSON, so what it looks like cannot be derived: use a string`:      declare[struct{}, moment]("m"),
		`tree.m: field Data of sdk.blob: []uint8 would travel as base64 text: use string`:                                           declare[struct{}, blob]("m"),
		`tree.m: field P of sdk.pair: [2]int has a fixed length, which a list in Python has not: use []int`:                         declare[pair, int]("m"),
		`tree.m: field M of sdk.keys: map[int]string: the keys of a map must be strings`:                                            declare[keys, int]("m"),
		`tree.m: field A of sdk.typo: the tag defualt is not known; did you mean default?`:                                          declare[typo, int]("m"),
		`tree.m: field A of sdk.misplaced: the tag items has no meaning for a parameter, which may have json, doc, default, output`: declare[misplaced, int]("m"),
		`tree.m: field A of sdk.notTrue: the tag output is output:"true" or absent, not "yes"`:                                      declare[notTrue, int]("m"),
		`tree.m: field A of sdk.asText: the option string of its json tag changes what is on the wire`:                              declare[asText, int]("m"),
		`tree.m: field A of sdk.noSlice is marked as the items, so it must be a slice, not string`:                                  declare[struct{}, noSlice]("m"),
		`tree.m: field B of sdk.twoItems: only one field can be the items`:                                                          declare[struct{}, twoItems]("m"),
		`tree.m: field A of sdk.nameless: struct { B int } needs a type name: it is how Python knows it`:                            declare[struct{}, nameless]("m"),
		`the name of the member of underscore, "_a", must not begin with "_": Python takes such names for private ones`:             declare[struct{}, underscore]("m"),
		`the name of the parameter of tree.m, "lambda", must be a Python identifier and no keyword`:                                 declare[keyword, int]("m"),
		`tree.m: the parameters must be a struct, not int`:                                                                          declare[int, int]("m"),
		`tree.m: sdk.weekday is an enum without members: EnumMembers must name its values`:                                          declare[struct{}, weekday]("m"),
		`enum twice: A and B have the same value, 1`:                                                                                declare[struct{}, twice]("m"),
		`tree.m: sdk.page[int] is an instance of a generic type, whose name is none in Python: give it one`:                         declare[struct{}, intPage]("m"),
		`tree.m: the alias file is one of pattrn, which is no parameter; did you mean "pattern"?`:                                   declare[findParams, int]("m", Alias("pattrn", "file")),
		`tree.m: the function that runs it is nil`:                                                                                  NewMethod[struct{}, int]("m", nil, "S.\n\nD."),
		`tree.m needs a summary (the first paragraph of its doc) and documentation (the rest)`:                                      NewMethod("m", func(context.Context, *Call, struct{}) (int, error) { return 0, nil }, "Only a summary."),
		`the name of the method, "class", must be a Python identifier and no keyword`:                                               declare[struct{}, int]("class"),
		`the name of the tool of tree.m, "my tool", must be a Python identifier`:                                                    declare[struct{}, int]("m", Tool("my tool")),
	} {
		if err := facadeOf(m).Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says\n%s, got\n%v", says, err)
		}
	}
}

// What go vet refuses in a source can still be declared.
func TestValidate_fieldsThatAreNotOnTheWire(t *testing.T) {
	t.Parallel()
	number := reflect.TypeFor[int]()
	for says, fields := range map[string][]reflect.StructField{
		"has a json tag but is not exported, so it is no parameter: write it with a capital letter": {{Name: "a", PkgPath: "x", Type: number, Tag: `json:"a"`}},
		"have the same name, a, in their json tags, so neither would be on the wire":                {{Name: "A", Type: number, Tag: `json:"a"`}, {Name: "B", Type: number, Tag: `json:"a"`}},
	} {
		d := newDeriver()
		d.strict = true
		d.params(reflect.StructOf(fields))
		if len(d.faults) != 1 || !strings.HasSuffix(d.faults[0], says) {
			t.Errorf("want a fault that ends in %q, got %q", says, d.faults)
		}
	}
}

func TestValidate_namesAcrossThePlugin(t *testing.T) {
	t.Parallel()
	ok := declare[struct{}, int]("read_all")
	facade := func(name, summary string, methods ...Method) Facade {
		return Facade{Name: name, Summary: summary, Methods: methods}
	}
	for says, p := range map[string]Plugin{
		"f.read_all is declared twice": {Name: "x", Facades: []Facade{facade("f", "s", ok, ok)}},
		"facade f: the summary speaks of the domain and lists no operation, but names read_all":                                  {Name: "x", Facades: []Facade{facade("f", "has read_all", ok)}},
		"facade f needs a summary of its domain":                                                                                 {Name: "x", Facades: []Facade{facade("f", "", ok)}},
		"facade f: the summary must be one line; more belongs into the doc":                                                      {Name: "x", Facades: []Facade{facade("f", "one\ntwo", ok)}},
		"facade f is declared twice":                                                                                             {Name: "x", Facades: []Facade{facade("f", "s"), facade("f", "s")}},
		"facade info: s.info is serena's own":                                                                                    {Name: "x", Facades: []Facade{facade("info", "s", ok)}},
		`the name of the plugin, "my plugin", must be a Pyt`:                                                                     {Name: "my plugin", Facades: []Facade{facade("f", "s", ok)}},
		"plugin x has no facades":                                                                                                {Name: "x"},
		"facade f belongs to another plugin (Guest), which gives its summary and doc: remove them here":                          {Name: "x", Facades: []Facade{{Name: "f", Summary: "s", Guest: true, Methods: []Method{ok}}}},
		"f.a and f.b are both the tool read":                                                                                     {Name: "x", Facades: []Facade{facade("f", "s", declare[struct{}, int]("a", Tool("read")), declare[struct{}, int]("b", Tool("read")))}},
		"f.Gadget is a method and a type of that name as well":                                                                   {Name: "x", Facades: []Facade{facade("f", "s", declare[struct{}, Gadget]("Gadget"))}},
		"sdk.Gadget and github.com/serena-go/serena/sdk/internal/twin.Gadget":                                                    {Name: "x", Facades: []Facade{facade("f", "s", declare[struct{}, Gadget]("a"), declare[struct{}, twin.Gadget]("b"))}},
		"twin.Gadget and github.com/serena-go/serena/sdk.Gadget have the same name, but Python knows types by their names alone": {Name: "x", Facades: []Facade{facade("f", "s", declare[struct{}, []struct1]("a"))}},
		"Settings: the setting path is serena's own (path, sha256, enabled): name it otherwise": {Name: "x", Facades: []Facade{facade("f", "s", ok)}, Settings: struct {
			Path string `json:"path"`
		}{}},
		"Settings: Settings must be a struct that holds the defaults, not *sdk.Gadget": {Name: "x", Facades: []Facade{facade("f", "s", ok)}, Settings: &Gadget{}},
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says\n%s, got\n%v", says, err)
		}
	}
}

// struct1 has two types of one name.
type struct1 struct {
	A twin.Gadget `json:"a"`
	B Gadget      `json:"b"`
}

type base struct {
	ID int `json:"id" doc:"its number"`
}

type derived struct {
	base
	Name string `json:"name" yaml:"name" validate:"x"`
}

func TestEmbeddedFieldsAndForeignTagsAreFine(t *testing.T) {
	t.Parallel()
	p := facadeOf(declare[derived, derived]("m"))
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if got := p.Manifest().Facades[0].Methods[0].Signature(); got != "m(id: int, name: str) -> derived" {
		t.Error(got)
	}
	if got := strings.Join(memberNames(&p.Manifest().Types[0]), " "); got != "id name" {
		t.Error(got)
	}
}

func TestSettingsAreDeclaredWithTheirDefaults(t *testing.T) {
	t.Parallel()
	p := facadeOf(declare[struct{}, int]("m"))
	p.Settings = struct {
		Limit  int      `json:"limit" doc:"items at most"`
		Gadget *Gadget  `json:"gadget"`
		Tags   []string `json:"tags"`
	}{Limit: 10, Tags: []string{"a"}}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	data, _ := json.Marshal(p.Manifest().Settings)
	want := `[{"name":"limit","type":{"name":"int"},"default":10,"doc":"items at most"},` +
		`{"name":"gadget","type":{"name":"optional","args":[{"name":"Gadget"}]},"default":null},{"name":"tags","type":{"name":"list","args":[{"name":"str"}]},"default":["a"]}]`
	if string(data) != want || strings.Join(typeNames(p), " ") != "Gadget" {
		t.Errorf("%s, types %v", data, typeNames(p))
	}
	for own, says := range map[string]string{`{"limit":1,"gadget":{"name":"x"}}`: "", `{"limits":1}`: "plugins.x.limits: the plugin has no such setting; did you mean limit?"} {
		err := p.checkSettings(&Project{Plugin: "x", OwnSettings: json.RawMessage(own)})
		if (err == nil) != (says == "") || err != nil && !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%s: %v", own, err)
		}
	}
}
