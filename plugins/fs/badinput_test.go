package fs_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

// fileMethods are the methods that take a file, with what else they need; edits would change a file that holds "x\n".
var fileMethods = []struct {
	facade, method string
	more           args
	creates        bool
}{
	{"fs", "read_file", nil, false},
	{"fs", "create_text_file", args{"content": "y"}, true},
	{"edit", "replace_content", args{"needle": "x", "repl": "y", "mode": "literal"}, false},
	{"edit", "delete_lines", args{"start_line": 0, "end_line": 0}, false},
	{"edit", "replace_lines", args{"start_line": 0, "end_line": 0, "content": "y"}, false},
	{"edit", "insert_at_line", args{"line": 0, "content": "y"}, false},
}

// folderMethods are those that take a folder; the last two take a file, too.
var folderMethods = []struct {
	facade, method string
	more           args
}{
	{"fs", "list_dir", args{"recursive": true}},
	{"fs", "find_file", args{"file_mask": "*"}},
	{"fs", "search_for_pattern", args{"substring_pattern": "x"}},
	{"edit", "replace_in_files", args{"needle": "x", "repl": "y", "mode": "literal"}},
}

func with(more args, path string) args {
	a := args{"relative_path": path}
	maps.Copy(a, more)
	return a
}

// tree is every file below a folder with its content, and every other entry with its type.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all[path] = d.Type().String()
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			all[path] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func badInputProject(t *testing.T) (h *sdktest.Harness, outside string) {
	t.Helper()
	h = project(t, map[string]string{"src/main.go": "x\n", "dir/": ""})
	outside = t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(t, h, outside, "away")
	link(t, h, filepath.Join(outside, "secret"), "leak")
	link(t, h, "nowhere", "dangling")
	link(t, h, "turn", "round")
	link(t, h, "round", "turn")
	return h, outside
}

func TestBadPaths_are_refused_everywhere(t *testing.T) {
	t.Parallel()
	h, outside := badInputProject(t)
	before := []map[string]string{tree(t, h.Project.Root), tree(t, outside)}
	type refusal struct {
		path, kind string
		parts      []string
	}
	everywhere := []refusal{
		{"../x", sdk.KindPermission, []string{`"../x"`, "outside the project"}},
		{"src/../../x", sdk.KindPermission, []string{"outside the project"}},
		{filepath.Join(outside, "secret"), sdk.KindPermission, []string{"outside the project"}},
		{"away/secret", sdk.KindPermission, []string{`"away/secret"`, "outside the project"}},
		{"away", sdk.KindPermission, []string{"outside the project"}},
		{"leak", sdk.KindPermission, []string{`"leak"`, "outside the project"}},
		{"round", sdk.KindValue, []string{"loop"}},
		{"round/x", sdk.KindValue, []string{"loop"}},
		{"a\x00b", sdk.KindValue, []string{"NUL byte"}},
		{"src/main.go/x", sdk.KindNotADirectory, []string{"src/main.go/x", "as if it were a folder"}},
	}
	missing := []refusal{
		{"gone", sdk.KindFileNotFound, []string{`"gone" does not exist`, `list "."`}},
		{"scr/main.go", sdk.KindFileNotFound, []string{`no folder "scr"`, `did you mean "src"?`}},
		{"src/mian.go", sdk.KindFileNotFound, []string{`"src/mian.go" does not exist`, `did you mean "src/main.go"?`}},
		{"dangling", sdk.KindFileNotFound, []string{`"dangling" is a link to "nowhere", where nothing is`}},
	}
	for _, m := range fileMethods {
		cases := append(everywhere[:len(everywhere):len(everywhere)], refusal{"dir", sdk.KindIsADirectory, []string{`"dir" is a folder`}}, refusal{"", sdk.KindIsADirectory, []string{`"." is a folder`}})
		if !m.creates {
			cases = append(cases, missing...)
		}
		for _, c := range cases {
			refused(t, h, m.facade, m.method, with(m.more, c.path), c.kind, c.parts...)
		}
	}
	for _, m := range folderMethods {
		for _, c := range append(everywhere[:len(everywhere):len(everywhere)], missing...) {
			refused(t, h, m.facade, m.method, with(m.more, c.path), c.kind, c.parts...)
		}
	}
	for i, root := range []string{h.Project.Root, outside} {
		if now := tree(t, root); !maps.Equal(now, before[i]) {
			t.Errorf("%q became %q", before[i], now)
		}
	}
	if h.Host.Last() != 0 {
		t.Errorf("%d changes were written", h.Host.Last())
	}
}

// A link to a place in the project where nothing is yet is followed, as by any editor.
func TestCreateTextFile_through_a_dangling_link_inside(t *testing.T) {
	t.Parallel()
	h, _ := badInputProject(t)
	h.Into(t, nil, "fs", "create_text_file", args{"relative_path": "dangling", "content": "y\n"})
	if got := read(t, h, "dangling"); got != "y\n" {
		t.Errorf("got %q", got)
	}
}

func TestBadArguments_are_refused(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"f": "x (a)\n", "image": "\x89PNG\x00\xff", "utf32": "\xff\xfe\x00\x00x\x00\x00\x00"})
	replace := func(more args) args {
		a := args{"relative_path": "f", "needle": "x", "repl": "y", "mode": "regex"}
		maps.Copy(a, more)
		return a
	}
	for _, tc := range []struct {
		facade, method string
		args           args
		kind           string
		parts          []string
	}{
		{"edit", "replace_content", replace(args{"needle": ""}), sdk.KindValue, []string{"it is empty, and would match everywhere"}},
		{"edit", "replace_content", replace(args{"needle": "ab(c"}), sdk.KindValue, []string{"missing )", "position 2"}},
		{"edit", "replace_content", replace(args{"needle": "a**"}), sdk.KindValue, []string{"multiple repeat", "position 2"}},
		{"edit", "replace_content", replace(args{"needle": "[z-a]"}), sdk.KindValue, []string{"bad character range", "position 1"}},
		{"edit", "replace_content", replace(args{"mode": "glob"}), sdk.KindValue, []string{`Literal["literal", "regex"]`}},
		{"edit", "replace_content", replace(args{"mode": "Regex"}), sdk.KindValue, []string{`Literal["literal", "regex"]`}},
		{"edit", "replace_content", replace(args{"repl": "$!2", "needle": "(x)"}), sdk.KindValue, []string{"$!2", "group"}},
		{"edit", "replace_content", replace(args{"needle": 3}), sdk.KindType, []string{"needle"}},
		{"edit", "replace_content", replace(args{"relative_path": "utf32"}), sdk.KindUnicode, []string{"utf-32"}},
		{"edit", "replace_in_files", replace(args{"needle": ""}), sdk.KindValue, []string{"empty"}},
		{"edit", "replace_in_files", replace(args{"needle": "(?P<n"}), sdk.KindValue, []string{"position"}},
		{"edit", "replace_in_files", replace(args{"mode": ""}), sdk.KindValue, []string{`Literal["literal", "regex"]`}},
		{"edit", "replace_in_files", replace(args{"occurrence_ids": "f:0:0@12345678"}), sdk.KindType, []string{"occurrence_ids"}},
		{"fs", "search_for_pattern", args{"substring_pattern": ""}, sdk.KindValue, []string{"substring_pattern is empty"}},
		{"fs", "search_for_pattern", args{"substring_pattern": "x["}, sdk.KindValue, []string{"unterminated character set", "position 1"}},
		{"fs", "search_for_pattern", args{"substring_pattern": "x", "context_lines_before": -1}, sdk.KindValue, []string{"context_lines_before", "cannot be negative"}},
		{"fs", "search_for_pattern", args{"substring_pattern": "x", "paths_include_glob": "[a"}, sdk.KindValue, []string{"paths_include_glob", "position 0"}},
		{"fs", "read_file", args{"relative_path": strings.Repeat("x", 300)}, sdk.KindValue, []string{"too long for a path", `"` + strings.Repeat("x", 60) + `…"`}},
		{"fs", "read_file", args{"relative_path": `.\f`}, sdk.KindFileNotFound, []string{`did you mean "f"? (a path's parts are separated by /`}},
		{"fs", "find_file", args{"relative_path": ".", "file_mask": strings.Repeat("[", 5000)}, sdk.KindValue, []string{strings.Repeat("[", 300) + `…": at position 0`}},
		{"fs", "read_file", args{"relative_path": "f", "start_line": 1}, sdk.KindValue, []string{"line 1 does not exist: the text has one line, number 0"}},
		{"fs", "read_file", args{"relative_path": "f", "start_line": 0, "end_line": -2}, sdk.KindValue, []string{"end_line -2 lies before start_line 0"}},
		{"fs", "read_file", args{"relative_path": "image"}, sdk.KindUnicode, []string{"binary", "0x89 at offset 0"}},
		{"fs", "read_file", args{"relative_path": "f", "max_answer_chars": -2}, sdk.KindValue, []string{"max_answer_chars must be positive, or -1"}},
		{"fs", "read_file", args{"relative_path": "f", "start_lin": 1}, sdk.KindType, []string{`no parameter "start_lin"`, `did you mean "start_line"?`}},
		{"edit", "insert_at_line", args{"relative_path": "f", "line": "1", "content": "y"}, sdk.KindType, []string{"line"}},
		{"edit", "delete_lines", args{"relative_path": "f", "start_line": 0}, sdk.KindType, []string{"end_line is missing"}},
	} {
		refused(t, h, tc.facade, tc.method, tc.args, tc.kind, tc.parts...)
	}
	if got := read(t, h, "f"); got != "x (a)\n" || h.Host.Last() != 0 {
		t.Errorf("now %q", got)
	}
}

func TestStaleReads_are_refused(t *testing.T) {
	t.Parallel()
	for _, m := range fileMethods[1:] {
		h := project(t, map[string]string{"f": "x\n"})
		late := &lateWriter{Host: h.Host, path: filepath.Join(h.Project.Root, "f")}
		_, err := callThrough(t, h, late, m.facade, m.method, with(m.more, "f"))
		if !sdk.IsKind(err, sdk.KindStale) || !strings.Contains(err.Error(), "f changed since it was read") {
			t.Errorf("%s: got %v", m.method, err)
		}
		if got := read(t, h, "f"); got != "somebody else's\n" {
			t.Errorf("%s: the file is %q", m.method, got)
		}
	}
}

// One file that changed between the search and the write keeps all the others as they are.
func TestReplaceInFiles_with_a_stale_file_changes_none(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "x\n", "b": "x\n", "c": "x\n"})
	late := &lateWriter{Host: h.Host, path: filepath.Join(h.Project.Root, "b")}
	_, err := callThrough(t, h, late, "edit", "replace_in_files", args{"needle": "x", "repl": "y", "mode": "literal"})
	if !sdk.IsKind(err, sdk.KindStale) || !strings.Contains(err.Error(), "b changed since it was read") {
		t.Errorf("got %v", err)
	}
	holds(t, h, map[string]string{"a": "x\n", "b": "somebody else's\n", "c": "x\n"})
}
