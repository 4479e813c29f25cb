package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

// fakeRole makes the test binary a language server of that role instead of a test.
const fakeRole = "SERENA_TEST_FAKE_SERVER"

// others are the roles that are no server's.
var others = map[string]func() int{}

func TestMain(m *testing.M) {
	if serve := others[os.Getenv(fakeRole)]; serve != nil {
		os.Exit(serve())
	}
	if role := os.Getenv(fakeRole); role != "" {
		os.Exit(serveFake(role))
	}
	goleak.VerifyTestMain(m)
}

// goplsPath is a gopls that is there, or the test's end.
func goplsPath(t testing.TB) string {
	t.Helper()
	path := os.Getenv("SERENA_TEST_GOPLS")
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		path = filepath.Join(cache, "serena-go", "tools", "gopls-v0.23.0", "gopls")
	}
	cmd := exec.Command(path, "version")
	cmd.Env = append(cmd.Environ(), "GO_TELEMETRY_CHILD=2") // or it leaves a process behind
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("no gopls at %s (%v %s): run `make tools`, or name one in SERENA_TEST_GOPLS", path, err, out)
	}
	return path
}

// project writes files to a new folder; a name that ends in "/" is a folder.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, root, name, text)
	}
	return root
}

func write(t testing.TB, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	dir := filepath.Dir(path)
	if strings.HasSuffix(name, "/") {
		dir = path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if dir == path {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func contents(t testing.TB, root, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// fixture is a plugin on a project, within reach of its processes.
type fixture struct {
	*sdktest.Harness
	t      *testing.T
	root   string
	plugin *plugin
}

// withGopls opens a project of these files with the real server.
func withGopls(t *testing.T, files map[string]string) *fixture {
	t.Helper()
	own, err := json.Marshal(map[string]string{"ls_path": goplsPath(t)})
	if err != nil {
		t.Fatal(err)
	}
	return newFixture(t, servers.Table(), project(t, files), sdk.ProjectSettings{LanguageServers: map[string]json.RawMessage{"go": own}})
}

func newFixture(t *testing.T, table []servers.Description, root string, settings sdk.ProjectSettings) *fixture {
	t.Helper()
	p := newPlugin(table)
	h := sdktest.New(t, p.declare(), root, settings)
	return &fixture{Harness: h, t: t, root: h.Project.Root, plugin: p}
}

// pid is the process of the one server that runs.
func (f *fixture) pid() int {
	f.t.Helper()
	s := f.slot()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil || s.current.over() {
		f.t.Fatal("no server runs")
	}
	return s.current.session.client.Pid()
}

func (f *fixture) slot() *slot {
	f.t.Helper()
	f.plugin.mu.Lock()
	defer f.plugin.mu.Unlock()
	return f.plugin.workspaces[f.Project.ID].slots[0]
}

type args = map[string]any

func (f *fixture) find(pattern string, more args) LspSymbolCollection {
	f.t.Helper()
	a := args{"name_path_pattern": pattern}
	for k, v := range more {
		a[k] = v
	}
	var out LspSymbolCollection
	f.Into(f.t, &out, "lsp", "find_symbol", a)
	return out
}

func (f *fixture) references(namePath, rel string) LspReferenceCollection {
	f.t.Helper()
	var out LspReferenceCollection
	f.Into(f.t, &out, "lsp", "find_referencing_symbols", args{"name_path": namePath, "relative_path": rel})
	return out
}

// fails runs a method that must fail with the kind and a message that contains all of the texts.
func (f *fixture) fails(kind, facade, method string, a args, texts ...string) error {
	f.t.Helper()
	r, err := f.Call(f.t.Context(), facade, method, a)
	if err == nil {
		f.t.Errorf("%s(%v) = %s, want a %s", method, a, r.Value, kind)
		return nil
	}
	if e := sdk.AsError(err); e.Kind != kind {
		f.t.Errorf("%s(%v): kind %s, want %s: %v", method, a, e.Kind, kind, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			f.t.Errorf("%s(%v): %q does not say %q", method, a, err, text)
		}
	}
	return err
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
