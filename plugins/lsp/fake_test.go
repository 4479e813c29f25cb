package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

func serveFake(role string) int { return fakeserver.Main(role) }

// withFake opens a project whose *.fake files a fake server of that role handles.
func withFake(t *testing.T, role string, files map[string]string) *fixture {
	t.Helper()
	return withFakeTimeout(t, role, files, 20)
}

func withFakeTimeout(t *testing.T, role string, files map[string]string, seconds float64) *fixture {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	d := servers.Description{Key: "fake", Server: "fakels", LanguageID: "fake", Extensions: []string{".fake"},
		Find: func(context.Context, *servers.Installer, servers.Settings) (servers.Command, error) {
			return servers.Command{Path: self, Env: []string{fakeRole + "=" + role, fakeserver.Mark + "=" + mark}}, nil
		}}
	if role == fakeserver.Loading {
		d.ReadyTitle = "Setting up workspace"
	}
	return newFixture(t, []servers.Description{d}, project(t, files), sdk.ProjectSettings{RequestTimeoutSeconds: seconds})
}

var oneFake = map[string]string{"a.fake": "def one\ndef two\n"}

var overviewOfA = args{"relative_path": "a.fake"}

func TestServerDies_readIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.DiesOnce, oneFake)
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)       // by the second server
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed}) // the fake knows only what it is shown, which changed files are
	if r := f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA); r.Text != `{"Function":["one","two"]}` {
		t.Errorf("overview %s", r.Text)
	}
}

func TestServerDies_again(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Dies, oneFake)
	f.fails(sdk.KindRuntime, "lsp", "get_symbols_overview", overviewOfA, "fakels", "exit code 7", "panic: no such luck", "the next call starts it again")
	// Two servers ended in that call. After five ends within a minute there is no further start.
	f.fails(sdk.KindRuntime, "lsp", "get_symbols_overview", overviewOfA, "exit code 7")
	err := f.fails(sdk.KindRuntime, "lsp", "get_symbols_overview", overviewOfA, "ended 5 times within a minute", "exit code 7")
	if err != nil && strings.Contains(err.Error(), "ended 6") {
		t.Errorf("too many starts: %v", err)
	}
}

func TestServerExitsAtOnce(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Exits, oneFake)
	f.fails(sdk.KindRuntime, "lsp", "get_symbols_overview", overviewOfA, "exit code 3", "cannot open the moon")
}

func TestServerNeverAnswersInitialize(t *testing.T) {
	t.Parallel()
	f := withFakeTimeout(t, fakeserver.Silent, oneFake, 0.3)
	f.fails(sdk.KindTimeout, "lsp", "get_symbols_overview", overviewOfA, "initialize", "300ms")
}

// One call's end neither ends the start that it began nor the wait of another.
func TestStart_isShared(t *testing.T) {
	t.Parallel()
	f := withFakeTimeout(t, fakeserver.Silent, oneFake, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Call(ctx, "lsp", "get_symbols_overview", overviewOfA); !errors.Is(err, context.Canceled) {
		t.Errorf("the first call: %v", err)
	}
	s := f.slot()
	s.mu.Lock()
	first := s.current
	s.mu.Unlock()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { f.fails(sdk.KindTimeout, "lsp", "get_symbols_overview", overviewOfA, "initialize") })
	}
	wg.Wait()
	if first == nil || first.err == nil {
		t.Fatal("the first call began no start")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != first {
		t.Error("the others began another start")
	}
}

func TestCancel_returnsAtOnce(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Slow, oneFake)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := f.Call(ctx, "lsp", "get_symbols_overview", overviewOfA); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestReferences_whileLoading(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Loading, oneFake)
	f.plugin.mu.Lock()
	f.plugin.workspaces["test"].loadWait = 50 * time.Millisecond
	f.plugin.mu.Unlock()
	write(t, f.root, "a.fake", "def one\n")
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed})
	s := f.slot()
	if _, err := s.get(t.Context(), sdk.NewCall(f.Project, 0, f.Host, nil, nil)); err != nil {
		t.Fatal(err)
	}
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed}) // so that the fake is shown the file
	got := f.references("one", "a.fake")
	if got.Complete || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "still loads the project") {
		t.Errorf("while loading: %+v", got)
	}
}

// A server that lists the declaration although it was not asked to.
func TestReferences_withoutTheDeclaration(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, map[string]string{"a.fake": "def one\n"})
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)
	write(t, f.root, "a.fake", "def one\nuse one\n")
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed}) // so that the fake is shown it
	got := f.references("one", "a.fake").References
	if len(got) != 1 || got[0].Line != 1 || got[0].Column != 4 || got[0].Symbol.NamePath != fileKindPath {
		t.Errorf("references: %+v", got)
	}
}

// lostHost has lost track of the changes once.
type lostHost struct {
	sdk.HostServices
	mu   sync.Mutex
	lose int
}

func (h *lostHost) Changes(ctx context.Context, id string, since uint64) (sdk.Changes, error) {
	c, err := h.HostServices.Changes(ctx, id, since)
	h.mu.Lock()
	defer h.mu.Unlock()
	if since > 0 && h.lose > 0 {
		h.lose--
		c.Reset, c.Files = true, nil
	}
	return c, err
}

func TestReset_startsTheServerAfresh(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, oneFake)
	f.Host.Report(sdk.FileChange{Path: "a.fake", Kind: sdk.Changed})
	host := &lostHost{HostServices: f.Host}
	call := func() error {
		_, _, err := f.plugin.declare().Invoke(t.Context(), sdk.NewCall(f.Project, 1, host, nil, nil), "lsp", "get_symbols_overview", map[string]json.RawMessage{"relative_path": json.RawMessage(`"a.fake"`)}, 1000)
		return err
	}
	if err := call(); err != nil {
		t.Fatal(err)
	}
	before := f.pid()
	host.lose = 1
	if err := call(); err != nil {
		t.Fatal(err)
	}
	if after := f.pid(); after == before || alive(t, before) {
		t.Errorf("server %d before, %d after; the old one lives %v", before, after, alive(t, before))
	}
	host.lose = 100
	if err := call(); !errors.Is(err, errReset) {
		t.Errorf("a host that never knows: %v", err)
	}
}

func TestOpen_again(t *testing.T) {
	t.Parallel()
	f := withFake(t, fakeserver.Plain, oneFake)
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)
	pid := f.pid()
	if err := f.plugin.open(t.Context(), f.Project); err != nil || f.pid() != pid {
		t.Errorf("the same project: %v, server %d, was %d", err, f.pid(), pid)
	}
	changed := *f.Project
	changed.Settings = json.RawMessage(`{"request_timeout": 7}`)
	if err := f.plugin.open(t.Context(), &changed); err != nil || alive(t, pid) {
		t.Errorf("other settings: %v, the old server lives %v", err, alive(t, pid))
	}
	f.Into(t, nil, "lsp", "get_symbols_overview", overviewOfA)
	pid = f.pid()
	f.plugin.close(t.Context(), f.Project.ID)
	if alive(t, pid) {
		t.Error("the server outlives its project")
	}
	changed.Settings = json.RawMessage(`[`)
	if err := f.plugin.open(t.Context(), &changed); !sdk.IsKind(err, sdk.KindValue) {
		t.Errorf("broken settings: %v", err)
	}
}

func TestManyFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"bad.fake": "def one \xff\n", "other.txt": "def one\n"}
	for i := range 40 {
		files[fmt.Sprintf("d%d/f%02d.fake", i%4, i)] = fmt.Sprintf("def one\ndef n%d\n", i)
	}
	f := withFake(t, fakeserver.Plain, files)
	got := f.find("one", nil)
	if got.Complete || len(got.Notes) != 2 || !strings.Contains(got.Notes[0], "bad.fake is not UTF-8") {
		t.Errorf("complete %v, notes %q", got.Complete, got.Notes)
	}
	got = f.find("n7", args{"relative_path": "d3"})
	if want := "no match in 10 files (d3/, fake (fakels: *.fake))"; !got.Complete || len(got.Notes) != 1 || got.Notes[0] != want {
		t.Errorf("complete %v, notes %q; want %q", got.Complete, got.Notes, want)
	}
}
