package fs_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

func TestFindFile(t *testing.T) {
	t.Parallel()
	h := projectWith(t, map[string]string{
		"a.txt": "", "sub/b.py": "", "sub/deep/c.go": "", "sub/deep/a.txt": "", ".gitignore": "*.log\n/out/\n", "d.log": "", "out/gen.go": "",
		".git/config": "", "skip/s.go": "", ".serena/memories/m.md": "", "we{i}rd[1].txt": "", "sub/A.TXT": "",
	}, sdk.ProjectSettings{IgnoredPaths: []string{"skip"}})
	for name, tc := range map[string]struct {
		mask, path string
		files      []string
	}{
		"a name":                   {"c.go", ".", []string{"sub/deep/c.go"}},
		"a name at several places": {"a.txt", "", []string{"a.txt", "sub/deep/a.txt"}},
		"in a folder":              {"a.txt", "sub", []string{"sub/deep/a.txt"}},
		"star":                     {"*.go", ".", []string{"out/gen.go", "sub/deep/c.go"}},
		"what git ignores":         {"*.log", ".", []string{"d.log"}},
		"question mark":            {"?.go", ".", []string{"sub/deep/c.go"}},
		"braces":                   {"{a.txt,b.py}", ".", []string{"a.txt", "sub/b.py", "sub/deep/a.txt"}},
		"set":                      {"[!ab].*", ".", []string{"d.log", "sub/A.TXT", "sub/deep/c.go"}},
		"escaped":                  {`we\{i\}rd\[1\].txt`, ".", []string{"we{i}rd[1].txt"}},
		"hidden":                   {".git*", ".", []string{".gitignore"}},
		"a path":                   {"sub/*.py", ".", []string{"sub/b.py"}},
		"a path of the project":    {"sub/deep/*", "sub", []string{"sub/deep/a.txt", "sub/deep/c.go"}},
		"a path of the folder":     {"deep/*.go", "sub", []string{"sub/deep/c.go"}},
		"folders are crossed":      {"**/*.go", ".", []string{"out/gen.go", "sub/deep/c.go"}},
		"the data folder, named":   {"*.md", ".serena", []string{".serena/memories/m.md"}},
		"an ignored folder, named": {"*", "out", []string{"out/gen.go"}},
	} {
		var got fs.FileMatches
		r := h.Into(t, &got, "fs", "find_file", args{"file_mask": tc.mask, "relative_path": tc.path})
		want := `{"files": ["` + strings.Join(tc.files, `", "`) + `"]}`
		if !slices.Equal(got.Files, tc.files) || !got.Complete || len(got.Notes) != 0 || r.Text != want {
			t.Errorf("%s: got %+v, shown as %s", name, got, r.Text)
		}
	}
	for name, tc := range map[string]struct{ mask, path, note string }{
		"near":         {"B.PY", ".", `"B.PY" fits none of the names of 9 files in "."; upper and lower case differ; did you mean "b.py"?`},
		"not near":     {"*.zig", "sub", `"*.zig" fits none of the names of 4 files in "sub"; upper and lower case differ`},
		"paths":        {"sub/*.zig", "sub", `"sub/*.zig" fits none of the paths of 4 files in "sub"; upper and lower case differ`},
		"a folder":     {"deep", ".", `no file fits, but folders do: sub/deep; list_dir tells what they hold`},
		"ignored ones": {"s.go", ".", `"s.go" fits none of the names of 9 files in "."; upper and lower case differ; did you mean "c.go"?`},
	} {
		var got fs.FileMatches
		r := h.Into(t, &got, "fs", "find_file", args{"file_mask": tc.mask, "relative_path": tc.path})
		if len(got.Files) != 0 || got.Files == nil || !got.Complete || !slices.Equal(got.Notes, []string{tc.note}) || !strings.HasPrefix(r.Text, `{"files": [], "notes": ["`) {
			t.Errorf("%s: got %+v, shown as %s", name, got, r.Text)
		}
	}
}

func TestFindFile_refuses(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"sub/file": "x\n"})
	link(t, h, t.TempDir(), "away")
	refused(t, h, "fs", "find_file", args{"file_mask": "", "relative_path": "."}, sdk.KindValue, "file_mask is empty")
	refused(t, h, "fs", "find_file", args{"file_mask": "[a", "relative_path": "."}, sdk.KindValue, "file_mask: glob", "at position 0")
	refused(t, h, "fs", "find_file", args{"file_mask": "*", "relative_path": "sub/file"}, sdk.KindNotADirectory, `"sub/file" is a file`, `"sub"`)
	refused(t, h, "fs", "find_file", args{"file_mask": "*", "relative_path": "sup"}, sdk.KindFileNotFound, `did you mean "sub"?`)
	refused(t, h, "fs", "find_file", args{"file_mask": "*", "relative_path": ".."}, sdk.KindPermission, "outside the project")
	refused(t, h, "fs", "find_file", args{"file_mask": "*", "relative_path": "away"}, sdk.KindPermission, "outside the project")
	refused(t, h, "fs", "find_file", args{"file_mask": "*"}, sdk.KindType, "relative_path is missing")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Call(ctx, "fs", "find_file", args{"file_mask": "*", "relative_path": "."}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestFindFile_too_many_are_a_notice(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 1500 {
		files[fmt.Sprintf("%s/%04d", strings.Repeat("d", 95), i)] = ""
	}
	h := project(t, files)
	var got fs.FileMatches
	r := h.Into(t, &got, "fs", "find_file", args{"file_mask": "*", "relative_path": "."})
	// 11 for `{"files": [`, 102 for each path in quotes, 2 between two of them, 2 for `]}`
	const want = "The answer is too long (156011 characters, the limit is 150000). There are 1500 files: look in one of the folders, or use a narrower mask."
	if len(got.Files) != 1500 || r.Text != want {
		t.Errorf("%d files, shown as %.300s", len(got.Files), r.Text)
	}
}
