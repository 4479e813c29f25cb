package repl

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/sdk"
)

type gate struct {
	ID string `json:"id"`
}

func (gate) RecordMethods() []sdk.RecordMethod {
	return []sdk.RecordMethod{{Name: "knock", Calls: "knock_", Doc: "Knocks."}}
}

func gardenPlugin() sdk.Plugin {
	methods := sdk.NewContextManager("open_gate", func(context.Context, *sdk.Call, nothing) (gate, error) { return gate{}, nil },
		func(context.Context, *sdk.Call, gate, sdk.Exit) error { return nil }, "Opens.\n\nA gate.")
	methods = append(methods, sdk.NewMethod("knock_", func(context.Context, *sdk.Call, struct {
		Record gate `json:"record"`
		Often  int  `json:"often" default:"1"`
	}) (string, error) {
		return "", nil
	}, "Knocks.\n\nSo often."), sdk.NewMethod("block", text, "Waits.\n\nUntil it is cancelled."))
	return sdk.Plugin{Name: "garden", Facades: []sdk.Facade{{Name: "garden", Summary: "gates", Methods: methods}}}
}

// gardenBackend has a facade with a context manager, and records what is called. Where enters or exits is not nil it is waited for.
type gardenBackend struct {
	*fakeBackend
	begun  chan string // gets a token when enter or exit runs
	enters chan struct{}
	exits  chan struct{}

	mu   sync.Mutex // guards the fields below
	pins int
	said []string
}

var _ Backend = (*gardenBackend)(nil)

func (b *gardenBackend) Bindings(context.Context) (json.RawMessage, error) {
	m := gardenPlugin().Manifest()
	return json.Marshal(map[string]any{"generation": "g1", "facades": []any{map[string]any{
		"name": "garden", "summary": "gates", "methods": m.Facades[0].Methods, "types": m.Types,
	}}})
}

// Pin gives each of its calls the same number.
func (b *gardenBackend) Pin() func(context.Context, CallRequest) (api.Outcome, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pins++
	pin := strings.Repeat("I", b.pins)
	return func(ctx context.Context, req CallRequest) (api.Outcome, error) { return b.call(ctx, pin+" ", req) }
}

func (b *gardenBackend) Call(ctx context.Context, req CallRequest) (api.Outcome, error) {
	return b.call(ctx, "", req)
}

func (b *gardenBackend) call(ctx context.Context, pin string, req CallRequest) (api.Outcome, error) {
	args, _ := json.Marshal(req.Args)
	b.mu.Lock()
	b.said = append(b.said, pin+req.Method+" "+string(args))
	b.mu.Unlock()
	switch req.Method {
	case "open_gate":
		b.begun <- req.Method
		if b.enters != nil {
			<-b.enters // whatever happens to ctx: it was too late
		}
		return api.Outcome{Value: json.RawMessage(`{"id":"a"}`), Type: "gate"}, nil
	case "open_gate_exit_":
		b.begun <- req.Method
		if b.exits != nil {
			<-b.exits
		}
		if err := ctx.Err(); err != nil {
			b.mu.Lock()
			b.said = append(b.said, "the exit's context is done")
			b.mu.Unlock()
		}
		return api.Outcome{Value: json.RawMessage("null")}, nil
	case "block":
		b.begun <- req.Method
		<-ctx.Done()
		return api.Outcome{}, ctx.Err()
	}
	return api.Outcome{Value: json.RawMessage(`"knocked"`)}, nil
}

func (b *gardenBackend) calls() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.said, "\n")
}

func startGarden(t *testing.T) (*Runtime, *gardenBackend) {
	t.Helper()
	b := &gardenBackend{begun: make(chan string, 100)}
	r, inner := start(t, func(o *Options) { o.Backend = b })
	b.fakeBackend = inner
	b.fakeBackend.root = ""
	return r, b
}

const entered1 = "I open_gate {}\n"

func TestContextManagers_in_a_cell(t *testing.T) {
	t.Parallel()
	r, b := startGarden(t)
	equal(t, "value", value(t, r, "with s.garden.open_gate() as g:\n    told = g.knock(3)\n(g.id, told)"), "('a', 'knocked')")
	equal(t, "calls", b.calls(), entered1+`knock_ {"often":3,"record":{"id":"a"}}`+"\n"+`I open_gate_exit_ {"entered":{"id":"a"}}`)

	f := failure(t, r, "with s.garden.open_gate() as g:\n    1 / 0")
	equal(t, "failure", f.Name, "ZeroDivisionError")
	contains(t, b.calls(), `II open_gate_exit_ {"entered":{"id":"a"},"error":"division by zero","error_kind":"ZeroDivisionError"}`)

	equal(t, "awaited", value(t, r, "async with s.aio.garden.open_gate() as g:\n    pass\ng.id"), "a")
	contains(t, b.calls(), `III open_gate_exit_ {"entered":{"id":"a"}}`)
	equal(t, "shown", value(t, r, "s.garden.open_gate()"), "s.garden.open_gate(…) does nothing by itself; it is for a block: `with s.garden.open_gate(…) as x:`")
	if n := len(r.contexts); n != 0 {
		t.Errorf("%d are kept although they were left", n)
	}
}

func TestContextManagers_an_interrupted_block_is_left_once(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"sync":  "with s.garden.open_gate():\n    s.garden.block()",
		"async": "async with s.aio.garden.open_gate():\n    await s.aio.garden.block()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, b := startGarden(t)
			ctx, cancel := context.WithCancel(limited(t))
			done := execute(ctx, r, code, 0)
			await(t, "the block is entered", b.begun)
			await(t, "the block runs", b.begun)
			cancel()
			await(t, "the cell ends", done)
			kind := map[string]string{"sync": "KeyboardInterrupt", "async": "CancelledError"}[name]
			equal(t, "calls", b.calls(), entered1+"block {}\n"+`I open_gate_exit_ {"entered":{"id":"a"},"error":"","error_kind":"`+kind+`"}`)
		})
	}
}

func TestContextManagers_what_an_interrupted_call_has_entered_is_left(t *testing.T) {
	t.Parallel()
	r, b := startGarden(t)
	b.enters = make(chan struct{})
	ctx, cancel := context.WithCancel(limited(t))
	done := execute(ctx, r, "with s.garden.open_gate():\n    print('in')", 0)
	await(t, "entering", b.begun)
	cancel()
	o := await(t, "the cell ends", done)
	equal(t, "stdout", o.result.Stdout, "")
	b.enters <- struct{}{}
	await(t, "leaving", b.begun)
	eventually(t, "it is left", func() bool {
		return b.calls() == entered1+`I open_gate_exit_ {"entered":{"id":"a"},"error":"the call was cancelled while it was entered","error_kind":"CancelledError"}`
	})
}

func TestContextManagers_an_interrupt_does_not_cut_the_exit_short(t *testing.T) {
	t.Parallel()
	r, b := startGarden(t)
	b.exits = make(chan struct{})
	ctx, cancel := context.WithCancel(limited(t))
	done := execute(ctx, r, "with s.garden.open_gate():\n    pass", 0)
	await(t, "entering", b.begun)
	await(t, "leaving", b.begun)
	cancel()
	o := await(t, "the cell ends", done)
	equal(t, "interrupted", o.result.Interrupted, true)
	b.exits <- struct{}{}
	run(t, r, "1")
	equal(t, "calls", b.calls(), entered1+`I open_gate_exit_ {"entered":{"id":"a"}}`)
}

func TestContextManagers_are_left_when_Python_ends(t *testing.T) {
	t.Parallel()
	gone := func(pin string) string {
		return pin + ` open_gate_exit_ {"entered":{"id":"a"},"error":"the session's Python ended","error_kind":"CancelledError"}`
	}
	t.Run("killed in the block", func(t *testing.T) {
		t.Parallel()
		r, b := startGarden(t)
		_, err := r.Execute(limited(t), "import os\nwith s.garden.open_gate():\n    with s.garden.open_gate():\n        os._exit(3)", 0)
		if !errors.Is(err, ErrGone) {
			t.Errorf("err = %v", err)
		}
		eventually(t, "both are left, the inner one first", func() bool {
			return b.calls() == entered1+"II open_gate {}\n"+gone("II")+"\n"+gone("I")
		})
	})
	t.Run("closed while a task holds it", func(t *testing.T) {
		t.Parallel()
		r, b := startGarden(t)
		run(t, r, "import asyncio\ninside = asyncio.Event()\nasync def hold():\n    async with s.aio.garden.open_gate():\n        inside.set()\n        await asyncio.Event().wait()\ntask = asyncio.create_task(hold())\nawait inside.wait()")
		closeRuntime(t, r) // returns when it has been left
		equal(t, "how often it was left", strings.Count(b.calls(), "I open_gate_exit_ "), 1)
	})
	t.Run("dropped by a cell", func(t *testing.T) {
		t.Parallel()
		r, b := startGarden(t)
		run(t, r, "import gc\nm = s.garden.open_gate()\nm.__enter__()\ndel m\n_ = None\ngc.collect()")
		eventually(t, "it is left", func() bool {
			return b.calls() == entered1+`I open_gate_exit_ {"entered":{"id":"a"},"error":"the block was given up","error_kind":"CancelledError"}`
		})
	})
}

func TestRecordMethods_survive_a_restore(t *testing.T) {
	t.Parallel()
	o := snapshotIn(t.TempDir())
	one, _ := startGarden(t)
	run(t, one, "with s.garden.open_gate() as g:\n    pass\nmanager = s.garden.open_gate()\nknock = g.knock")
	taken, err := one.Snapshot(limited(t), o)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "saved", strings.Join(taken.Saved, " "), "g knock")
	if len(taken.Skipped) != 1 || taken.Skipped[0].Name != "manager" || !strings.Contains(taken.Skipped[0].Reason, "it belongs to its block") {
		t.Errorf("%+v", taken.Skipped)
	}
	two, b := startGarden(t)
	if _, err := two.Restore(limited(t), o.Path); err != nil {
		t.Fatal(err)
	}
	equal(t, "value", value(t, two, "(g.id, g.knock(2), type(g).__name__)"), "('a', 'knocked', 'gate')")
	equal(t, "call", b.calls(), `knock_ {"often":2,"record":{"id":"a"}}`)
	equal(t, "the bound method", value(t, two, "knock()"), "knocked")
}
