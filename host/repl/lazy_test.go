package repl

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/sdk"
)

type leaf struct {
	Name  string  `json:"name"`
	Body  *string `json:"body,omitempty" lazy:"body_"`
	Place string  `json:"place_,omitempty" inherit:"true"`
}

type leaves struct {
	Leaves []leaf `json:"leaves" items:"true"`
	Place  string `json:"place_,omitempty"`
}

var treePlugin = sdk.Plugin{Name: "tree", Facades: []sdk.Facade{{Name: "tree", Summary: "trees", Methods: []sdk.Method{
	sdk.NewMethod("grow", func(context.Context, *sdk.Call, struct{}) (leaves, error) { return leaves{}, nil }, "Grows.\n\nLeaves."),
	sdk.NewMethod("body_", func(context.Context, *sdk.Call, struct {
		Record json.RawMessage `json:"record"`
	}) (string, error) {
		return "", nil
	}, "Reads.\n\nA leaf."),
}}}}

// treeBackend has a facade whose leaves' bodies are fetched by what fetch is at the time.
type treeBackend struct {
	*fakeBackend

	mu      sync.Mutex // guards the fields below
	fetch   func(ctx context.Context, record string) (string, error)
	fetched []string // records
}

func (b *treeBackend) Bindings(context.Context) (json.RawMessage, error) {
	m := treePlugin.Manifest()
	return json.Marshal(map[string]any{"generation": "g1", "facades": []any{map[string]any{
		"name": "tree", "summary": "trees", "methods": m.Facades[0].Methods, "types": m.Types,
	}}})
}

func (b *treeBackend) Call(ctx context.Context, req CallRequest) (api.Outcome, error) {
	if req.Method == "grow" {
		return api.Outcome{Value: json.RawMessage(`{"leaves":[{"name":"a"},{"name":"b"}],"place_":"/r"}`), Type: "leaves"}, nil
	}
	b.mu.Lock()
	fetch := b.fetch
	b.fetched = append(b.fetched, string(req.Args["record"]))
	b.mu.Unlock()
	body, err := fetch(ctx, string(req.Args["record"]))
	if err != nil {
		return api.Outcome{}, err
	}
	value, err := json.Marshal(body)
	return api.Outcome{Value: value}, err
}

func (b *treeBackend) answer(fetch func(ctx context.Context, record string) (string, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fetch = fetch
}

func (b *treeBackend) records() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fetched
}

func startTree(t *testing.T) (*Runtime, *treeBackend) {
	t.Helper()
	if err := treePlugin.Validate(); err != nil {
		t.Fatal(err)
	}
	var b *treeBackend
	r, _ := start(t, func(o *Options) {
		b = &treeBackend{fakeBackend: o.Backend.(*fakeBackend)}
		o.Backend = b
	})
	return r, b
}

func TestSession_lazy_members_are_fetched_when_read(t *testing.T) {
	t.Parallel()
	r, b := startTree(t)
	b.answer(func(context.Context, string) (string, error) { return "the body", nil })
	equal(t, "not read", value(t, r, "x = s.tree.grow()\n(repr(x[0]), x == s.tree.grow(), dir(x[0]), dir(s.tree))"),
		"(\"leaf(name='a', body=<fetched when read>)\", True, ['body', 'name'], ['grow', 'leaf', 'leaves'])")
	equal(t, "asked before", len(b.records()), 0)
	equal(t, "read", value(t, r, "x[0].body + x[0].body"), "the bodythe body")
	equal(t, "in a thread", value(t, r, "import asyncio\nawait asyncio.to_thread(lambda: x[1].body)"), "the body")
	equal(t, "asked", len(b.records()), 2)
	equal(t, "record", b.records()[0], `{"name":"a","place_":"/r"}`)
	b.answer(func(context.Context, string) (string, error) {
		return "", sdk.Errorf(sdk.KindStale, "a changed since it was retrieved")
	})
	equal(t, "kept by a pickle", value(t, r, "import pickle\npickle.loads(pickle.dumps(x))[0].body"), "the body")
	e := failure(t, r, "hasattr(s.tree.grow()[0], 'body')")
	equal(t, "kind", e.Name, "StaleError")
	contains(t, e.Text(), "a changed since it was retrieved")
}

func TestSession_a_fetch_is_interrupted_like_a_call(t *testing.T) {
	t.Parallel()
	r, b := startTree(t)
	b.answer(func(ctx context.Context, _ string) (string, error) {
		b.entered <- struct{}{}
		<-ctx.Done()
		b.cancelled <- struct{}{}
		return "", ctx.Err()
	})
	ctx, cancel := context.WithCancel(limited(t))
	done := execute(ctx, r, "x = s.tree.grow()\nx[0].body", 0)
	await(t, "the fetch runs", b.entered)
	cancel()
	await(t, "the backend's ctx ends", b.cancelled)
	if o := await(t, "the cell ends", done); !errors.Is(o.err, context.Canceled) || errors.Is(o.err, ErrGone) {
		t.Errorf("err = %v", o.err)
	}
	b.answer(func(context.Context, string) (string, error) { return "the body", nil })
	equal(t, "read again", value(t, r, "x[0].body"), "the body")
}
