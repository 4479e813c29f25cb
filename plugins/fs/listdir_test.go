package fs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

// C22's tree, with a data folder, a repository and one inside it.
func ignoreTree() map[string]string {
	const x = "package x\n"
	return map[string]string{
		".gitignore": "/out/\n*.log\n!keep.log\n", "***/.gitignore": "tmp/\n", "***/tmp/x.go": x, "***/y.go": x,
		"pkg/.gitignore": "*\n!.gitignore\n!only.go\n", "pkg/only.go": x, "pkg/other.go": x,
		"src/main.go": x, "src/target/t.go": x, "src/coverage/c.go": x, "src/out/o.go": x, "out/gen.go": x, "debug.log": "d\n", "keep.log": "k\n",
		".git/HEAD": "ref: refs/heads/main\n", ".git/hooks/x.go": x, "src/.git/x.go": x, ".serena/memories/m.md": x,
	}
}

var notIgnored = []string{"***/.gitignore", "***/y.go", ".gitignore", "keep.log", "pkg/.gitignore", "pkg/only.go", "src/coverage/c.go", "src/main.go", "src/out/o.go", "src/target/t.go"}

func TestListDir(t *testing.T) {
	t.Parallel()
	everything := slices.Sorted(slices.Values(append([]string{"***/tmp/x.go", "debug.log", "out/gen.go", "pkg/other.go"}, notIgnored...)))
	all := sdk.ProjectSettings{}
	configured := sdk.ProjectSettings{IgnoredPaths: []string{"src/out", "*.log"}}
	for name, tc := range map[string]struct {
		settings    sdk.ProjectSettings
		args        args
		dirs, files []string
	}{
		"C22.1":             {all, args{"relative_path": ".", "recursive": true, "skip_ignored_files": true}, []string{"***", "pkg", "src", "src/coverage", "src/out", "src/target"}, notIgnored},
		"ignored too":       {all, args{"relative_path": ".", "recursive": true}, []string{"***", "***/tmp", "out", "pkg", "src", "src/coverage", "src/out", "src/target"}, everything},
		"one level":         {all, args{"relative_path": "", "recursive": false}, []string{"***", "out", "pkg", "src"}, []string{".gitignore", "debug.log", "keep.log"}},
		"one level, not":    {all, args{"relative_path": ".", "recursive": false, "skip_ignored_files": true}, []string{"***", "pkg", "src"}, []string{".gitignore", "keep.log"}},
		"a folder":          {all, args{"relative_path": "src", "recursive": false}, []string{"src/coverage", "src/out", "src/target"}, []string{"src/main.go"}},
		"by its own rules":  {all, args{"relative_path": "pkg", "recursive": true, "skip_ignored_files": true}, []string{}, []string{"pkg/.gitignore", "pkg/only.go"}},
		"ignored and named": {all, args{"relative_path": "out", "recursive": true, "skip_ignored_files": true}, []string{}, []string{"out/gen.go"}},
		"below, named":      {all, args{"relative_path": "***/tmp", "recursive": true, "skip_ignored_files": true}, []string{}, []string{"***/tmp/x.go"}},
		"data folder named": {all, args{"relative_path": ".serena", "recursive": true}, []string{".serena/memories"}, []string{".serena/memories/m.md"}},
		"memories named":    {all, args{"relative_path": ".serena/memories", "recursive": true, "skip_ignored_files": true}, []string{}, []string{".serena/memories/m.md"}},
		"configured":        {configured, args{"relative_path": "src", "recursive": true}, []string{"src/coverage", "src/target"}, []string{"src/coverage/c.go", "src/main.go", "src/target/t.go"}},
		"configured, files": {configured, args{"relative_path": ".", "recursive": false}, []string{"***", "out", "pkg", "src"}, []string{".gitignore"}},
	} {
		h := projectWith(t, ignoreTree(), tc.settings)
		var got fs.DirectoryListing
		h.Into(t, &got, "fs", "list_dir", tc.args)
		if !slices.Equal(got.Dirs, tc.dirs) || !slices.Equal(got.Files, tc.files) || got.Dirs == nil || got.Files == nil || !got.Complete || len(got.Notes) != 0 {
			t.Errorf("%s: got %q, %q, %q", name, got.Dirs, got.Files, got.Notes)
		}
	}
}

func TestSearch_and_edits_meet_ignored_files(t *testing.T) {
	t.Parallel()
	h := projectWith(t, ignoreTree(), sdk.ProjectSettings{})
	goFiles := []string{"***/y.go:0", "pkg/only.go:0", "src/coverage/c.go:0", "src/main.go:0", "src/out/o.go:0", "src/target/t.go:0"}
	if got, _ := search(t, h, "package x", nil); !slices.Equal(places(got), goFiles) { // C22.2
		t.Errorf("got %q", places(got))
	}
	if got, _ := search(t, h, "package x", args{"relative_path": "out"}); !slices.Equal(places(got), []string{"out/gen.go:0"}) { // C22.4
		t.Errorf("a named folder: got %q", places(got))
	}
	if got, _ := search(t, h, "package x", args{"relative_path": "pkg/other.go"}); !slices.Equal(places(got), []string{"pkg/other.go:0"}) {
		t.Errorf("a named file: got %q", places(got))
	}
	if got, _ := search(t, h, "package x", args{"paths_include_glob": "out/*.go"}); len(got.Matches) != 0 {
		t.Errorf("a glob names nothing: got %q", places(got))
	}
	if got, _ := search(t, h, "package x", args{"relative_path": ".serena/memories"}); !slices.Equal(places(got), []string{".serena/memories/m.md:0"}) {
		t.Errorf("memories: got %q", places(got))
	}
	if got, _ := search(t, h, "package x", args{"skip_ignored_files": false}); len(got.Matches) != 9 {
		t.Errorf("ignored too: got %q", places(got))
	}
	h.Into(t, nil, "edit", "replace_content", args{"relative_path": "out/gen.go", "needle": "x", "repl": "y", "mode": "literal"}) // C22.3
	if got := read(t, h, "out/gen.go"); got != "package y\n" {
		t.Errorf("got %q", got)
	}
}

func TestListDir_does_not_follow_links(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"real/f": "needle\n", "file": "needle\n"})
	link(t, h, "real", "also")
	link(t, h, "..", "real/up")
	link(t, h, "file", "linked")
	link(t, h, t.TempDir(), "away")
	link(t, h, "nowhere", "broken")
	var got fs.DirectoryListing
	h.Into(t, &got, "fs", "list_dir", args{"relative_path": ".", "recursive": true})
	if !slices.Equal(got.Dirs, []string{"also", "real", "real/up"}) || !slices.Equal(got.Files, []string{"file", "linked", "real/f"}) {
		t.Errorf("got %q, %q", got.Dirs, got.Files)
	}
	if want := []string{"links that lead out of the project or nowhere, left out: away, broken"}; !slices.Equal(got.Notes, want) {
		t.Errorf("got %q", got.Notes)
	}
	h.Into(t, &got, "fs", "list_dir", args{"relative_path": "also", "recursive": true})
	if !slices.Equal(got.Files, []string{"also/f"}) {
		t.Errorf("a named link: got %q", got.Files)
	}
	if found, _ := search(t, h, "needle", nil); !slices.Equal(places(found), []string{"file:0", "linked:0", "real/f:0"}) {
		t.Errorf("search: got %q", places(found))
	}
}

func TestListDir_is_shown_as_JSON(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a\"b": "", "<é>/x": ""})
	r := h.Into(t, nil, "fs", "list_dir", args{"relative_path": ".", "recursive": true})
	if want := `{"dirs": ["<é>"], "files": ["<é>/x", "a\"b"]}`; r.Text != want {
		t.Errorf("got %s", r.Text)
	}
	r = h.Into(t, nil, "fs", "list_dir", args{"relative_path": ".", "recursive": true, "max_answer_chars": 40})
	if want := "The answer is too long (45 characters, the limit is 40). There are 1 folder and 2 files: list one of its folders, "; !strings.HasPrefix(r.Text, want) {
		t.Errorf("got %s", r.Text)
	}
}

func TestListDir_refuses(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"sub/file": "x\n"})
	refused(t, h, "fs", "list_dir", args{"relative_path": "sub/file", "recursive": false}, sdk.KindNotADirectory, `"sub/file" is a file`, "read_file")
	refused(t, h, "fs", "list_dir", args{"relative_path": "sup", "recursive": false}, sdk.KindFileNotFound, `did you mean "sub"?`)
	refused(t, h, "fs", "list_dir", args{"relative_path": "../", "recursive": false}, sdk.KindPermission)
	refused(t, h, "fs", "list_dir", args{"relative_path": "."}, sdk.KindType, "recursive is missing")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Call(ctx, "fs", "list_dir", args{"relative_path": ".", "recursive": true}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}

func TestWalk_reaches_a_data_folder_elsewhere(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "needle\n"})
	data, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(data, "memories"), 0o755), os.WriteFile(filepath.Join(data, "memories/m.md"), []byte("needle\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	h.Project.DataFolder = data
	var got fs.DirectoryListing
	h.Into(t, &got, "fs", "list_dir", args{"relative_path": data, "recursive": true})
	if want := data + "/memories/m.md"; !slices.Equal(got.Files, []string{want}) || !slices.Equal(got.Dirs, []string{data + "/memories"}) {
		t.Errorf("got %q, %q", got.Dirs, got.Files)
	}
	if found, _ := search(t, h, "needle", args{"relative_path": data + "/memories"}); !slices.Equal(places(found), []string{data + "/memories/m.md:0"}) {
		t.Errorf("got %q", places(found))
	}
	link(t, h, data, "notes") // a link into it is no way out
	h.Into(t, &got, "fs", "list_dir", args{"relative_path": ".", "recursive": true})
	if !slices.Equal(got.Dirs, []string{"notes"}) || len(got.Notes) != 0 {
		t.Errorf("got %q, %q", got.Dirs, got.Notes)
	}
}
