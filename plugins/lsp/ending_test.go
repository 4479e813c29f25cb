package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/sdk"
)

// patience bounds the wait for a fact that must come.
const patience = 20 * time.Second

// heldHost does not answer what changed until it is let go.
type heldHost struct {
	sdk.HostServices
	asked, release chan struct{}
}

func (h *heldHost) Changes(ctx context.Context, id string, since uint64) (sdk.Changes, error) {
	if since > 0 {
		h.asked <- struct{}{}
		<-h.release
	}
	return h.HostServices.Changes(ctx, id, since)
}

func (f *fixture) overviewBy(ctx context.Context, host sdk.HostServices) error {
	_, _, err := f.plugin.declare().Invoke(ctx, sdk.NewCall(f.Project, 1, host, nil, nil), "lsp", "get_symbols_overview", map[string]json.RawMessage{"relative_path": json.RawMessage(`"a.fake"`)}, 1000)
	return err
}

// A call that waits for another's question to the host ends with its own context.
func TestSync_waitHeedsTheContext(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, oneFake)
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed})
	host := &heldHost{HostServices: f.Host, asked: make(chan struct{}), release: make(chan struct{})}
	first := make(chan error, 1)
	go func() { first <- f.overviewBy(t.Context(), host) }()
	wait(t, "the first call's question", host.asked)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	second := make(chan error, 1)
	go func() { second <- f.overviewBy(ctx, f.Host) }()
	if err := wait(t, "the second call", second); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second call: %v", err)
	}
	close(host.release)
	if err := wait(t, "the first call", first); err != nil {
		t.Errorf("the first call: %v", err)
	}
}

func wait[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		t.Fatalf("%s does not come", what)
		panic("not reached")
	}
}

// A call that is under way when its workspace is stopped is told why, whatever it waits for.
func TestStop_callsUnderWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stop func(*fixture)
		kind string
		text string
	}{
		"the plugin ends":    {func(f *fixture) { f.plugin.stop(t.Context()) }, sdk.KindConnection, "the plugin lsp is ending: call again, it is started anew"},
		"the project closes": {func(f *fixture) { f.plugin.close(t.Context(), "test") }, sdk.KindRuntime, "is closed: activate it again"},
		"other settings": {func(f *fixture) {
			changed := *f.Project
			changed.Settings = json.RawMessage(`{"request_timeout": 7}`)
			if err := f.plugin.open(t.Context(), &changed); err != nil {
				t.Error(err)
			}
		}, sdk.KindRuntime, "was opened with other settings meanwhile: call again"},
	} {
		for _, role := range []string{fakeserver.Silent, fakeserver.Slow} { // during the start, during a request
			t.Run(name+", "+role, func(t *testing.T) {
				t.Parallel()
				f := withFake(t, role, oneFake)
				f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed})
				if role == fakeserver.Slow {
					if _, err := f.slot().get(t.Context(), sdk.NewCall(f.Project, 0, f.Host, nil, nil)); err != nil {
						t.Fatal(err)
					}
				}
				host := &heldHost{HostServices: f.Host, asked: make(chan struct{}, 1), release: make(chan struct{})}
				close(host.release)
				done := make(chan error, 1)
				s := f.slot()
				go func() { done <- f.overviewBy(t.Context(), host) }()
				if role == fakeserver.Slow {
					wait(t, "the call's question to the host", host.asked)
				} else {
					eventually(t, "a start", func() bool {
						s.mu.Lock()
						defer s.mu.Unlock()
						return s.current != nil
					})
				}
				c.stop(f)
				if err := wait(t, "the call", done); !sdk.IsKind(err, c.kind) || !contains(err, c.text) {
					t.Errorf("error %v", err)
				}
			})
		}
	}
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }

// eventually looks for a fact that nothing tells of.
func eventually(t *testing.T, what string, fact func() bool) {
	t.Helper()
	limit := time.After(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s does not come", what)
		}
	}
}
