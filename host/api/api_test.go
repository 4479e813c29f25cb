package api

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/sdk"
)

// fake is a provider whose answers a test gives.
type fake struct {
	call   func(ctx context.Context, req Request) (Outcome, error)
	render func(typeName string, value, policy json.RawMessage) (string, error)
}

func (f fake) Call(ctx context.Context, req Request) (Outcome, error) { return f.call(ctx, req) }

func (f fake) Render(_ context.Context, typeName string, value, policy json.RawMessage) (string, error) {
	return f.render(typeName, value, policy)
}

type Leaf struct {
	Name   string `json:"name" doc:"its name"`
	Secret int    `json:"secret_"`
}

type Leaves struct {
	Leaves []Leaf `json:"leaves" items:"true"`
	Kind   Color  `json:"kind"`
}

type Color int

func (Color) EnumMembers() []sdk.EnumMember {
	return []sdk.EnumMember{{Name: "RED", Value: 1}, {Name: "BLUE", Value: 2}}
}

type pickParams struct {
	Path string `json:"path" doc:"where"`
	Deep bool   `json:"deep" default:"False"`
}

func method[R any](name string, opts ...sdk.MethodOption) sdk.Method {
	return sdk.NewMethod(name, func(context.Context, *sdk.Call, pickParams) (R, error) { var r R; return r, nil }, "Does "+name+".\n\nAt length.", opts...)
}

func manifests() (tree, guest sdk.Manifest) {
	tree = sdk.Plugin{Name: "tree", Facades: []sdk.Facade{
		{Name: "tree", Summary: "trees", Methods: []sdk.Method{
			method[Leaves]("pick"), method[string]("cut", sdk.CanEdit()), method[string]("burn", sdk.CanEdit(), sdk.Optional()), method[*Leaf]("smell", sdk.Niche()),
		}},
		{Name: "far", Summary: "other places", Optional: true, Methods: []sdk.Method{method[string]("go_there")}},
	}}.Manifest()
	guest = sdk.Plugin{Name: "guest", Facades: []sdk.Facade{
		{Name: "tree", Guest: true, Methods: []sdk.Method{method[string]("climb", sdk.Backend("lsp")), method[string]("fly", sdk.Backend("jetbrains"))}},
	}}.Manifest()
	return tree, guest
}

func compose(t *testing.T, p Provider) *Registry {
	t.Helper()
	tree, guest := manifests()
	r, faults := Compose("lsp", []Source{{tree, p}, {guest, p}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return r
}

func TestComposeJoinsPluginsAndNamesContradictions(t *testing.T) {
	t.Parallel()
	r := compose(t, fake{})
	if got := strings.Join(methodNames(r.Facade("tree"), nil, ""), " "); got != "pick cut burn smell climb" {
		t.Errorf("methods of tree: %s", got)
	}
	tree, guest := manifests()
	again := tree
	again.Name = "thief"
	_, faults := Compose("lsp", []Source{{Manifest: tree}, {Manifest: again}, {Manifest: guest}, {Manifest: guest}})
	var said []string
	for _, f := range faults {
		said = append(said, f.Error())
	}
	want := []string{
		"facade tree belongs to plugin tree; plugin thief declares it too and is left out of it",
		"facade far belongs to plugin tree; plugin thief declares it too and is left out of it",
		"method tree.climb is given by plugin guest and by plugin guest: the first stands",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("faults:\n%s", strings.Join(said, "\n"))
	}
	if _, faults := Compose("lsp", []Source{{Manifest: guest}}); len(faults) != 1 || !strings.Contains(faults[0].Error(), "no plugin that is on declares it as its own") {
		t.Errorf("a guest without an owner: %v", faults)
	}
	jet, _ := Compose("jetbrains", []Source{{Manifest: tree}, {Manifest: guest}})
	if jet.Facade("tree").Method("fly") == nil || jet.Facade("tree").Method("climb") != nil || jet.Generation() == r.Generation() {
		t.Error("the backend does not choose the methods")
	}
}

func dispatcher(p Provider, t *testing.T, readOnly bool) (*Dispatcher, Caller) {
	s, _ := NewScope(compose(t, p), nil, readOnly)
	return NewDispatcher(100, hclog.NewNullLogger()), Caller{Session: "s", Scope: s}
}

func args(pairs ...string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return m
}

func TestCallRefusals(t *testing.T) {
	t.Parallel()
	d, c := dispatcher(fake{call: func(context.Context, Request) (Outcome, error) {
		t.Error("the provider was called")
		return Outcome{}, nil
	}}, t, true)
	for _, tc := range []struct{ facade, method, kind, says string }{
		{"trees", "pick", sdk.KindAttribute, `there is no facade "trees"; did you mean tree? there are: tree, far`},
		{"tree", "pik", sdk.KindAttribute, `facade tree has no method "pik"; did you mean pick? there are: pick, smell, climb`},
		{"tree", "cut", sdk.KindPermission, "tree.cut is refused: the project is read-only"},
		{"far", "go_there", sdk.KindPermission, "far.go_there is not enabled: add it to included_apis"},
		{"tree", "pick", sdk.KindType, "tree.pick: argument path is missing\nsignature: tree.pick(path: str, deep: bool = False) -> Leaves"},
	} {
		_, err := d.Call(t.Context(), c, Call{Facade: tc.facade, Method: tc.method})
		if !sdk.IsKind(err, tc.kind) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s.%s: %v, want a %s that says %q", tc.facade, tc.method, err, tc.kind, tc.says)
		}
	}
	c.Fault = sdk.Errorf(sdk.KindFileNotFound, "no such project")
	if _, err := d.Call(t.Context(), c, Call{Facade: "tree", Method: "pick", Args: args("path", `"x"`)}); err != c.Fault {
		t.Errorf("the caller's fault: %v", err)
	}
}

func TestReadsAreTriedAgainAndEditsAreNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		method string
		fails  int
		calls  int
		kind   string
	}{
		"a read that succeeds": {"pick", 0, 1, ""},
		"a read, once gone":    {"pick", 1, 2, ""},
		"a read, twice gone":   {"pick", 2, 2, sdk.KindConnection},
		"an edit, once gone":   {"cut", 1, 1, sdk.KindConnection},
	} {
		calls := 0
		d, caller := dispatcher(fake{call: func(_ context.Context, req Request) (Outcome, error) {
			calls++
			if calls <= c.fails {
				return Outcome{}, sdk.Errorf(sdk.KindConnection, "%w", ErrGone)
			}
			return Outcome{Value: req.Arguments}, nil
		}}, t, false)
		out, err := d.Call(t.Context(), caller, Call{Facade: "tree", Method: c.method, Args: args("path", `"x"`)})
		if calls != c.calls || (err == nil) != (c.kind == "") || err != nil && !sdk.IsKind(err, c.kind) {
			t.Errorf("%s: %d calls, %v", name, calls, err)
		}
		if err == nil && string(out.Value) != `{"path":"x","deep":false}` {
			t.Errorf("%s: arguments %s", name, out.Value)
		}
		if c.method == "cut" && !strings.Contains(err.Error(), "not tried again") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTokensLiveAsLongAsTheirCall(t *testing.T) {
	t.Parallel()
	var d *Dispatcher
	var token string
	p := fake{}
	p.call = func(ctx context.Context, req Request) (Outcome, error) {
		token = req.Token
		s := Services{Dispatcher: d}
		if req.Method == "pick" { // a read calls another method and may not write
			if _, err := s.ApplyEdits(ctx, req.Token, nil); !sdk.IsKind(err, sdk.KindPermission) {
				t.Errorf("a read wrote files: %v", err)
			}
			v, err := s.CallFacade(ctx, req.Token, "tree", "climb", json.RawMessage(`{"path":"up"}`))
			return Outcome{Value: v}, err
		}
		return Outcome{Value: req.Arguments}, nil
	}
	d, c := dispatcher(p, t, false)
	out, err := d.Call(t.Context(), c, Call{Facade: "tree", Method: "pick", Args: args("path", `"x"`)})
	if err != nil || string(out.Value) != `{"path":"up","deep":false}` {
		t.Errorf("%s, %v", out.Value, err)
	}
	if _, err := (Services{Dispatcher: d}).ApplyEdits(t.Context(), token, nil); !sdk.IsKind(err, sdk.KindCancelled) {
		t.Errorf("a token after its call: %v", err)
	}
	if len(d.inFlight) != 0 {
		t.Errorf("%d calls are still registered", len(d.inFlight))
	}
}

func TestAReadMayNotEditThroughAnother(t *testing.T) {
	t.Parallel()
	var d *Dispatcher
	edited := false
	p := fake{call: func(ctx context.Context, req Request) (Outcome, error) {
		if req.Method == "cut" {
			edited = true
			return Outcome{}, nil
		}
		v, err := Services{Dispatcher: d}.CallFacade(ctx, req.Token, "tree", "cut", json.RawMessage(`{"path":"x"}`))
		return Outcome{Value: v}, err
	}}
	d, c := dispatcher(p, t, false)
	_, err := d.Call(t.Context(), c, Call{Facade: "tree", Method: "pick", Args: args("path", `"x"`)})
	if edited || !sdk.IsKind(err, sdk.KindPermission) || !strings.Contains(err.Error(), "tree.pick is not declared as editing (can_edit), so it may not call tree.cut") {
		t.Errorf("edited %t, %v", edited, err)
	}
}

// TestACallWaitsForWhatItBegan cancels a call while a write on its behalf is under way: the caller is answered after the
// write, not before it.
func TestACallWaitsForWhatItBegan(t *testing.T) {
	t.Parallel()
	begun, landed := make(chan struct{}), false
	var d *Dispatcher
	p := fake{call: func(ctx context.Context, req Request) (Outcome, error) {
		joined, f, leave, err := d.join(context.WithoutCancel(ctx), req.Token)
		if err != nil {
			return Outcome{}, err
		}
		go func() {
			defer leave()
			close(begun)
			<-joined.Done() // the call's end reaches it
			landed = true
			d.wrote(f)
		}()
		<-ctx.Done()
		return Outcome{}, ctx.Err()
	}}
	d, c := dispatcher(p, t, false)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err := d.Call(ctx, c, Call{Facade: "tree", Method: "cut", Args: args("path", `"x"`)})
	if !landed || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "its files had been written") {
		t.Errorf("landed %t, %v", landed, err)
	}
}

func TestTypesOfOneNameFromTwoPluginsAreAFault(t *testing.T) {
	t.Parallel()
	tree, _ := manifests()
	guest := sdk.Plugin{Name: "guest", Facades: []sdk.Facade{{Name: "tree", Guest: true, Methods: []sdk.Method{method[Leaf]("climb")}}}}.Manifest()
	r, faults := Compose("lsp", []Source{{Manifest: tree}, {Manifest: guest}})
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "type Leaf of facade tree is declared by plugin tree and by plugin guest") {
		t.Errorf("faults: %v", faults)
	}
	if r.Facade("tree").Method("climb") == nil {
		t.Error("the method is gone with its type")
	}
}
