package api

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/sdk"
)

// cellTypes are declared types of every kind.
const cellTypes = `[
	{"name": "Color", "kind": "enum", "members": [{"name": "RED", "value": 1}, {"name": "GREEN", "value": 2}]},
	{"name": "Leaf", "kind": "record", "members": [
		{"name": "name", "type": {"name": "str"}}, {"name": "color", "type": {"name": "Color"}},
		{"name": "weight", "type": {"name": "float"}}, {"name": "secret_", "type": {"name": "int"}},
		{"name": "body", "type": {"name": "str"}, "lazy": "fetch_"},
		{"name": "path", "type": {"name": "str"}, "inherit": true},
		{"name": "next", "type": {"name": "optional", "args": [{"name": "Leaf"}]}},
		{"name": "tags", "type": {"name": "list", "args": [{"name": "str"}]}}]},
	{"name": "Marks", "kind": "keyed_dict", "members": [{"name": "color", "type": {"name": "Color"}}, {"name": "leaf", "type": {"name": "Leaf"}}]}
]`

// cellValues are results, with the type that each is declared to have.
var cellValues = []struct{ ref, value string }{
	{`{"name": "float"}`, `3`},
	{`{"name": "float"}`, `10000000000000000`},
	{`{"name": "float"}`, `-0`},
	{`{"name": "float"}`, `1e-7`},
	{`{"name": "list", "args": [{"name": "float"}]}`, `[1, 2.5, 1e+22, null]`},
	{`{"name": "list", "args": [{"name": "list", "args": [{"name": "float"}]}]}`, `[[1], []]`},
	{`{"name": "list", "args": [{"name": "str"}]}`, `null`},
	{`{"name": "dict", "args": [{"name": "int"}]}`, `null`},
	{`{"name": "str"}`, `null`},
	{`{"name": "int"}`, `null`},
	{`{"name": "bool"}`, `null`},
	{`{"name": "Color"}`, `2`},
	{`{"name": "Color"}`, `7`},
	{`{"name": "list", "args": [{"name": "Color"}]}`, `[1, 7]`},
	{`{"name": "list", "args": [{"name": "list", "args": [{"name": "Color"}]}]}`, `[[1, 7], [2]]`},
	{`{"name": "dict", "args": [{"name": "Color"}]}`, `{"b": 2, "a": 9}`},
	{`{"name": "dict", "args": [{"name": "optional", "args": [{"name": "float"}]}]}`, `{"b": 2, "a": null}`},
	{`{"name": "dict", "args": [{"name": "list", "args": [{"name": "str"}]}]}`, `{"b": null, "a": ["it's"]}`},
	{`{"name": "dict", "args": [{"name": "Leaf"}]}`, `{"x": {"name": "a", "color": 1, "weight": 2, "secret_": 4, "path": "p", "next": {"name": "b", "color": 2, "tags": ["1", "2", "3", "4"]}}}`},
	{`{"name": "dict", "args": [{"name": "Leaf"}]}`, `{"x": {"name": "` + strings.Repeat("é'", 60) + `", "body": "there", "tags": ["it's", "a \"b\""]}, "y": null}`},
	{`{"name": "list", "args": [{"name": "dict", "args": [{"name": "Leaf"}]}]}`, `[{"x": {"name": "a"}}, {}]`},
	{`{"name": "Marks"}`, `{"leaf": {"name": "a"}, "color": 1, "more": [1, {"k": true}]}`},
	{`{"name": "list", "args": [{"name": "Marks"}]}`, `[{"color": 1}, {}]`},
	{`{"name": "optional", "args": [{"name": "Color"}]}`, `null`},
	{`{"name": "optional", "args": [{"name": "Color"}]}`, `1`},
	{`{"name": "list", "args": [{"name": "list", "args": [{"name": "optional", "args": [{"name": "Leaf"}]}]}]}`, `[[null], [], [null, null]]`},
	{`{"name": "union", "args": [{"name": "float"}, {"name": "str"}]}`, `3`},
	{`{"name": "union", "args": [{"name": "list", "args": [{"name": "float"}]}, {"name": "str"}]}`, `[3]`},
	{`{"name": "union", "args": [{"name": "list", "args": [{"name": "float"}]}, {"name": "str"}]}`, `"3"`},
	{`{"name": "Any"}`, `{"z": 1, "a": [null, true, 1.0, "x"]}`},
}

// cellProgram shows each value as a cell does.
const cellProgram = `
import json, sys
from serena_repl import formatting, results
task = json.load(sys.stdin)
results.declare("f", task["types"])
texts = [formatting.format_value(results.convert("f", v["ref"], v["value"], {})) for v in task["values"]]
print(json.dumps(texts))
`

// TestPlainTextIsThatOfACell compares with what the Python side shows of the same results.
func TestPlainTextIsThatOfACell(t *testing.T) {
	t.Parallel()
	type value struct {
		Ref   json.RawMessage `json:"ref"`
		Value json.RawMessage `json:"value"`
	}
	values := make([]value, len(cellValues))
	for i, v := range cellValues {
		values[i] = value{json.RawMessage(v.ref), json.RawMessage(v.value)}
	}
	task, err := json.Marshal(map[string]any{"types": json.RawMessage(cellTypes), "values": values})
	if err != nil {
		t.Fatal(err)
	}
	python := exec.CommandContext(t.Context(), "python3", "-B", "-c", cellProgram)
	python.Dir = "../repl/python"
	python.Stdin = bytes.NewReader(task)
	said, err := python.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if err := json.Unmarshal(said, &want); err != nil {
		t.Fatal(err)
	}
	f := &Facade{}
	if err := json.Unmarshal([]byte(cellTypes), &f.Types); err != nil {
		t.Fatal(err)
	}
	p := plain{facade: f}
	for i, v := range values {
		var ref sdk.TypeRef
		if err := json.Unmarshal(v.Ref, &ref); err != nil {
			t.Fatal(err)
		}
		if got, err := p.text(ref, v.Value, 0); err != nil || got != want[i] {
			t.Errorf("%s of type %s: %q, %v; a cell shows %q", v.Value, ref.Annotation(), got, err, want[i])
		}
	}
}

// TestRenderedByName: what comes with its type's name is shown by its kind, and only a record by its plugin.
func TestRenderedByName(t *testing.T) {
	t.Parallel()
	plugin := sdk.Plugin{Name: "p", Facades: []sdk.Facade{{Name: "p", Summary: "p", Methods: []sdk.Method{method[Color]("color"), method[Leaf]("leaf")}}}}
	for name, c := range map[string]struct{ typeName, value, want string }{
		"color": {"Color", `2`, "BLUE"},
		"leaf":  {"Leaf", `{"name":"x"}`, "the plugin's own"},
	} {
		provider := fake{call: func(_ context.Context, _ Request) (Outcome, error) {
			return Outcome{Value: json.RawMessage(c.value), Type: c.typeName, Text: "the plugin's own"}, nil
		}}
		r, _ := Compose("lsp", []Source{{plugin.Manifest(), provider}})
		s, _ := NewScope(r, nil, false)
		out, err := NewDispatcher(100, hclog.NewNullLogger()).Call(t.Context(), Caller{Scope: s}, Call{Facade: "p", Method: name, Args: args("path", `"x"`), Render: true})
		if err != nil || out.Text != c.want {
			t.Errorf("%s: %q, %v; want %q", name, out.Text, err, c.want)
		}
	}
}
