package memory_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/memory"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

type args = map[string]any

// world is a project with memories; names under "global/" are those of the home.
func world(t *testing.T, memories map[string]string, settings sdk.ProjectSettings) *sdktest.Harness {
	t.Helper()
	h := sdktest.New(t, memory.New(), t.TempDir(), settings)
	for name, text := range memories {
		put(t, place(h, name), text)
	}
	return h
}

func place(h *sdktest.Harness, name string) string {
	if strings.HasPrefix(name, "global/") {
		return filepath.Join(h.Project.Home, "memories", name+".md")
	}
	return filepath.Join(h.Project.Root, ".serena", "memories", name+".md")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// everything is each file and folder of the project and of the home, with the files' texts.
func everything(t *testing.T, h *sdktest.Harness) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, root := range []string{h.Project.Root, h.Project.Home} {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !e.Type().IsRegular() {
				all[path] = ""
				return err
			}
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// holds compares memories with what they must hold, and says so if there are others.
func holds(t *testing.T, h *sdktest.Harness, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for path, text := range everything(t, h) {
		for prefix, dir := range map[string]string{"": filepath.Join(h.Project.Root, ".serena", "memories"), "global/": filepath.Join(h.Project.Home, "memories", "global")} {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) && strings.HasSuffix(rel, ".md") {
				got[prefix+strings.TrimSuffix(rel, ".md")] = text
			}
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the memories are %q, want %q", got, want)
	}
}

func ok(t *testing.T, h *sdktest.Harness, method string, a args, answer string) {
	t.Helper()
	if got := h.Into(t, nil, "mem", method, a).Text; got != answer {
		t.Errorf("%s(%v) answered %q, want %q", method, a, got, answer)
	}
}

// refused runs a call that must fail with a kind and a message that holds all of the parts, and must change nothing.
func refused(t *testing.T, h *sdktest.Harness, method string, a args, kind string, parts ...string) {
	t.Helper()
	before := everything(t, h)
	_, err := h.Call(t.Context(), "mem", method, a)
	if got := everything(t, h); !reflect.DeepEqual(got, before) {
		t.Errorf("%s(%v) left %q", method, a, got)
	}
	var e *sdk.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("%s(%v): got %v (%T), want a %s", method, a, err, err, kind)
		return
	}
	for _, p := range parts {
		if !strings.Contains(e.Message, p) {
			t.Errorf("%s(%v): %q does not say %q", method, a, e.Message, p)
		}
	}
}

func TestNew_is_valid(t *testing.T) {
	t.Parallel()
	m := memory.New().Manifest()
	if err := m.Validate(); err != nil || len(m.Facades) != 1 || m.Facades[0].Name != "mem" || !m.Facades[0].Owner || m.Facades[0].Optional {
		t.Fatalf("got %+v, %v", m.Facades, err)
	}
	editing := map[string]bool{"write_memory": true, "edit_memory": true, "rename_memory": true, "delete_memory": true}
	var signatures []string
	for _, m := range m.Facades[0].Methods {
		signatures = append(signatures, m.Signature())
		if m.Tool != m.Name || m.CanEdit != editing[m.Name] {
			t.Errorf("%s: tool %q, can_edit %v", m.Name, m.Tool, m.CanEdit)
		}
	}
	want := []string{
		`list_memories(topic: str = "") -> MemoryList`,
		`read_memory(memory_name: str) -> str`,
		`write_memory(memory_name: str, content: str, max_chars: int = -1) -> str`,
		`edit_memory(memory_name: str, needle: str, repl: str, mode: Literal["literal", "regex"], allow_multiple_occurrences: bool = False) -> str`,
		`rename_memory(old_name: str, new_name: str) -> str`,
		`delete_memory(memory_name: str) -> str`,
		`onboarding() -> str`,
	}
	if !reflect.DeepEqual(signatures, want) {
		t.Errorf("got\n%s", strings.Join(signatures, "\n"))
	}
}
