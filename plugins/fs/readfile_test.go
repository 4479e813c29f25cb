package fs_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

// C24's file: a form feed, a line separator and a CRLF.
const lineKinds = "alpha\n\x0cbeta\ngam\u2028ma\r\ndelta\n"

func TestReadFile_gives_lines_and_text(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"lines.txt": lineKinds, "empty.txt": "", "open.txt": "a\r\nb", "bom.py": "\xef\xbb\xbfn = 1\n",
		"wide.txt": "\xff\xfea\x00\n\x00\x3d\xd8\x00\xde", "out/gen.go": "package x\n", ".gitignore": "/out/\n", ".serena/memories/m.md": "note\n"})
	for name, tc := range map[string]struct {
		args  args
		lines []string
		text  string
	}{
		"whole":              {args{"relative_path": "lines.txt"}, []string{"alpha", "\x0cbeta", "gam\u2028ma", "delta"}, lineKinds},
		"one line":           {args{"relative_path": "lines.txt", "start_line": 3, "end_line": 3}, []string{"delta"}, "delta\n"},
		"its own ending":     {args{"relative_path": "lines.txt", "start_line": 2, "end_line": 2}, []string{"gam\u2028ma"}, "gam\u2028ma\r\n"},
		"from a line":        {args{"relative_path": "lines.txt", "start_line": 2}, []string{"gam\u2028ma", "delta"}, "gam\u2028ma\r\ndelta\n"},
		"end beyond":         {args{"relative_path": "lines.txt", "start_line": 3, "end_line": 99}, []string{"delta"}, "delta\n"},
		"from the end":       {args{"relative_path": "lines.txt", "start_line": -1}, []string{"delta"}, "delta\n"},
		"more than there is": {args{"relative_path": "lines.txt", "start_line": -99, "end_line": 0}, []string{"alpha"}, "alpha\n"},
		"to before the last": {args{"relative_path": "lines.txt", "start_line": 2, "end_line": -2}, []string{"gam\u2028ma"}, "gam\u2028ma\r\n"},
		"explicit None":      {args{"relative_path": "lines.txt", "start_line": 3, "end_line": nil}, []string{"delta"}, "delta\n"},
		"empty":              {args{"relative_path": "empty.txt"}, []string{}, ""},
		"empty, to a line":   {args{"relative_path": "empty.txt", "start_line": 0, "end_line": 9}, []string{}, ""},
		"no final ending":    {args{"relative_path": "open.txt"}, []string{"a", "b"}, "a\r\nb"},
		"byte order mark":    {args{"relative_path": "bom.py"}, []string{"n = 1"}, "n = 1\n"},
		"utf-16":             {args{"relative_path": "wide.txt"}, []string{"a", "\U0001F600"}, "a\n\U0001F600"},
		"ignored, but named": {args{"relative_path": "out/gen.go"}, []string{"package x"}, "package x\n"},
		"a memory":           {args{"relative_path": ".serena/memories/m.md"}, []string{"note"}, "note\n"},
		"absolute, inside":   {args{"relative_path": filepath.Join(h.Project.Root, "open.txt")}, []string{"a", "b"}, "a\r\nb"},
	} {
		var got fs.FileContent
		r := h.Into(t, &got, "fs", "read_file", tc.args)
		if !slices.Equal(got.Lines, tc.lines) || got.Lines == nil || got.Text != tc.text || r.Text != tc.text || !got.Complete || len(got.Notes) != 0 {
			t.Errorf("%s: got %+v, shown as %q", name, got, r.Text)
		}
	}
}

func TestReadFile_refuses(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"src/main.go": "package main\n", "empty": "", "four": lineKinds, "latin.js": "x\n// caf\xe9\ny\n", "image.png": "\x89PNG\r\n\x1a\n\x00\x00", "wide": "\xff\xfea"})
	outside := t.TempDir()
	link(t, h, outside, "away")
	link(t, h, "loop", "loop")
	for _, tc := range []struct {
		args  args
		kind  string
		parts []string
	}{
		{args{"relative_path": "src"}, sdk.KindIsADirectory, []string{`"src" is a folder`, "list_dir"}},
		{args{"relative_path": ""}, sdk.KindIsADirectory, []string{`"." is a folder`}},
		{args{"relative_path": "src/mian.go"}, sdk.KindFileNotFound, []string{`"src/mian.go" does not exist`, `did you mean "src/main.go"?`}},
		{args{"relative_path": "scr/deep/main.go"}, sdk.KindFileNotFound, []string{`no folder "scr"`, `did you mean "src"?`}},
		{args{"relative_path": "src/qqqqqqq"}, sdk.KindFileNotFound, []string{`list "src"`}},
		{args{"relative_path": "src/main.go/x"}, sdk.KindNotADirectory, []string{"as if it were a folder"}},
		{args{"relative_path": "../x"}, sdk.KindPermission, []string{"outside the project"}},
		{args{"relative_path": "/etc/passwd"}, sdk.KindPermission, []string{"outside the project"}},
		{args{"relative_path": "away/x"}, sdk.KindPermission, []string{"outside the project"}},
		{args{"relative_path": "a\x00b"}, sdk.KindValue, []string{"NUL"}},
		{args{"relative_path": "loop"}, sdk.KindValue, []string{"loop"}},
		{args{"relative_path": "four", "start_line": 4}, sdk.KindValue, []string{"four: line 4 does not exist: the text has 4 lines, numbered 0 to 3"}},
		{args{"relative_path": "empty", "start_line": 1}, sdk.KindValue, []string{"the text is empty"}},
		{args{"relative_path": "four", "start_line": 2, "end_line": 1}, sdk.KindValue, []string{"end_line 1 lies before start_line 2"}},
		{args{"relative_path": "four", "max_answer_chars": 0}, sdk.KindValue, []string{"max_answer_chars must be positive"}},
		{args{"relative_path": "latin.js"}, sdk.KindUnicode, []string{"utf-8", "0xe9 at offset 8", "line 1", "encoding"}},
		{args{"relative_path": "image.png"}, sdk.KindUnicode, []string{"binary", "0x89 at offset 0"}},
		{args{"relative_path": "wide"}, sdk.KindUnicode, []string{"utf-16", "offset 2"}},
	} {
		refused(t, h, "fs", "read_file", tc.args, tc.kind, tc.parts...)
	}
	var got fs.FileContent
	if h.Into(t, &got, "fs", "read_file", args{"relative_path": "latin.js", "start_line": 2}); got.Text != "y\n" {
		t.Errorf("the lines that can be read: got %+v", got)
	}
	h.Project.Encoding = "klingon"
	refused(t, h, "fs", "read_file", args{"relative_path": "four"}, sdk.KindLookup, `encoding "klingon" is not known`)
	h.Project.Encoding = "latin-1"
	if h.Into(t, &got, "fs", "read_file", args{"relative_path": "latin.js"}); got.Text != "x\n// café\ny\n" {
		t.Errorf("latin-1: got %+v", got)
	}
}

func TestReadFile_reads_a_data_folder_elsewhere(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "a\n"})
	data, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(data, "m.md"), []byte("memory\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, h, "fs", "read_file", args{"relative_path": filepath.Join(data, "m.md")}, sdk.KindPermission)
	h.Project.DataFolder = data
	var got fs.FileContent
	if h.Into(t, &got, "fs", "read_file", args{"relative_path": filepath.Join(data, "m.md")}); got.Text != "memory\n" {
		t.Errorf("got %+v", got)
	}
}

func TestReadFile_too_long_is_a_notice(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"long": strings.Repeat("é\n", 500)}) // 1000 characters, 1500 bytes
	for limit, whole := range map[int]bool{1000: true, 999: false} {
		var got fs.FileContent
		r := h.Into(t, &got, "fs", "read_file", args{"relative_path": "long", "max_answer_chars": limit})
		if len(got.Lines) != 500 || (r.Text == got.Text) != whole {
			t.Errorf("limit %d: %d lines, shown as %.200q", limit, len(got.Lines), r.Text)
		}
		if !whole && !strings.HasPrefix(r.Text, "The answer is too long (1000 characters, the limit is 999). It has 500 lines: read a part") {
			t.Errorf("notice: %q", r.Text)
		}
	}
}

func TestReadFile_keeps_what_fits(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("<", 1<<16-1) + "\n" // each "<" takes six bytes of JSON, and every line comes twice
	h := project(t, map[string]string{"big": strings.Repeat(line, 62)})
	var got fs.FileContent
	r := h.Into(t, &got, "fs", "read_file", args{"relative_path": "big", "start_line": 2})
	// 40 MiB / (2 * 393219 bytes) = 53.3 lines
	if len(got.Lines) != 53 || len(got.Text) != 53<<16 || got.Complete || !slices.Equal(got.Notes, []string{"only the first 53 of 60 lines fit here; go on with start_line=55"}) {
		t.Errorf("%d lines, %d bytes, %v %q", len(got.Lines), len(got.Text), got.Complete, got.Notes)
	}
	if len(r.Value) > 40<<20 || len(r.Text) > 1000 {
		t.Errorf("%d bytes of value, %d of text", len(r.Value), len(r.Text))
	}
	h.Into(t, &got, "fs", "read_file", args{"relative_path": "big", "start_line": 55})
	if len(got.Lines) != 7 || !got.Complete {
		t.Errorf("the rest: %d lines, %v", len(got.Lines), got.Complete)
	}
}
