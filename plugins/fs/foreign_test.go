package fs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

// One byte that is not of the encoding hides no other line of a file, in whatever encoding, and stays as it is.
func TestSearch_and_replace_around_bytes_that_are_not_of_the_encoding(t *testing.T) {
	t.Parallel()
	for encoding, content := range map[string]string{
		"utf-8": "caf\xe9 x\nneedle x\n", "shift_jis": "abc\x81\nneedle x\n\x83e x\n", "cp1252": "a\x81\nneedle x\n\x81x\n", "ascii": "caf\xe9\nneedle x\n", "gbk": "a\xff\nneedle x\n", "euc-kr": "a\xff\nneedle x\n",
	} {
		h := project(t, map[string]string{"f": content})
		h.Project.Encoding = encoding
		var got fs.PatternMatches
		h.Into(t, &got, "fs", "search_for_pattern", args{"substring_pattern": "needle"})
		if len(got.Matches) != 1 || got.Matches[0].MatchedLines[0] != (fs.TextLine{LineNumber: 1, LineContent: "needle x"}) || len(got.Notes) != 0 {
			t.Errorf("%s: found %+v, %q", encoding, got.Matches, got.Notes)
		}
		h.Into(t, &got, "fs", "search_for_pattern", args{"substring_pattern": "needle", "context_lines_before": 1})
		if !slices.ContainsFunc(got.Notes, func(n string) bool { return strings.Contains(n, "are shown as \ufffd in lines of: f") }) {
			t.Errorf("%s: notes %q", encoding, got.Notes)
		}
		h.Into(t, nil, "edit", "replace_in_files", args{"needle": "needle", "repl": "pin", "mode": "literal"})
		if got, want := read(t, h, "f"), strings.Replace(content, "needle", "pin", 1); got != want {
			t.Errorf("%s: wrote %q, want %q", encoding, got, want)
		}
		refused(t, h, "edit", "replace_in_files", args{"needle": "pin", "repl": "é", "mode": "literal"}, sdk.KindUnicode, "f: nothing was changed")
	}
}

// UTF-16 with a fault is not taken for a binary file, and is not said to be searched.
func TestReadFile_utf16_with_a_fault(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"f": "\xff\xfea\x00\n\x00\x00\xd8\n\x00b\x00"})
	refused(t, h, "fs", "read_file", args{"relative_path": "f"}, sdk.KindUnicode, "offset 6", "utf-16-le", "(line 1)", "the file can be edited")
	if got := h.Into(t, nil, "fs", "read_file", args{"relative_path": "f", "start_line": 2}).Text; got != "b" {
		t.Errorf("got %q", got)
	}
}
