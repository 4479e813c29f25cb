package repl

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// testLimit bounds every wait of a test.
const testLimit = 60 * time.Second

type readParams struct {
	Path  string          `json:"relative_path"`
	Start int             `json:"start_line" default:"0"`
	Max   sdk.AnswerLimit `json:"max_answer_chars"`
}

type fileContent struct {
	Lines []string `json:"lines" items:"true"`
	Text  string   `json:"text"`
	Color color    `json:"color"`
}

func (fileContent) RenderText(sdk.Policy) string { return "" } // only marks the type as rendered

type color int

func (color) EnumMembers() []sdk.EnumMember {
	return []sdk.EnumMember{{Name: "RED", Value: 1}, {Name: "BLUE", Value: 2}}
}

type nothing struct{}

func readFile(context.Context, *sdk.Call, readParams) (fileContent, error) {
	return fileContent{}, nil
}
func text(context.Context, *sdk.Call, nothing) (string, error) { return "", nil }
func any1(context.Context, *sdk.Call, struct {
	Value json.RawMessage `json:"value"`
}) (json.RawMessage, error) {
	return nil, nil
}

var filesPlugin = sdk.Plugin{Name: "fs", Facades: []sdk.Facade{{
	Name: "fs", Summary: "the project's files as units",
	Methods: []sdk.Method{
		sdk.NewMethod("read_file", readFile, "Reads a file.\n\nAll of it.", sdk.Alias("relative_path", "path")),
		sdk.NewMethod("block", text, "Waits.\n\nUntil it is cancelled."),
		sdk.NewMethod("echo", any1, "Answers its argument.\n\nAs it came."),
		sdk.NewMethod("fail", any1, "Fails.\n\nWith the error that it is given."),
	},
}}}

// fakeBackend serves one facade, whose methods the test may replace.
type fakeBackend struct {
	root string

	mu         sync.Mutex // guards the fields below
	generation string
	fetched    int // bindings
	cells      []string
	entered    chan struct{} // gets a token when block is running
	cancelled  chan struct{} // gets a token when block was cancelled
	calls      func(ctx context.Context, req CallRequest) (api.Outcome, error)
	renders    int

	rendersForEver bool // set before the first cell
}

var _ Backend = (*fakeBackend)(nil)

func newFakeBackend(root string) *fakeBackend {
	return &fakeBackend{root: root, generation: "g1", entered: make(chan struct{}, 100), cancelled: make(chan struct{}, 100)}
}

// Root is where cells work.
func (b *fakeBackend) Root() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.root
}

// answer replaces all methods.
func (b *fakeBackend) answer(calls func(context.Context, CallRequest) (api.Outcome, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = calls
}

// seen are the cells that the calls so far came from, and how often bindings and renderings were asked for.
func (b *fakeBackend) seen() (cells []string, fetched, renders int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.cells), b.fetched, b.renders
}

func (b *fakeBackend) Generation() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.generation
}

func (b *fakeBackend) Bindings(context.Context) (json.RawMessage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fetched++
	m := filesPlugin.Manifest()
	return json.Marshal(map[string]any{"generation": b.generation, "facades": []any{map[string]any{
		"name": "fs", "summary": m.Facades[0].Summary, "methods": m.Facades[0].Methods, "types": m.Types,
	}}})
}

func (b *fakeBackend) Call(ctx context.Context, req CallRequest) (api.Outcome, error) {
	b.mu.Lock()
	b.cells = append(b.cells, req.Cell)
	calls := b.calls
	b.mu.Unlock()
	if calls != nil {
		return calls(ctx, req)
	}
	switch req.Method {
	case "block":
		b.entered <- struct{}{}
		<-ctx.Done()
		b.cancelled <- struct{}{}
		return api.Outcome{}, ctx.Err()
	case "echo":
		return api.Outcome{Value: req.Args["value"]}, nil
	case "fail":
		var e sdk.Error
		if err := json.Unmarshal(req.Args["value"], &e); err != nil {
			return api.Outcome{}, err
		}
		return api.Outcome{}, &e
	}
	return b.read(req.Args)
}

// Pin pins nothing: there is one project.
func (b *fakeBackend) Pin() func(context.Context, CallRequest) (api.Outcome, error) { return b.Call }

func (b *fakeBackend) read(args map[string]json.RawMessage) (api.Outcome, error) {
	var path string
	if err := json.Unmarshal(args["relative_path"], &path); err != nil {
		return api.Outcome{}, sdk.Errorf(sdk.KindType, "relative_path: %w", err)
	}
	if strings.HasPrefix(path, "..") {
		return api.Outcome{}, sdk.Errorf(sdk.KindPermission, "%s lies outside of the project", path)
	}
	data, err := os.ReadFile(filepath.Join(b.root, path))
	if err != nil {
		return api.Outcome{}, sdk.Errorf(sdk.KindFileNotFound, "%s is not there", path)
	}
	value, err := json.Marshal(fileContent{Lines: strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), Text: string(data), Color: 2})
	return api.Outcome{Value: value, Type: "fileContent", Policy: json.RawMessage(`{"max_answer_chars":7}`)}, err
}

func (b *fakeBackend) Render(ctx context.Context, facade, typeName string, value, policy json.RawMessage) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.renders++
	if b.rendersForEver {
		b.entered <- struct{}{}
		<-ctx.Done()
		b.cancelled <- struct{}{}
		return "", ctx.Err()
	}
	var c fileContent
	if err := json.Unmarshal(value, &c); err != nil {
		return "", err
	}
	return fmt.Sprintf("<%s.%s %d lines, policy %s>", facade, typeName, len(c.Lines), policy), nil
}

func (b *fakeBackend) Info(_ context.Context, items []string) (string, error) {
	return "info about " + strings.Join(items, ","), nil
}

// python finds the interpreter that all tests run with; its answer is kept by the operating system's own means only.
var python = sync.OnceValues(func() (Interpreter, error) {
	ctx, cancel := context.WithTimeout(context.Background(), testLimit)
	defer cancel()
	return FindPython(ctx, FindOptions{Env: os.Environ()})
})

func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	t.Cleanup(cancel)
	return ctx
}

// start starts a runtime in a project of its own that holds n.txt, and proves at the test's end that nothing is left of it.
func start(t *testing.T, change ...func(*Options)) (*Runtime, *fakeBackend) {
	t.Helper()
	found, err := python()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "n.txt"), []byte("1\n2\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := Extract(sharedHome(t))
	if err != nil {
		t.Fatal(err)
	}
	b := newFakeBackend(root)
	o := Options{Interpreter: found, Dir: dir, Env: os.Environ(), Backend: b}
	for _, f := range change {
		f(&o)
	}
	r, err := Start(limited(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeRuntime(t, r) })
	return r, b
}

// sharedHome is one home a test: Python's bytecode is written once in it.
func sharedHome(t *testing.T) string {
	return filepath.Join(t.TempDir(), "home")
}

func closeRuntime(t *testing.T, r *Runtime) {
	ctx, cancel := context.WithTimeout(context.Background(), testLimit) // t's is done by now
	defer cancel()
	if err := r.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	if process.Alive(r.child.Pid()) {
		t.Errorf("Python %d is still alive", r.child.Pid())
	}
}

// run executes a cell that must run to its end without an error.
func run(t *testing.T, r *Runtime, code string) Result {
	t.Helper()
	result, err := r.Execute(limited(t), code, testLimit)
	if err != nil {
		t.Fatalf("cell %q: %v", code, err)
	}
	if result.Failure != nil {
		t.Fatalf("cell %q: %s", code, result.Failure.Text())
	}
	return result
}

// value is the text of a cell's value.
func value(t *testing.T, r *Runtime, code string) string {
	t.Helper()
	result := run(t, r, code)
	if result.Value == nil {
		t.Fatalf("cell %q has no value", code)
	}
	return *result.Value
}

// failure executes a cell that must fail.
func failure(t *testing.T, r *Runtime, code string) *CellError {
	t.Helper()
	result, err := r.Execute(limited(t), code, testLimit)
	if err != nil {
		t.Fatalf("cell %q: %v", code, err)
	}
	if result.Failure == nil {
		t.Fatalf("cell %q did not fail: %+v", code, result)
	}
	return result.Failure
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s = %#v, want %#v", what, got, want)
	}
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// eventually waits until the fact holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	ctx := limited(t)
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("in vain: %s", what)
		}
	}
}
