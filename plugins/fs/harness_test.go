package fs_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

type args = map[string]any

// project makes a folder with files; a name that ends in "/" is an empty folder.
func project(t *testing.T, files map[string]string) *sdktest.Harness {
	t.Helper()
	return projectWith(t, files, sdk.ProjectSettings{})
}

func projectWith(t *testing.T, files map[string]string, settings sdk.ProjectSettings) *sdktest.Harness {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return sdktest.New(t, fs.New(), root, settings)
}

func read(t *testing.T, h *sdktest.Harness, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.Project.Root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func link(t *testing.T, h *sdktest.Harness, target, name string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(h.Project.Root, name)); err != nil {
		t.Fatal(err)
	}
}

// refused runs a call that must fail with a kind and a message that holds all of the parts.
func refused(t *testing.T, h *sdktest.Harness, facade, method string, a args, kind string, parts ...string) {
	t.Helper()
	_, err := h.Call(t.Context(), facade, method, a)
	var e *sdk.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("%s.%s(%v): got %v (%T), want a %s", facade, method, a, err, err, kind)
		return
	}
	for _, p := range parts {
		if !strings.Contains(e.Message, p) {
			t.Errorf("%s.%s(%v): %q does not say %q", facade, method, a, e.Message, p)
		}
	}
}

func TestNew_is_valid(t *testing.T) {
	t.Parallel()
	p := fs.New()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	var signatures []string
	for _, f := range p.Manifest().Facades {
		if !f.Owner {
			t.Errorf("%s must be owned", f.Name)
		}
		for _, m := range f.Methods {
			signatures = append(signatures, f.Name+"."+m.Signature())
			if m.Tool != m.Name || m.CanEdit != (f.Name == "edit" || m.Name == "create_text_file") || m.Optional != strings.Contains(m.Name, "line") {
				t.Errorf("%s.%s: tool %q, can_edit %v, optional %v", f.Name, m.Name, m.Tool, m.CanEdit, m.Optional)
			}
		}
	}
	want := []string{
		`fs.read_file(relative_path: str, start_line: int = 0, end_line: int | None = None, max_answer_chars: int = -1) -> FileContent`,
		`fs.create_text_file(relative_path: str, content: str) -> str`,
		`fs.list_dir(relative_path: str, recursive: bool, skip_ignored_files: bool = False, max_answer_chars: int = -1) -> DirectoryListing`,
		`fs.find_file(file_mask: str, relative_path: str) -> FileMatches`,
		`fs.search_for_pattern(substring_pattern: str, context_lines_before: int = 0, context_lines_after: int = 0, paths_include_glob: str = "", paths_exclude_glob: str = "", relative_path: str = "", restrict_search_to_code_files: bool = False, skip_ignored_files: bool = True, multiline: bool = True, max_answer_chars: int = -1) -> PatternMatches`,
		`edit.replace_content(relative_path: str, needle: str, repl: str, mode: Literal["literal", "regex"], allow_multiple_occurrences: bool = False) -> str`,
		`edit.replace_in_files(needle: str, repl: str, mode: Literal["literal", "regex"], relative_path: str = "", paths_include_glob: str = "", paths_exclude_glob: str = "", dry_run: bool = False, occurrence_ids: list[str] | None = None, expected_count: int = -1, max_answer_chars: int = -1) -> ReplacementPreview | str`,
		`edit.delete_lines(relative_path: str, start_line: int, end_line: int) -> str`,
		`edit.replace_lines(relative_path: str, start_line: int, end_line: int, content: str) -> str`,
		`edit.insert_at_line(relative_path: str, line: int, content: str) -> str`,
	}
	if got := strings.Join(signatures, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func write(t *testing.T, h *sdktest.Harness, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.Project.Root, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lateWriter is a host to which somebody else's write to a file comes first.
type lateWriter struct {
	*sdktest.Host
	path string
}

func (w *lateWriter) ApplyEdits(ctx context.Context, token string, changes []sdk.Change) (uint64, error) {
	if err := os.WriteFile(w.path, []byte("somebody else's\n"), 0o644); err != nil {
		return 0, err
	}
	return w.Host.ApplyEdits(ctx, token, changes)
}

// callThrough runs a method with a host of its own.
func callThrough(t *testing.T, h *sdktest.Harness, host sdk.HostServices, facade, method string, a args) (string, error) {
	t.Helper()
	named := map[string]json.RawMessage{}
	for k, v := range a {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		named[k] = data
	}
	_, text, err := fs.New().Invoke(t.Context(), sdk.NewCall(h.Project, 0, host, nil, nil), facade, method, named, sdktest.AnswerLimit)
	return text, err
}
