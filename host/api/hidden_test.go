package api

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/sdk"
)

type Fruit struct {
	Name   string  `json:"name"`
	Taste  *string `json:"taste,omitempty" lazy:"taste_" doc:"what it is like"`
	Origin Origin  `json:"origin_,omitzero" inherit:"true"`
}

type Origin struct {
	Farm string `json:"farm"`
}

type ofRecord struct {
	Record json.RawMessage `json:"record"`
}

// orchard has one method that a model is told of and one that it is not.
func orchard(t *testing.T, p Provider, definitions ...Definition) *Scope {
	t.Helper()
	plugin := sdk.Plugin{Name: "orchard", Facades: []sdk.Facade{{Name: "orchard", Summary: "fruit", Methods: []sdk.Method{
		method[[]Fruit]("pick"),
		sdk.NewMethod("taste_", func(context.Context, *sdk.Call, ofRecord) (string, error) { return "", nil }, "Tastes.\n\nA fruit."),
	}}}}
	if err := plugin.Validate(); err != nil {
		t.Fatal(err)
	}
	r, faults := Compose("lsp", []Source{{plugin.Manifest(), p}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, _ := NewScope(r, definitions, false)
	return s
}

func TestHiddenMethodsAreShownNowhere(t *testing.T) {
	t.Parallel()
	s := orchard(t, fake{})
	if got, want := s.Overview(), "s.orchard – fruit: pick -> Fruit\n"; got != want {
		t.Errorf("overview %q, want %q", got, want)
	}
	for item, want := range map[string]string{
		"orchard": `s.orchard – fruit

orchard.pick(path: str, deep: bool = False) -> list[Fruit]
    Does pick.
    At length.
    - path: where

Result types: Fruit. Only to process results in code: s.info("Fruit")`,
		"orchard.taste_": `orchard.taste_: there is no such facade, method or type; did you mean "orchard"?`,
		"Fruit": `class Fruit
    name: str
    taste: str | None (fetched when read) – what it is like`,
	} {
		if got := s.Document([]string{item}, map[string]bool{}); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", item, got, want)
		}
	}
	d := NewDispatcher(100, hclog.NewNullLogger())
	if _, err := d.Call(t.Context(), Caller{Scope: s}, Call{Facade: "orchard", Method: "taste"}); err == nil || !strings.HasSuffix(err.Error(), "here are: pick") {
		t.Errorf("an unknown method: %v", err)
	}
	_, notes := NewScope(s.registry, []Definition{{Origin: "x", Excluded: []string{"orchard.taste"}}}, false)
	if len(notes) != 1 || strings.Contains(notes[0], "taste_") {
		t.Errorf("notes %q", notes)
	}
}

func TestHiddenMethodsTakeTheOrdinaryRoad(t *testing.T) {
	t.Parallel()
	p := fake{call: func(_ context.Context, req Request) (Outcome, error) { return Outcome{Value: req.Arguments}, nil }}
	d := NewDispatcher(100, hclog.NewNullLogger())
	s := orchard(t, p)
	record := map[string]json.RawMessage{"record": json.RawMessage(`{"name":"pear"}`)}
	out, err := d.Call(t.Context(), Caller{Scope: s}, Call{Facade: "orchard", Method: "taste_", Args: record})
	if err != nil || string(out.Value) != `{"record":{"name":"pear"}}` {
		t.Errorf("%s, %v", out.Value, err)
	}
	less := orchard(t, p, Definition{Excluded: []string{"orchard.taste_"}})
	if _, err := d.Call(t.Context(), Caller{Scope: less}, Call{Facade: "orchard", Method: "taste_", Args: record}); !sdk.IsKind(err, sdk.KindPermission) {
		t.Errorf("excluded: %v", err)
	}
	data, err := s.Bindings()
	if err != nil || !strings.Contains(string(data), `"lazy":"taste_"`) || !strings.Contains(string(data), `"name":"taste_"`) {
		t.Errorf("bindings %s, %v", data, err)
	}
}
