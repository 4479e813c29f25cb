//go:build unix

package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// patience bounds every wait for something that happens at once.
const patience = time.Minute

// trial is a Manager with the test plugin.
type trial struct {
	api.Provider
	*Manager
	log *lines
}

func newTrial(t *testing.T, role string) *trial {
	t.Helper()
	return newTrialWith(t, role, Options{Home: t.TempDir()})
}

func newTrialWith(t *testing.T, role string, o Options) *trial {
	t.Helper()
	log := &lines{}
	o.Log = hclog.New(&hclog.LoggerOptions{Name: "host", Level: hclog.Debug, Output: log, DisableTime: true})
	if o.Host == nil {
		o.Host = &fakeHost{}
	}
	m := New(o)
	t.Cleanup(func() {
		m.Stop(context.WithoutCancel(t.Context()))
		for _, s := range m.Status() {
			if s.Pid != 0 {
				t.Errorf("after Stop %+v", s)
			}
		}
	})
	return &trial{Provider: m.Provider(trialSpec(t, role)), Manager: m, log: log}
}

func trialSpec(t testing.TB, role string) Spec {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Name: "trial", Manifest: testPlugin().Manifest(), Command: []string{exe, role}, Builtin: true}
}

// request makes a call; the arguments are names and values in turn.
func request(method string, args ...any) api.Request {
	object := map[string]any{}
	for i := 0; i+1 < len(args); i += 2 {
		object[args[i].(string)] = args[i+1]
	}
	data, _ := json.Marshal(object)
	return api.Request{Facade: "trial", Method: method, Arguments: data}
}

// get makes a call that must succeed and decodes its value.
func get[T any](t *testing.T, p api.Provider, req api.Request) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var v T
	out, err := p.Call(ctx, req)
	if err != nil {
		t.Fatalf("%s: %v", req.Method, err)
	}
	if err := json.Unmarshal(out.Value, &v); err != nil {
		t.Fatalf("%s: %v in %s", req.Method, err, out.Value)
	}
	return v
}

// fails makes a call that must fail.
func fails(t *testing.T, p api.Provider, req api.Request) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := p.Call(ctx, req)
	if err == nil {
		t.Fatalf("%s: no error but %s", req.Method, out.Value)
	}
	return err
}

// eventually waits for a fact.
func eventually(t *testing.T, limit time.Duration, what string, fact func() bool) {
	t.Helper()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), patience)
}

func kill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, patience, fmt.Sprint("the end of ", pid), func() bool { return !process.Alive(pid) })
}

func mustContain(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

func someProject(t *testing.T, id string) *project.Project {
	return &project.Project{ID: id, Root: t.TempDir(), Name: "name of " + id, DataFolder: "/data", Encoding: "utf-8"}
}

// lines collects a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// fakeHost records what a plugin asks of the host.
type fakeHost struct {
	mu      sync.Mutex
	token   string
	changes []sdk.Change
	asked   []string
}

var _ sdk.HostServices = (*fakeHost)(nil)

func (h *fakeHost) ApplyEdits(_ context.Context, token string, changes []sdk.Change) (uint64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.token, h.changes = token, changes
	return 41, nil
}

func (h *fakeHost) Changes(_ context.Context, id string, since uint64) (sdk.Changes, error) {
	h.note("changes", id, since)
	return sdk.Changes{Reset: true, Last: 42, Files: []sdk.FileChange{{Path: "p", Kind: sdk.Deleted}}}, nil
}

func (h *fakeHost) ReportChanged(_ context.Context, id string, paths []string) (uint64, error) {
	h.note("report", id, paths)
	return 43, nil
}

func (h *fakeHost) CallFacade(_ context.Context, token, facade, method string, args json.RawMessage) (json.RawMessage, error) {
	h.note("call", token, facade, method, string(args))
	if method == "missing" {
		return nil, sdk.Errorf(sdk.KindAttribute, "no such method")
	}
	return json.RawMessage(`"answer"`), nil
}

func (h *fakeHost) note(parts ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, fmt.Sprintln(parts...))
}
