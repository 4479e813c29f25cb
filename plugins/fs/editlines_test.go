package fs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestLineEdits_write(t *testing.T) {
	t.Parallel()
	const wide = "\xff\xfea\x00\r\x00\n\x00b\x00"
	for name, tc := range map[string]struct {
		before, method string
		args           args
		after          string
		encoding       string
	}{
		"delete one":                  {"a\nb\nc\n", "delete_lines", args{"start_line": 1, "end_line": 1}, "a\nc\n", ""},
		"delete all":                  {"a\nb\nc\n", "delete_lines", args{"start_line": 0, "end_line": 2}, "", ""},
		"delete an open end":          {"a\nb", "delete_lines", args{"start_line": 1, "end_line": 1}, "a\n", ""},
		"delete in mixed endings":     {"a\r\nb\rc\nd", "delete_lines", args{"start_line": 1, "end_line": 2}, "a\r\nd", ""},
		"delete behind a mark":        {"\xef\xbb\xbfa\nb\n", "delete_lines", args{"start_line": 0, "end_line": 0}, "\xef\xbb\xbfb\n", ""},
		"delete what cannot be read":  {"a\n\xe9\nb\xff\n", "delete_lines", args{"start_line": 1, "end_line": 1}, "a\nb\xff\n", ""},
		"delete in utf-16":            {wide, "delete_lines", args{"start_line": 0, "end_line": 0}, "\xff\xfeb\x00", ""},
		"C24.5":                       {lineKinds, "replace_lines", args{"start_line": 3, "end_line": 3, "content": "DELTA"}, strings.Replace(lineKinds, "delta", "DELTA", 1), ""},
		"replace, a form feed stays":  {lineKinds, "replace_lines", args{"start_line": 2, "end_line": 2, "content": "x"}, "alpha\n\x0cbeta\nx\r\ndelta\n", ""},
		"replace by more":             {"a\r\nb\r\n", "replace_lines", args{"start_line": 0, "end_line": 0, "content": "x\ny\n"}, "x\r\ny\r\nb\r\n", ""},
		"replace by fewer":            {"a\nb\nc\n", "replace_lines", args{"start_line": 0, "end_line": 1, "content": "x\n"}, "x\nc\n", ""},
		"replace by an empty line":    {"a\nb\n", "replace_lines", args{"start_line": 0, "end_line": 0, "content": ""}, "\nb\n", ""},
		"replace an open end":         {"a\nb", "replace_lines", args{"start_line": 1, "end_line": 1, "content": "x"}, "a\nx", ""},
		"replace and end":             {"a\nb", "replace_lines", args{"start_line": 1, "end_line": 1, "content": "x\n"}, "a\nx\n", ""},
		"replace mixed endings":       {"a\r\nb\nc\r", "replace_lines", args{"start_line": 1, "end_line": 2, "content": "x\ny"}, "a\r\nx\ny\r", ""},
		"replace, endings as written": {"a\nb\n", "replace_lines", args{"start_line": 0, "end_line": 0, "content": "x\r\n"}, "x\r\nb\n", ""},
		"replace in latin-1":          {"a\xe9\nb\n", "replace_lines", args{"start_line": 1, "end_line": 1, "content": "ü"}, "a\xe9\n\xfc\n", "latin-1"},
		"replace, backslashes":        {"a\n", "replace_lines", args{"start_line": 0, "end_line": 0, "content": `x\n$!1\\`}, "x\\n$!1\\\\\n", ""},
		"insert first":                {"a\nb\n", "insert_at_line", args{"line": 0, "content": "x"}, "x\na\nb\n", ""},
		"insert between":              {"a\r\nb\r\n", "insert_at_line", args{"line": 1, "content": "x\ny\n"}, "a\r\nx\r\ny\r\nb\r\n", ""},
		"insert last":                 {"a\nb\n", "insert_at_line", args{"line": 2, "content": "x"}, "a\nb\nx\n", ""},
		"insert behind an open end":   {"a\r\nb", "insert_at_line", args{"line": 2, "content": "x"}, "a\r\nb\r\nx\r\n", ""},
		"insert into nothing":         {"", "insert_at_line", args{"line": 0, "content": "x"}, "x\n", ""},
		"insert behind a mark":        {"\xef\xbb\xbf", "insert_at_line", args{"line": 0, "content": "x"}, "\xef\xbb\xbfx\n", ""},
		"insert a repeated line":      {"a\na\n", "insert_at_line", args{"line": 1, "content": "a"}, "a\na\na\n", ""},
		"insert an empty line":        {"a\nb\n", "insert_at_line", args{"line": 1, "content": ""}, "a\n\nb\n", ""},
		"insert in utf-16":            {wide, "insert_at_line", args{"line": 1, "content": "é"}, "\xff\xfea\x00\r\x00\n\x00\xe9\x00\r\x00\n\x00b\x00", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := project(t, map[string]string{"sub/file": tc.before})
			if tc.encoding != "" {
				h.Project.Encoding = tc.encoding
			}
			tc.args["relative_path"] = "sub/file"
			r := h.Into(t, nil, "edit", tc.method, tc.args)
			if got := read(t, h, "sub/file"); got != tc.after || r.Text != "OK" {
				t.Errorf("got %q, %q; want %q", got, r.Text, tc.after)
			}
		})
	}
}

func TestLineEdits_refuse_and_leave_the_file(t *testing.T) {
	t.Parallel()
	const three = "a\nb\nc\n"
	h := project(t, map[string]string{"three": three, "empty": "", "latin": "\xe9\n"})
	for _, tc := range []struct {
		method string
		args   args
		kind   string
		parts  []string
	}{
		{"delete_lines", args{"start_line": 3, "end_line": 3}, sdk.KindValue, []string{"three: nothing was changed: line 3 does not exist: the text has 3 lines, numbered 0 to 2"}},
		{"delete_lines", args{"start_line": 1, "end_line": 3}, sdk.KindValue, []string{"line 3 does not exist", "read the file again"}},
		{"delete_lines", args{"start_line": -1, "end_line": 1}, sdk.KindValue, []string{"start_line cannot be negative here, but is -1"}},
		{"delete_lines", args{"start_line": 0, "end_line": -1}, sdk.KindValue, []string{"end_line cannot be negative here, but is -1"}},
		{"delete_lines", args{"start_line": 2, "end_line": 1}, sdk.KindValue, []string{"end_line 1 lies before start_line 2"}},
		{"delete_lines", args{"relative_path": "empty", "start_line": 0, "end_line": 0}, sdk.KindValue, []string{"the text is empty"}},
		{"replace_lines", args{"start_line": 9, "end_line": 12, "content": "x"}, sdk.KindValue, []string{"line 9 does not exist"}},
		{"replace_lines", args{"start_line": -3, "end_line": -1, "content": "x"}, sdk.KindValue, []string{"start_line cannot be negative"}},
		{"replace_lines", args{"relative_path": "latin", "start_line": 0, "end_line": 0, "content": "é"}, sdk.KindUnicode, []string{"latin: nothing was changed", "mix two encodings"}},
		{"insert_at_line", args{"line": 4, "content": "x"}, sdk.KindValue, []string{"line 4 is beyond the end: the file has 3 lines, and 3 appends"}},
		{"insert_at_line", args{"line": -1, "content": "x"}, sdk.KindValue, []string{"line cannot be negative here, but is -1"}},
	} {
		if tc.args["relative_path"] == nil {
			tc.args["relative_path"] = "three"
		}
		refused(t, h, "edit", tc.method, tc.args, tc.kind, tc.parts...)
	}
	h.Project.Encoding = "ascii"
	refused(t, h, "edit", "insert_at_line", args{"relative_path": "three", "line": 1, "content": "ok\nnö"}, sdk.KindUnicode, "ascii", "U+00F6", "line 1, column 1 of the new text")
	if got := read(t, h, "three"); got != three || h.Host.Last() != 0 {
		t.Errorf("now %q after %d changes", got, h.Host.Last())
	}
}

// The model is a list of lines with their endings, as bytes: whatever is outside the range is the same before and after.
func TestLineEdits_keep_all_other_bytes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	h := project(t, map[string]string{"f": ""})
	endings := []string{"\n", "\r\n", "\r"}
	for range 400 {
		var all []string
		for range 1 + rng.IntN(6) { // no line is empty, so that no CR meets a line feed
			all = append(all, []string{"a", "é\xff", "\u2028\x0c", "😀"}[rng.IntN(4)]+endings[rng.IntN(3)])
		}
		if rng.IntN(2) == 0 {
			all[len(all)-1] = "open"
		}
		write(t, h, "f", strings.Join(all, ""))
		first := rng.IntN(len(all))
		last := first + rng.IntN(len(all)-first)
		head, tail := strings.Join(all[:first], ""), strings.Join(all[last+1:], "")
		switch rng.IntN(3) {
		case 0:
			h.Into(t, nil, "edit", "delete_lines", args{"relative_path": "f", "start_line": first, "end_line": last})
			if got := read(t, h, "f"); got != head+tail {
				t.Fatalf("%q without %d to %d: got %q", all, first, last, got)
			}
		case 1:
			h.Into(t, nil, "edit", "replace_lines", args{"relative_path": "f", "start_line": first, "end_line": last, "content": "<@>"})
			ending := all[last][len(strings.TrimRight(all[last], "\r\n")):]
			if got := read(t, h, "f"); got != head+"<@>"+ending+tail {
				t.Fatalf("%q with %d to %d replaced: got %q", all, first, last, got)
			}
		case 2:
			h.Into(t, nil, "edit", "insert_at_line", args{"relative_path": "f", "line": first, "content": "<@>"})
			got := read(t, h, "f")
			inserted, ok := strings.CutPrefix(got, head+"<@>")
			ending, ok2 := strings.CutSuffix(inserted, strings.Join(all[first:], ""))
			if !ok || !ok2 || !strings.Contains("\n\r\n\r", ending) || ending == "" {
				t.Fatalf("%q with a line before %d: got %q", all, first, got)
			}
		}
	}
}
