package sdk

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCheckAnswer(t *testing.T) {
	t.Parallel()
	m := Manifest{Types: []TypeDecl{{Name: "Rec", Kind: TypeRecord}, {Name: "Other", Kind: TypeRecord}, {Name: "Keys", Kind: TypeKeyedDict}, {Name: "Mood", Kind: TypeEnum}}}
	ref := func(name string, args ...TypeRef) TypeRef { return TypeRef{Name: name, Args: args} }
	either := ref("union", ref("Rec"), ref("str"))
	for _, c := range []struct {
		result      TypeRef
		name, value string
		says        string // "": it fits
	}{
		{ref("Rec"), "Rec", `{"a":1}`, ""}, {ref("Rec"), "", ` {"a":1}`, ""}, {ref("Rec"), "", "null", ""},
		{ref("Rec"), "Rec", "5", `its value is of the type Rec and begins with "5", and its method is declared to answer Rec`},
		{ref("Rec"), "", "[1]", `its value begins with "[1]", and its method is declared to answer Rec`},
		{ref("Rec"), "Other", "{}", "declared to answer Rec"}, {ref("Rec"), "Nope", "{}", `of the type "Nope", which the plugin does not declare`},
		{ref("optional", ref("Rec")), "Rec", "{}", ""}, {ref("optional", ref("Rec")), "", "7", "declared to answer Rec | None"},
		{ref("Keys"), "Keys", "{}", ""}, {ref("Keys"), "", "[]", "declared to answer Keys"},
		{ref("Mood"), "Mood", "1", ""}, {ref("Mood"), "", "-1", ""}, {ref("Mood"), "", `"CALM"`, "declared to answer Mood"}, {ref("Mood"), "Mood", "{}", "declared to answer Mood"},
		{either, "Rec", "{}", ""}, {either, "", `"x"`, ""}, {either, "", "5", "declared to answer Rec | str"}, {either, "Rec", `"x"`, "declared to answer Rec | str"},
		{ref("str"), "", `"x"`, ""}, {ref("str"), "", "{}", "declared to answer str"}, {ref("str"), "Rec", `"x"`, "declared to answer str"},
		{ref("int"), "", "-3", ""}, {ref("int"), "", "3.5", "declared to answer int"}, {ref("int"), "", "true", "declared to answer int"},
		{ref("int"), "", "1" + strings.Repeat("0", 30), "declared to answer int"},
		{ref("float"), "", "3", ""}, {ref("float"), "", `"3"`, "declared to answer float"}, {ref("bool"), "", "false", ""}, {ref("bool"), "", "0", "declared to answer bool"},
		{ref("list", ref("int")), "", "[]", ""}, {ref("list", ref("int")), "", `"abc"`, "declared to answer list[int]"},
		{ref("dict", ref("int")), "", "{}", ""}, {ref("dict", ref("int")), "", "[]", "declared to answer dict[str, int]"},
		{ref("None"), "", "null", ""}, {ref("None"), "", "5", "declared to answer None"}, {ref("Any"), "", "[1]", ""}, {ref("Any"), "Rec", "{}", ""},
		{TypeRef{Name: "literal", Values: []string{"a"}}, "", `"a"`, ""}, {TypeRef{Name: "literal", Values: []string{"a"}}, "", "1", `declared to answer Literal["a"]`},
	} {
		err := m.CheckAnswer(c.result, c.name, json.RawMessage(c.value))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v %s %s: %v; want %q", c.result, c.name, c.value, err, c.says)
		}
	}
}
