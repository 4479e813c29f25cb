package fs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func TestCreateTextFile_writes(t *testing.T) {
	t.Parallel()
	const same = "OK (nothing changed: the file has this content already)"
	lf, crlf := sdk.ProjectSettings{LineEnding: "lf"}, sdk.ProjectSettings{LineEnding: "crlf"}
	for name, tc := range map[string]struct {
		settings sdk.ProjectSettings
		encoding string
		before   string // "" for no file
		content  string
		after    string
		answer   string
	}{
		"new":                        {lf, "utf-8", "", "a\nb", "a\nb", "OK (created new/deep/f)"},
		"new and empty":              {lf, "utf-8", "", "", "", "OK (created new/deep/f)"},
		"new, crlf":                  {crlf, "utf-8", "", "a\nb\n", "a\r\nb\r\n", "OK (created new/deep/f)"},
		"new, endings as written":    {lf, "utf-8", "", "a\r\nb\n", "a\r\nb\n", "OK (created new/deep/f)"},
		"new, nothing is an escape":  {lf, "utf-8", "", `a\n$!1 %s`, `a\n$!1 %s`, "OK (created new/deep/f)"},
		"new, latin-1":               {lf, "latin-1", "", "café\n", "caf\xe9\n", "OK (created new/deep/f)"},
		"new, utf-16 with its mark":  {lf, "utf-16", "", "é\n", "\xff\xfe\xe9\x00\n\x00", "OK (created new/deep/f)"},
		"new, utf-16-be without":     {lf, "utf-16-be", "", "é\n", "\x00\xe9\x00\n", "OK (created new/deep/f)"},
		"new, utf-8-sig":             {lf, "utf-8-sig", "", "é\n", "\xef\xbb\xbf\xc3\xa9\n", "OK (created new/deep/f)"},
		"over":                       {lf, "utf-8", "old\n", "a\nb", "a\nb", "OK (overwrote new/deep/f)"},
		"over, keeps crlf":           {lf, "utf-8", "old\r\nx\r\n", "a\nb\n", "a\r\nb\r\n", "OK (overwrote new/deep/f)"},
		"over, keeps lf":             {crlf, "utf-8", "old\nx\n", "a\nb\n", "a\nb\n", "OK (overwrote new/deep/f)"},
		"over, mixed":                {crlf, "utf-8", "old\nx\r\n", "a\nb\n", "a\r\nb\r\n", "OK (overwrote new/deep/f)"},
		"over, keeps its mark":       {lf, "utf-8", "\xef\xbb\xbfold\n", "é\n", "\xef\xbb\xbf\xc3\xa9\n", "OK (overwrote new/deep/f)"},
		"over, one mark":             {lf, "utf-8", "\xef\xbb\xbfold\n", "\ufeffé\n", "\xef\xbb\xbf\xc3\xa9\n", "OK (overwrote new/deep/f)"},
		"over, keeps utf-16":         {lf, "utf-8", "\xfe\xff\x00o\x00\r\x00\n", "é\n", "\xfe\xff\x00\xe9\x00\r\x00\n", "OK (overwrote new/deep/f)"},
		"over what is no text":       {lf, "utf-8", "\x89PNG\xff\x00", "é\n", "é\n", "OK (overwrote new/deep/f)"},
		"over what is not of utf-16": {lf, "utf-16", "\xff\xfea", "é\n", "\xff\xfe\xe9\x00\n\x00", "OK (overwrote new/deep/f)"},
		"the same":                   {lf, "utf-8", "a\n", "a\n", "a\n", same},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			if tc.before != "" {
				files["new/deep/f"] = tc.before
			}
			h := projectWith(t, files, tc.settings)
			h.Project.Encoding = tc.encoding
			r := h.Into(t, nil, "fs", "create_text_file", args{"relative_path": "new/deep/f", "content": tc.content})
			if got := read(t, h, "new/deep/f"); got != tc.after || r.Text != tc.answer {
				t.Errorf("got %q, %q; want %q", got, r.Text, tc.after)
			}
			if (tc.answer == same) != (h.Host.Last() == 0) {
				t.Errorf("%d changes", h.Host.Last())
			}
		})
	}
}

func TestCreateTextFile_refuses(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"dir/f": "x\n"})
	link(t, h, t.TempDir(), "away")
	link(t, h, filepath.Join(t.TempDir(), "gone"), "lost")
	for _, tc := range []struct {
		path, content, kind string
		parts               []string
	}{
		{"dir", "x", sdk.KindIsADirectory, []string{`"dir" is a folder: name a file in it`}},
		{"", "x", sdk.KindIsADirectory, []string{`"." is a folder`}},
		{"other/", "x", sdk.KindIsADirectory, []string{`"other/" names a folder`}},
		{"dir/f/g", "x", sdk.KindNotADirectory, []string{"as if it were a folder"}},
		{"../f", "x", sdk.KindPermission, []string{"outside the project"}},
		{"away/f", "x", sdk.KindPermission, []string{"outside the project"}},
		{"lost", "x", sdk.KindPermission, []string{"outside the project"}},
		{"a\x00b", "x", sdk.KindValue, []string{"NUL"}},
		{"new/latin", "ok\n  €", sdk.KindUnicode, []string{"new/latin: nothing was changed", "latin-1", "U+20AC", "line 1, column 2"}},
	} {
		h.Project.Encoding = "latin-1"
		refused(t, h, "fs", "create_text_file", args{"relative_path": tc.path, "content": tc.content}, tc.kind, tc.parts...)
	}
	if _, err := os.Stat(filepath.Join(h.Project.Root, "new")); err == nil || h.Host.Last() != 0 {
		t.Errorf("a folder was made, or one of %d changes", h.Host.Last())
	}
}
