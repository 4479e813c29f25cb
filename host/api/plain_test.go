package api

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/sdk"
)

// TestPlainValuesReadAsPython compares with what python3 says of the same values.
func TestPlainValuesReadAsPython(t *testing.T) {
	t.Parallel()
	values := []string{
		"true", "false", "null", "0", "-0", "12345678901234567890", "1.5", "1.0", "-0.0", "1e3", "1e16", "1e15", "123456789012345678.0",
		"0.0001", "0.00001", "1e-7", "1.7976931348623157e308", "1e999", "-1e999", "2.5e-8", "100000000000000000000000.5",
		`{}`, `[]`, `{"b": [1, null, "it's"], "a": {"c": "say \"hi\""}}`, `{"k": "both ' and \""}`, `{"e": "a\nb\tc\r\\d"}`,
		`{"u": "é😀\u0000\u001f\u007f\u00a0\u00ad\u200b\u2028\ue000"}`, `{"x": [[], {}, [1.50, [true]]]}`,
	}
	python := exec.CommandContext(t.Context(), "python3", "-c", "import json, sys\nfor line in sys.stdin: print(json.dumps(str(json.loads(line))))")
	python.Stdin = strings.NewReader(strings.Join(values, "\n"))
	out, err := python.Output()
	if err != nil {
		t.Fatal(err)
	}
	p := plain{facade: &Facade{}}
	for i, want := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var said string
		if err := json.Unmarshal([]byte(want), &said); err != nil {
			t.Fatal(err)
		}
		if got, err := p.text(sdk.TypeRef{Name: "Any"}, json.RawMessage(values[i]), 0); err != nil || got != said {
			t.Errorf("%s: %q, %v; python3 says %q", values[i], got, err, said)
		}
	}
}

// TestRenderedOutcomes: what stands in a list is shown one by one, records by their plugin and with the call's policy.
func TestRenderedOutcomes(t *testing.T) {
	t.Parallel()
	plugin := sdk.Plugin{Name: "p", Facades: []sdk.Facade{{Name: "p", Summary: "p", Methods: []sdk.Method{
		method[string]("text"), method[[]string]("texts"), method[[][]string]("nested"), method[[]Leaf]("leaves"), method[[][]Leaf]("groups"),
		method[*Leaf]("maybe"), method[Color]("color"), method[[]Color]("colors"), method[map[string]int]("counts"), method[*int]("number"),
	}}}}
	provider := fake{
		render: func(typeName string, value, policy json.RawMessage) (string, error) {
			return typeName + string(value) + string(policy), nil
		},
	}
	for name, c := range map[string]struct{ value, want string }{
		"text":   {`"a\nb"`, "a\nb"},
		"texts":  {`["a", "", "it's"]`, "a\n\nit's"},
		"nested": {`[["a"], []]`, "['a']\n[]"},
		"leaves": {`[{"name":"x"},{"name":"y"}]`, `Leaf{"name":"x"}{"d":1}` + "\n" + `Leaf{"name":"y"}{"d":1}`},
		"groups": {`[[{"name":"x"}],[]]`, `Leaf{"name":"x"}{"d":1}` + "\n[]"},
		"maybe":  {`null`, "None"},
		"color":  {`2`, "BLUE"},
		"colors": {`[1, 7]`, "RED\n7"},
		"counts": {`{"b":1,"a":2}`, "{'b': 1, 'a': 2}"},
		"number": {`3`, "3"},
	} {
		provider.call = func(context.Context, Request) (Outcome, error) {
			return Outcome{Value: json.RawMessage(c.value), Policy: json.RawMessage(`{"d":1}`), Text: "the plugin's own"}, nil
		}
		r, _ := Compose("lsp", []Source{{plugin.Manifest(), provider}})
		s, _ := NewScope(r, nil, false)
		out, err := NewDispatcher(100, hclog.NewNullLogger()).Call(t.Context(), Caller{Scope: s}, Call{Facade: "p", Method: name, Args: args("path", `"x"`), Render: true})
		if err != nil || out.Text != c.want {
			t.Errorf("%s: %q, %v; want %q", name, out.Text, err, c.want)
		}
	}
}
