// Package sdktest runs a plugin's methods inside the test's own process, with a host that works on a real folder: what a
// plugin's unit tests need, without a host, a second process or the wire.
package sdktest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// AnswerLimit is what an answer limit of -1 stands for in a Harness.
const AnswerLimit = 150_000

// Harness runs the methods of one plugin on one project folder.
type Harness struct {
	Project *sdk.Project
	Host    *Host
	plugin  sdk.Plugin
}

// Result is what a call answered.
type Result struct {
	Value json.RawMessage
	Text  string // the rendering
}

// New opens the plugin, which must be valid, for the project folder root. settings may be nil. The plugin is stopped when
// the test ends.
func New(t testing.TB, plugin sdk.Plugin, root string, settings any) *Harness {
	t.Helper()
	if err := plugin.Validate(); err != nil {
		t.Fatalf("plugin %s is not valid: %v", plugin.Name, err)
	}
	return Open(t, plugin, newProject(t, plugin.Name, root, settings, nil))
}

func newProject(t testing.TB, plugin, root string, settings, own any) *sdk.Project {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	p := &sdk.Project{ID: "test", Root: root, Name: filepath.Base(root), DataFolder: filepath.Join(root, ".serena"), Encoding: "utf-8", Home: t.TempDir(), Plugin: plugin}
	for into, value := range map[*json.RawMessage]any{&p.Settings: settings, &p.OwnSettings: own} {
		if *into, err = json.Marshal(value); err != nil {
			t.Fatal(err)
		}
	}
	if own == nil {
		p.OwnSettings = nil
	}
	return p
}

// Open opens the plugin for a project. The plugin is stopped when the test ends.
func Open(t testing.TB, plugin sdk.Plugin, p *sdk.Project) *Harness {
	t.Helper()
	if plugin.Open != nil {
		if err := plugin.Open(t.Context(), p); err != nil {
			t.Fatalf("open: %v", err)
		}
	}
	t.Cleanup(func() {
		if plugin.Stop != nil {
			plugin.Stop(context.WithoutCancel(t.Context()))
		}
	})
	return &Harness{Project: p, Host: newHost(p), plugin: plugin}
}

func newHost(p *sdk.Project) *Host {
	return &Host{root: p.Root, further: []string{p.DataFolder, filepath.Join(p.Home, "memories")}}
}

// begin runs an example's call and tells, at its return, with which error.
func (h *Harness) begin(ctx context.Context, e example) <-chan error {
	returned := make(chan error, 1)
	var args map[string]json.RawMessage
	_ = json.Unmarshal(e.args, &args) // made by Bind
	go func() {                       // ends with the method
		defer func() {
			if r := recover(); r != nil {
				returned <- fmt.Errorf("panic: %v", r)
			}
		}()
		call := sdk.NewCall(h.Project, h.Host.Last(), h.Host, nil, nil)
		_, _, err := h.plugin.Invoke(ctx, call, e.facade, e.method.Name, args, AnswerLimit)
		returned <- err
	}()
	return returned
}

// Call runs a method with arguments bound as the host binds them.
func (h *Harness) Call(ctx context.Context, facade, method string, args map[string]any) (Result, error) {
	named := map[string]json.RawMessage{}
	for k, v := range args {
		data, err := json.Marshal(v)
		if err != nil {
			return Result{}, err
		}
		named[k] = data
	}
	call := sdk.NewCall(h.Project, h.Host.Last(), h.Host, nil, nil)
	value, text, err := h.plugin.Invoke(ctx, call, facade, method, named, AnswerLimit)
	return Result{Value: value, Text: text}, err
}

// Into runs a method that must succeed and decodes its value.
func (h *Harness) Into(t testing.TB, into any, facade, method string, args map[string]any) Result {
	t.Helper()
	r, err := h.Call(t.Context(), facade, method, args)
	if err != nil {
		t.Fatalf("%s.%s(%v): %v", facade, method, args, err)
	}
	if into != nil {
		if err := json.Unmarshal(r.Value, into); err != nil {
			t.Fatalf("%s.%s: %v in %s", facade, method, err, r.Value)
		}
	}
	return r
}

// Host writes to a folder as the real host does, but knows one project, no other writers and no links. Absolute paths are
// those below the project root, its data folder and the memories of the Serena home.
type Host struct {
	root    string
	further []string

	mu      sync.Mutex
	changes []sdk.FileChange // change n is changes[n-1]
}

var _ sdk.HostServices = (*Host)(nil)

// Last is the number of the last change.
func (h *Host) Last() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return uint64(len(h.changes))
}

// Report records changes that the test itself made on disk.
func (h *Host) Report(changes ...sdk.FileChange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes = append(h.changes, changes...)
}

// ApplyEdits checks every base and writes every file, or nothing.
func (h *Host) ApplyEdits(_ context.Context, _ string, changes []sdk.Change) (uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	contents := make([][]byte, len(changes))
	for i, c := range changes {
		for _, path := range []string{c.Path, c.To} {
			if err := h.check(path); err != nil {
				return 0, err
			}
		}
		if c.To != "" {
			if _, err := os.Lstat(h.at(c.To)); err == nil {
				return 0, sdk.Errorf(sdk.KindFileExists, "%s exists already, so %s was not renamed", c.To, c.Path)
			}
		}
		old, err := os.ReadFile(h.at(c.Path))
		base := sdk.BaseOf(old)
		if err != nil {
			base = sdk.Absent
		}
		if base != c.Base {
			return 0, sdk.Errorf(sdk.KindStale, "%s changed since it was read: read it again", c.Path)
		}
		if contents[i] = c.Content; !c.Whole {
			contents[i] = apply(old, c.Edits)
		}
	}
	for i, c := range changes {
		if err := h.write(c, contents[i]); err != nil {
			return 0, fmt.Errorf("%s: %w", c.Path, err)
		}
		h.changes = append(h.changes, sdk.FileChange{Path: c.Path, Kind: sdk.Changed})
	}
	return uint64(len(h.changes)), nil
}

func apply(old []byte, edits []sdk.ByteEdit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, old[at:e.Start]...), e.Text...)
		at = e.End
	}
	return append(out, old[at:]...)
}

// at is the place of a path that is relative to the root or absolute.
func (h *Host) at(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(h.root, path)
}

// check refuses what lies, by its text, outside.
func (h *Host) check(path string) error {
	for _, dir := range append([]string{h.root}, h.further...) {
		if rel, err := filepath.Rel(dir, h.at(path)); err == nil && filepath.IsLocal(rel) {
			return nil
		}
	}
	return sdk.Errorf(sdk.KindPermission, "%s lies outside the project", path)
}

func (h *Host) write(c sdk.Change, content []byte) error {
	path, target := h.at(c.Path), h.at(c.Path)
	if c.To != "" {
		target = h.at(c.To)
	}
	if c.Delete {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if c.To != "" {
		return os.Rename(path, target)
	}
	return os.WriteFile(path, content, 0o644)
}

// Changes answers from what ApplyEdits and Report recorded.
func (h *Host) Changes(_ context.Context, _ string, since uint64) (sdk.Changes, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := uint64(len(h.changes))
	return sdk.Changes{Last: last, Files: slices.Clone(h.changes[min(since, last):])}, nil
}

// ReportChanged records the paths as changed.
func (h *Host) ReportChanged(_ context.Context, _ string, paths []string) (uint64, error) {
	for _, p := range paths {
		h.Report(sdk.FileChange{Path: p, Kind: sdk.Changed})
	}
	return h.Last(), nil
}

// CallFacade always fails: there are no other facades in a unit test.
func (h *Host) CallFacade(_ context.Context, _, facade, method string, _ json.RawMessage) (json.RawMessage, error) {
	return nil, sdk.Errorf(sdk.KindAttribute, "no facade %s.%s in a unit test", facade, method)
}
