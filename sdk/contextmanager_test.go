package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"github.com/serena-go/serena/internal/wire"
)

type doorParams struct {
	Name string `json:"name" default:"'front'"`
}

// doors records what is done to it.
type doors struct {
	mu   sync.Mutex
	said []string
	wait bool // until the context of enter is done
}

func (d *doors) note(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, what)
}

func (d *doors) enter(ctx context.Context, _ *Call, p doorParams) (gate, error) {
	d.note("enter " + p.Name)
	if d.wait {
		<-ctx.Done()
	}
	return gate{ID: p.Name, Size: 2}, nil
}

func (d *doors) exit(ctx context.Context, _ *Call, g gate, e Exit) error {
	d.note(fmt.Sprintf("exit %s %d %t %s %q %v", g.ID, g.Size, e.Failed, e.Kind, e.Error, ctx.Err()))
	if e.Kind == "ValueError" {
		return Errorf(KindRuntime, "cannot be shut")
	}
	return nil
}

func (d *doors) plugin(opts ...MethodOption) Plugin {
	methods := NewContextManager("open_door", d.enter, d.exit, "Opens a door.\n\nFor the block.", opts...)
	return facadeOf(append(methods, declare[onGate, string]("shut_"), declare[ofRecord, int]("oil_"))...)
}

// stream is the far end of one call.
type stream struct {
	grpc.ServerStreamingServer[wire.CallEvent]
	ctx  context.Context
	sent []*wire.CallEvent
}

func (s *stream) Context() context.Context { return s.ctx }

func (s *stream) Send(e *wire.CallEvent) error {
	s.sent = append(s.sent, e)
	return nil
}

// call makes a call as it comes over the wire.
func call(t *testing.T, p Plugin, method, args string) *wire.Outcome {
	t.Helper()
	s := newServer(p, slog.New(slog.DiscardHandler), nil, &ending{})
	to := &stream{ctx: t.Context()}
	if err := s.Call(&wire.CallRequest{Facade: p.Facades[0].Name, Method: method, Arguments: []byte(args), Render: true}, to); err != nil {
		t.Fatal(err)
	}
	return to.sent[len(to.sent)-1].GetOutcome()
}

func TestContextManagersAreDeclaredAsTwoMethods(t *testing.T) {
	t.Parallel()
	p := (&doors{}).plugin(CanEdit(), Optional(), Backend("lsp"))
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	f := p.Manifest().Facades[0]
	enter, exit := f.Methods[0], f.Methods[1]
	if enter.Kind != "context_manager" || enter.Exit != "open_door_exit_" || exit.Name != enter.Exit || exit.Kind != "" {
		t.Errorf("%+v\n%+v", enter, exit)
	}
	if got := exit.Signature(); got != "open_door_exit_(entered: gate, error: str | None = None, error_kind: str | None = None) -> str | None" {
		t.Error(got)
	}
	if !exit.CanEdit || !exit.Optional || exit.Backend != "lsp" {
		t.Errorf("the exit lacks flags: %+v", exit)
	}
	if _, err := ParseManifest(p.Manifest().JSON()); err != nil {
		t.Error(err)
	}
}

func TestContextManagersEnterAndExit(t *testing.T) {
	t.Parallel()
	d := &doors{}
	p := d.plugin()
	if out := call(t, p, "open_door", `{"name":"back"}`); out.Failure != nil || out.Type != "gate" || string(out.Value) != `{"id":"back","secret_":"","size":2}` {
		t.Errorf("%v", out)
	}
	for args, want := range map[string]string{
		`{"entered":{"id":"a","size":7},"error":null,"error_kind":null}`:              "",
		`{"entered":{"id":"a","size":7},"error":"no","error_kind":"KeyError"}`:        "",
		`{"entered":{"id":"a","size":7},"error":"","error_kind":"KeyboardInterrupt"}`: "",
		`{"entered":{"id":"a","size":7},"error":"x","error_kind":"ValueError"}`:       "cannot be shut",
	} {
		out := call(t, p, "open_door_exit_", args)
		if out.Failure.GetMessage() != want || want == "" && string(out.Value) != "null" {
			t.Errorf("%s: %v", args, out)
		}
	}
	got := map[string]bool{}
	for _, s := range d.said {
		got[s] = true
	}
	for _, want := range []string{"enter back", `exit a 7 false  "" <nil>`, `exit a 7 true KeyError "no" <nil>`, `exit a 7 true KeyboardInterrupt "" <nil>`, `exit a 7 true ValueError "x" <nil>`} {
		if !got[want] {
			t.Errorf("no %s in %q", want, d.said)
		}
	}
}

func TestWhatACancelledCallEnteredIsLeft(t *testing.T) {
	t.Parallel()
	d := &doors{wait: true}
	s := newServer(d.plugin(), slog.New(slog.DiscardHandler), nil, &ending{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to := &stream{ctx: ctx}
	if err := s.Call(&wire.CallRequest{Facade: "tree", Method: "open_door", Arguments: []byte(`{"name":"a"}`)}, to); err != context.Canceled {
		t.Error(err)
	}
	if got := strings.Join(d.said, "; "); got != `enter a; exit a 2 true CancelledError "the call was cancelled while it was entered" <nil>` || len(to.sent) > 0 {
		t.Errorf("%s, sent %v", got, to.sent)
	}
}

func TestValidateContextManagers(t *testing.T) {
	t.Parallel()
	d := &doors{}
	both := NewContextManager("open_door", d.enter, d.exit, "S.\n\nD.")
	text := NewContextManager("speak", func(context.Context, *Call, struct{}) (string, error) { return "", nil },
		func(context.Context, *Call, string, Exit) error { return nil }, "S.\n\nD.")
	changed := func(change func(enter, exit *MethodDecl)) Plugin {
		p := facadeOf(NewContextManager("open_door", d.enter, d.exit, "S.\n\nD.")...)
		change(&p.Facades[0].Methods[0].decl, &p.Facades[0].Methods[1].decl)
		return p
	}
	for says, p := range map[string]Plugin{
		"tree.open_door is a context manager, but facade tree has no method open_door_exit_: add all methods": facadeOf(both[0]),
		"tree.open_door is a context manager and so can be no classic tool: remove the tool door":             facadeOf(NewContextManager("open_door", d.enter, d.exit, "S.\n\nD.", Tool("door"))...),
		"tree.speak is a context manager: entering it must answer a record, not str":                          facadeOf(text...),
		`tree.open_door is of the unknown kind "generator"`:                                                   changed(func(m, _ *MethodDecl) { m.Kind = "generator" }),
		"tree.open_door has an exit, open_door_exit_, but is no context manager":                              changed(func(m, _ *MethodDecl) { m.Kind = "" }),
		"tree.open_door and its exit open_door_exit_ must have the same flags":                                changed(func(m, _ *MethodDecl) { m.CanEdit = true }),
		"tree.open_door: open_door_exit_ must have the parameters entered: gate, error":                       changed(func(_, e *MethodDecl) { e.Params = e.Params[:2] }),
	} {
		if err := p.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says %q, got %v", says, err)
		}
	}
}

func TestExamples(t *testing.T) {
	t.Parallel()
	d := NewMethod("m", func(context.Context, *Call, looseParams) (string, error) { return "", nil }, "S.\n\nD.").Decl()
	for example, want := range map[string]string{
		`tree.m()`:                 `{}`,
		`tree.m("a", 3, count_=1)`: `{"count":3,"count_":1,"text":"a"}`,
		`tree.m('it\'s', names=["a", 'b',], on=True)`: `{"names":["a","b"],"on":true,"text":"it's"}`,
		`tree.m(text="\u00e9\n\x41", ratio=-1.5)`:     `{"ratio":-1.5,"text":"é\nA"}`,
		`tree.m(map={"a": 1, "b": [None]}, kinds=())`: `{"kinds":[],"map":{"a":1,"b":[null]}}`,
		` tree.m( "a=b" , end = None ) `:              `{"end":null,"text":"a=b"}`,
	} {
		got, err := d.ExampleArguments("tree", example)
		data, _ := json.Marshal(got)
		if err != nil || string(data) != want {
			t.Errorf("%s: %s, %v; want %s", example, data, err, want)
		}
	}
	for example, says := range map[string]string{
		`tree.n()`:                        `calls "tree.n", not tree.m`,
		`m()`:                             `calls "m", not tree.m`,
		`tree.m("a"`:                      `at column 10: a comma or ')' is missing`,
		`tree.m("a", text="")`:            "at column 17: argument text is given twice",
		`tree.m(open("a"))`:               `at column 7: "open(\"a\"" is no literal`,
		`tree.m("a).b`:                    "at column 7: a text that begins here has no end",
		`tree.m().x`:                      "nothing may stand behind the call",
		`tree.m("\q")`:                    `the escape \q is not known here`,
		`tree.m({1: 2})`:                  `an entry of a dict is "key": value`,
		`tree.m(1,2,3,4,5,6,7,8,9,10,11)`: "it takes 10 arguments at most",
	} {
		if _, err := d.ExampleArguments("tree", example); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; want an error that says %q", example, err, says)
		}
	}
	for example, says := range map[string]string{
		`tree.m(countt=3)`:  `the example tree.m(countt=3): tree.m has no parameter "countt"; did you mean "count"?`,
		`tree.m(count="3")`: `the example tree.m(count="3"): tree.m: argument count must be int, not the str "3"`,
	} {
		m := NewMethod("m", func(context.Context, *Call, looseParams) (string, error) { return "", nil }, "S.\n\nD.", Example(example))
		if err := facadeOf(m).Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("want a fault that says %q, got %v", says, err)
		}
	}
}
