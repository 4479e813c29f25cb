package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/sdk"
)

type giveParams struct {
	Count int     `json:"count" default:"3"`
	Names []Color `json:"names" default:"()"`
	Text  string  `json:"text" default:"''"`
	Maybe *string `json:"maybe" default:"'m'"`
}

// TestArgumentsOfACall: values of declared types are checked on both roads, and null stands for what is not given in a classic tool.
func TestArgumentsOfACall(t *testing.T) {
	t.Parallel()
	give := sdk.NewMethod("give", func(context.Context, *sdk.Call, giveParams) (string, error) { return "", nil }, "Gives.\n\nAll.", sdk.Tool("give"))
	var bound string
	provider := fake{call: func(_ context.Context, req Request) (Outcome, error) {
		bound = string(req.Arguments)
		return Outcome{Value: json.RawMessage(`""`)}, nil
	}}
	r, _ := Compose("lsp", []Source{{sdk.Plugin{Name: "p", Facades: []sdk.Facade{{Name: "p", Summary: "p", Methods: []sdk.Method{give}}}}.Manifest(), provider}})
	s, _ := NewScope(r, nil, false)
	for name, c := range map[string]struct {
		args, want string
		lenient    bool
	}{
		"nulls":               {`{"count":null,"names":null,"text":null}`, `{"count":3,"names":[],"text":"","maybe":"m"}`, true},
		"texts of null":       {`{"count":"null","names":"None","text":"null"}`, `{"count":3,"names":[],"text":"null","maybe":"m"}`, true},
		"null that is meant":  {`{"maybe":null}`, `{"count":3,"names":[],"text":"","maybe":null}`, true},
		"no member":           {`{"names":[7]}`, "ValueError: p.give: argument names element 0: must be one of Color (RED = 1, BLUE = 2), not 7", false},
		"no member, a tool's": {`{"names":"[7]"}`, "ValueError: give: argument names element 0: must be one of Color (RED = 1, BLUE = 2), not 7", true},
		"null in a cell":      {`{"count":null}`, "TypeError: p.give: argument count must be int, not None", false},
	} {
		var args map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			t.Fatal(err)
		}
		bound = ""
		_, err := NewDispatcher(100, hclog.NewNullLogger()).Call(t.Context(), Caller{Scope: s}, Call{Facade: "p", Method: "give", Args: args, Lenient: c.lenient})
		got := bound
		if err != nil {
			got, _, _ = strings.Cut(sdk.AsError(err).Kind+": "+err.Error(), "\n")
		}
		if got != c.want {
			t.Errorf("%s: %s; want %s", name, got, c.want)
		}
	}
}

// TestATypeOfAnotherPluginRulesNoArgument: of two types of one name the first is the facade's, and the second plugin's calls go on.
func TestATypeOfAnotherPluginRulesNoArgument(t *testing.T) {
	t.Parallel()
	first := sdk.Plugin{Name: "p", Facades: []sdk.Facade{{Name: "p", Summary: "p", Methods: []sdk.Method{method[Color]("color")}}}}.Manifest()
	second := sdk.Manifest{Name: "q", Facades: []sdk.FacadeDecl{{Name: "p", Methods: []sdk.MethodDecl{
		{Name: "take", Params: []sdk.ParamDecl{{Name: "color", Type: sdk.TypeRef{Name: "Color"}}}, Result: sdk.TypeRef{Name: "str"}},
	}}}, Types: []sdk.TypeDecl{{Name: "Color", Kind: sdk.TypeEnum, Members: []sdk.MemberDecl{{Name: "PINK", Value: 7}}}}}
	provider := fake{call: func(context.Context, Request) (Outcome, error) {
		return Outcome{Value: json.RawMessage(`"taken"`)}, nil
	}}
	r, faults := Compose("lsp", []Source{{first, provider}, {second, provider}})
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "type Color of facade p is declared by plugin p and by plugin q") {
		t.Fatalf("faults: %v", faults)
	}
	s, _ := NewScope(r, nil, false)
	d := NewDispatcher(100, hclog.NewNullLogger())
	if _, err := d.Call(t.Context(), Caller{Scope: s}, Call{Facade: "p", Method: "take", Args: args("color", "7")}); err != nil {
		t.Error(err)
	}
}
