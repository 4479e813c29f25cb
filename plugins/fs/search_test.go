package fs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

// search runs a search that must succeed.
func search(t *testing.T, h *sdktest.Harness, pattern string, more args) (fs.PatternMatches, string) {
	t.Helper()
	a := args{"substring_pattern": pattern}
	for k, v := range more {
		a[k] = v
	}
	var got fs.PatternMatches
	r := h.Into(t, &got, "fs", "search_for_pattern", a)
	return got, r.Text
}

// places lists matches as "path:first-last", or "path:line".
func places(p fs.PatternMatches) []string {
	all := []string{}
	for _, m := range p.Matches {
		first, last := m.MatchedLines[0].LineNumber, m.MatchedLines[len(m.MatchedLines)-1].LineNumber
		if at := fmt.Sprintf("%s:%d", m.SourceFilePath, first); first == last {
			all = append(all, at)
		} else {
			all = append(all, fmt.Sprintf("%s-%d", at, last))
		}
	}
	return all
}

func TestSearch_claims_the_lines_of_a_match(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"l": lineKinds, "b.py": "\xef\xbb\xbfn = 1\n", "c/wide": "\xff\xfen\x00e\x00w\x00\n\x00x\x00", "d": "one two\r\none\rtwo\n", "empty": ""})
	for _, tc := range []struct {
		pattern string
		more    args
		want    []string
	}{
		{"delta", nil, []string{"l:3"}}, // C24
		{"alpha\n", nil, []string{"l:0"}},
		{`alpha\n`, nil, []string{"l:0"}},
		{"^beta", nil, []string{}},
		{"beta$", nil, []string{"l:1"}},
		{"ma$", nil, []string{"l:2"}},
		{"^n", nil, []string{"b.py:0", "c/wide:0"}}, // C05.3, C05.4
		{"^x", args{"multiline": false}, []string{"c/wide:1"}},
		{"beta.*?ma", nil, []string{"l:1-2"}},
		{"beta.*ma", args{"multiline": false}, []string{}},
		{`beta\ngam`, nil, []string{"l:1-2"}},
		{"one|two", nil, []string{"d:0", "d:1", "d:2"}},                  // two on line 0 are one entry
		{`two\n|one\n`, nil, []string{"d:0", "d:1", "d:2"}},              // matches that touch, but share no line
		{`two\none|\ntwo`, nil, []string{"d:0-2"}},                       // the second starts on the first's last line
		{"^", args{"relative_path": "d"}, []string{"d:0", "d:1", "d:2"}}, // not behind the last line break
		{"$", args{"relative_path": "empty"}, []string{}},
		{"(?i)ALPHA", nil, []string{"l:0"}},
		{`\Aalpha`, nil, []string{"l:0"}},
		{`\Adelta`, args{"multiline": false}, []string{"l:3"}},
	} {
		got, _ := search(t, h, tc.pattern, tc.more)
		if !slices.Equal(places(got), tc.want) || !got.Complete {
			t.Errorf("%q %v: got %q, want %q", tc.pattern, tc.more, places(got), tc.want)
		}
	}
	got, _ := search(t, h, "ma$", nil)
	if line := got.Matches[0].MatchedLines[0]; line != (fs.TextLine{LineNumber: 2, LineContent: "gam\u2028ma"}) {
		t.Errorf("content: %+v", line)
	}
}

func TestSearch_gives_context_and_shows_it(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a\"b.txt": "zero\none \"q\"\ttab\ntwo\nthree\nfour\n", "z": "four\n"})
	got, text := search(t, h, "one.*?two", args{"context_lines_before": 2, "context_lines_after": 1})
	want := []fs.MatchedConsecutiveLines{{
		SourceFilePath: "a\"b.txt",
		MatchedLines:   []fs.TextLine{{LineNumber: 1, LineContent: "one \"q\"\ttab"}, {LineNumber: 2, LineContent: "two"}},
		Before:         []fs.TextLine{{LineNumber: 0, LineContent: "zero"}},
		After:          []fs.TextLine{{LineNumber: 3, LineContent: "three"}},
	}}
	if !reflect.DeepEqual(got.Matches, want) {
		t.Errorf("got %+v", got.Matches)
	}
	if want := `{"a\"b.txt": ["...   0:zero\n  >   1:one \"q\"\ttab\n  >   2:two\n...   3:three"]}`; text != want {
		t.Errorf("shown as %s\nwant %s", text, want)
	}
	_, text = search(t, h, "^four$", nil)
	if want := `{"a\"b.txt": ["  >   4:four"], "z": ["  >   0:four"]}`; text != want {
		t.Errorf("shown as %s\nwant %s", text, want)
	}
	if one := (got.Matches[0]).RenderText(nil); one != "a\"b.txt\n...   0:zero\n  >   1:one \"q\"\ttab\n  >   2:two\n...   3:three" {
		t.Errorf("one match: %q", one)
	}
}

func TestSearch_chooses_files(t *testing.T) {
	t.Parallel()
	const x = "x\n"
	files := map[string]string{"a.ts": x, "src/a.ts": x, "src/b.go": x, "src/deep/c.ts": x, "src/deep/c.test.ts": x, "doc/r.md": x, "data.json": x}
	h := project(t, files)
	for _, tc := range []struct {
		more args
		want []string
	}{
		{nil, []string{"a.ts", "data.json", "doc/r.md", "src/a.ts", "src/b.go", "src/deep/c.test.ts", "src/deep/c.ts"}},
		{args{"paths_include_glob": "*.ts"}, []string{"a.ts"}},
		{args{"paths_include_glob": "**/*.ts"}, []string{"a.ts", "src/a.ts", "src/deep/c.test.ts", "src/deep/c.ts"}},
		{args{"paths_include_glob": "src/**/*.ts", "paths_exclude_glob": "**/*.test.ts"}, []string{"src/a.ts", "src/deep/c.ts"}},
		{args{"paths_include_glob": "src/*.{go,ts}"}, []string{"src/a.ts", "src/b.go"}},
		{args{"relative_path": "src/deep"}, []string{"src/deep/c.test.ts", "src/deep/c.ts"}},
		{args{"relative_path": "src/deep", "paths_include_glob": "src/**/c.ts"}, []string{"src/deep/c.ts"}},
		{args{"relative_path": "src/b.go"}, []string{"src/b.go"}},
		{args{"relative_path": "src", "paths_exclude_glob": "src/**"}, []string{}},
		{args{"restrict_search_to_code_files": true}, []string{"a.ts", "src/a.ts", "src/b.go", "src/deep/c.test.ts", "src/deep/c.ts"}},
	} {
		got, _ := search(t, h, "x", tc.more)
		var want []string
		for _, w := range tc.want {
			want = append(want, w+":0")
		}
		if !slices.Equal(places(got), want) {
			t.Errorf("%v: got %q", tc.more, places(got))
		}
	}
	for languages, want := range map[string][]string{
		"go": {"src/b.go:0"}, "markdown": {"doc/r.md:0"}, "python_jedi": {}, "json,go": {"data.json:0", "src/b.go:0"},
	} {
		h := projectWith(t, files, sdk.ProjectSettings{Languages: strings.Split(languages, ",")})
		if got, _ := search(t, h, "x", args{"restrict_search_to_code_files": true}); !slices.Equal(places(got), want) {
			t.Errorf("%s: got %q", languages, places(got))
		}
	}
}

func TestSearch_says_why_nothing_was_found(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a.py": "x\n", "src/b.py": "x\n", "empty/": "", "bin/b.bin": "x\x00\n", ".gitignore": "/out/\n", "out/o.py": "x\n"})
	for _, tc := range []struct {
		pattern string
		more    args
		want    string
	}{
		{"qqq", args{"relative_path": "a.py"}, "nothing matches in the 1 file searched"},
		{"qqq", args{"skip_ignored_files": false}, "nothing matches in the 4 files searched"},
		{"qqq", nil, "nothing matches in the 3 files searched; what git ignores was left out, skip_ignored_files=False searches it too"},
		{"x", args{"relative_path": "empty"}, `nothing was searched: there is no file in "empty"`},
		{"x", args{"relative_path": "bin"}, "nothing was searched: no file of 1 is text that can be searched"},
		{"x", args{"relative_path": "src", "paths_include_glob": "*.py"}, `nothing was searched: paths_include_glob "*.py" leaves none of the 1 file in "src"; a glob describes the whole path from the project root, so that all folders' files are "**/*.py"`},
		{"x", args{"relative_path": "src", "paths_include_glob": "**/*.py", "paths_exclude_glob": "src/*"}, `nothing was searched: paths_exclude_glob "src/*" leaves none of the 1 file in "src"`},
		{"x", args{"relative_path": "bin", "restrict_search_to_code_files": true}, `nothing was searched: restrict_search_to_code_files leaves none of the 1 file in "bin"`},
	} {
		got, text := search(t, h, tc.pattern, tc.more)
		if len(got.Matches) != 0 || len(got.Notes) == 0 || got.Notes[0] != tc.want || !slices.Equal(notesShown(t, text), got.Notes) {
			t.Errorf("%q %v: got %q, shown as %q", tc.pattern, tc.more, got.Notes, text)
		}
	}
}

func TestSearch_names_what_it_skipped(t *testing.T) {
	t.Parallel()
	files := map[string]string{"ok": "needle\n", "latin": "needle caf\xe9\n", "far": strings.Repeat("a", 9000) + "\x00needle", "odd": "\xff\xfen"}
	for i := range 7 {
		files[fmt.Sprintf("bin/%d", i)] = "needle\x00"
	}
	h := project(t, files)
	big, err := os.Create(filepath.Join(h.Project.Root, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := big.WriteString(strings.Repeat("needle\n", 2000)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(big.Truncate(32<<20+1), big.Close()); err != nil {
		t.Fatal(err)
	}
	got, text := search(t, h, "needle", nil)
	if want := []string{"far:0", "latin:0", "ok:0"}; !slices.Equal(places(got), want) {
		t.Errorf("got %q", places(got))
	}
	want := []string{
		"not searched, since binary: bin/0, bin/1, bin/2, bin/3, bin/4 and 2 more",
		"not searched, since over 32 MiB: large",
		"not searched, since not in the encoding utf-8: odd",
		"bytes that are no utf-8 are shown as \ufffd in lines of: latin",
	}
	if !slices.Equal(got.Notes, want) || !slices.Equal(notesShown(t, text), want) {
		t.Errorf("got %q, shown as …%q", got.Notes, text[max(0, len(text)-500):])
	}
	if got.Complete {
		t.Error("a file that is too large was not searched, and the answer claims to be complete")
	}
	if got.Matches[1].MatchedLines[0].LineContent != "needle caf\ufffd" {
		t.Errorf("got %q", got.Matches[1].MatchedLines[0].LineContent)
	}
}

func TestSearch_refuses(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a/b": strings.Repeat("a", 60) + "\n"})
	for _, tc := range []struct {
		args  args
		kind  string
		parts []string
	}{
		{args{"substring_pattern": ""}, sdk.KindValue, []string{"empty"}},
		{args{"substring_pattern": "("}, sdk.KindValue, []string{"substring_pattern", "position 0"}},
		{args{"substring_pattern": `\p{L}`}, sdk.KindValue, []string{"substring_pattern"}},
		{args{"substring_pattern": "x", "paths_include_glob": "a/["}, sdk.KindValue, []string{"paths_include_glob", "position 2"}},
		{args{"substring_pattern": "x", "paths_exclude_glob": "{a"}, sdk.KindValue, []string{"paths_exclude_glob", "position 0"}},
		{args{"substring_pattern": "x", "context_lines_before": -1}, sdk.KindValue, []string{"cannot be negative"}},
		{args{"substring_pattern": "x", "relative_path": "aa"}, sdk.KindFileNotFound, []string{`"aa" does not exist`}},
		{args{"substring_pattern": "x", "relative_path": ".."}, sdk.KindPermission, nil},
		{args{"substring_pattern": "x", "max_answer_chars": -2}, sdk.KindValue, []string{"max_answer_chars"}},
		{args{"substring_pattern": "x", "paths_glob": "*"}, sdk.KindType, []string{"paths_glob"}},
	} {
		refused(t, h, "fs", "search_for_pattern", tc.args, tc.kind, tc.parts...)
	}
}

// The order of the matches is that of the paths, however the files were shared out.
func TestSearch_is_deterministic(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("d%02d/f%03d", i%17, i)] = strings.Repeat("filler\n", i%7*200) + "needle\n"
	}
	h := project(t, files)
	first, _ := search(t, h, "needle", nil)
	if len(first.Matches) != 200 || !slices.IsSorted(paths(first)) {
		t.Fatalf("%d matches, %q", len(first.Matches), paths(first))
	}
	for range 5 {
		if again, _ := search(t, h, "needle", nil); !reflect.DeepEqual(again, first) {
			t.Fatal("another order")
		}
	}
}

func paths(p fs.PatternMatches) []string {
	var all []string
	for _, m := range p.Matches {
		all = append(all, m.SourceFilePath)
	}
	return all
}

func TestSearch_can_be_cancelled(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Call(ctx, "fs", "search_for_pattern", args{"substring_pattern": "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSearch_ends_a_runaway_pattern(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "x\n", "slow": strings.Repeat("a", 60) + "\n"})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := h.Call(ctx, "fs", "search_for_pattern", args{"substring_pattern": `(?:a|a(?=a))+\b(?<=c)`})
	if !sdk.IsKind(err, sdk.KindTimeout) { // of the file or of the search, whichever is noticed first
		t.Errorf("got %v", err)
	}
}

// notesShown reads the notes in the text of an answer, which is JSON whatever was skipped.
func notesShown(t *testing.T, text string) []string {
	t.Helper()
	var shown map[string][]string
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Errorf("the answer is no JSON: %v in %.300s", err, text)
	}
	return shown["/notes"]
}
