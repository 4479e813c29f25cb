package fs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

func colors(t *testing.T) *sdktest.Harness {
	t.Helper()
	return project(t, map[string]string{"a/one.txt": "color red\ncolor blue\n", "a/two.txt": "color green\n", "b/skip.txt": "color black\n"})
}

// toColour is the call of C06 with further arguments.
func toColour(more args) args {
	a := args{"needle": "color", "repl": "colour", "mode": "literal", "paths_include_glob": "a/*.txt"}
	for k, v := range more {
		a[k] = v
	}
	return a
}

func dryRun(t *testing.T, h *sdktest.Harness, a args) fs.ReplacementPreview {
	t.Helper()
	a["dry_run"] = true
	var p fs.ReplacementPreview
	h.Into(t, &p, "edit", "replace_in_files", a)
	return p
}

// holds compares files with what they must hold.
func holds(t *testing.T, h *sdktest.Harness, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got := read(t, h, name); got != text {
			t.Errorf("%s is %q, want %q", name, got, text)
		}
	}
}

func TestReplaceInFiles_C06(t *testing.T) {
	t.Parallel()
	h := colors(t)
	before := map[string]string{"a/one.txt": "color red\ncolor blue\n", "a/two.txt": "color green\n", "b/skip.txt": "color black\n"}

	p := dryRun(t, h, toColour(nil)) // C06.1
	ids := map[string]string{}
	for _, o := range p.Occurrences {
		ids[fmt.Sprintf("%s %d", o.RelativePath, o.StartLine)] = o.OccurrenceID
	}
	one0, one1, two0 := ids["a/one.txt 0"], ids["a/one.txt 1"], ids["a/two.txt 0"]
	if len(p.Occurrences) != 3 || one0 == "" || one1 == "" || two0 == "" || !reflect.DeepEqual(p.AffectedFiles, []string{"a/one.txt", "a/two.txt"}) {
		t.Fatalf("got %+v", p)
	}
	holds(t, h, before)

	_, err := h.Call(t.Context(), "edit", "replace_in_files", toColour(args{"expected_count": 4})) // C06.2
	var e *sdk.Error
	if !errors.As(err, &e) || e.Kind != sdk.KindValue || !e.Listing {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"nothing was changed", "expected_count is 4, but this found 3 occurrences in 2 files", one0, one1, two0} {
		if !strings.Contains(e.Message, part) {
			t.Errorf("%q does not say %q", e.Message, part)
		}
	}
	var data fs.ReplacementPreview
	if err := json.Unmarshal(e.Data, &data); err != nil || !reflect.DeepEqual(data.Occurrences, p.Occurrences) {
		t.Errorf("the error's data is %s, %v", e.Data, err)
	}
	holds(t, h, before)

	r := h.Into(t, nil, "edit", "replace_in_files", toColour(args{"occurrence_ids": []string{one1, two0}})) // C06.3
	if want := "OK (2 occurrences replaced in 2 files)\na/one.txt: 1\na/two.txt: 1"; r.Text != want {
		t.Errorf("answered %q", r.Text)
	}
	after := map[string]string{"a/one.txt": "color red\ncolour blue\n", "a/two.txt": "colour green\n", "b/skip.txt": "color black\n"}
	holds(t, h, after)

	refused(t, h, "edit", "replace_in_files", toColour(args{"occurrence_ids": []string{one0, two0}}), sdk.KindStale, "stale: \""+two0+"\";", one0) // C06.4
	if _, err := h.Call(t.Context(), "edit", "replace_in_files", toColour(args{"occurrence_ids": []string{two0}})); !errors.As(err, &e) || !e.Listing {
		t.Errorf("a stale id: got %v, want an error with a listing", err)
	}
	holds(t, h, after)

	// The other one of the file is still what it was.
	h.Into(t, nil, "edit", "replace_in_files", toColour(args{"occurrence_ids": []string{one0, one0}}))
	holds(t, h, map[string]string{"a/one.txt": "colour red\ncolour blue\n"})
}

// C06.5, and what else can happen to a file between a dry run and the choice: each time the id is stale and nothing changes.
func TestReplaceInFiles_ids_do_not_move_to_other_text(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]string{
		"a line above":              "color pink\ncolor red\ncolor blue\n",
		"the same line above":       "color red\ncolor red\ncolor blue\n",
		"another line":              "color rose\ncolor blue\n",
		"text before it":            "a color red\ncolor blue\n",
		"gone":                      "red\nblue\n",
		"a line added further down": "color red\nnew\ncolor blue\n",
	} {
		h := colors(t)
		red := dryRun(t, h, toColour(nil)).Occurrences[0].OccurrenceID
		if err := os.WriteFile(filepath.Join(h.Project.Root, "a/one.txt"), []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, h, "edit", "replace_in_files", toColour(args{"occurrence_ids": []string{red}}), sdk.KindStale, "stale", red)
		if got := read(t, h, "a/one.txt"); got != now {
			t.Errorf("%s: the file is now %q", name, got)
		}
	}
}

func TestReplaceInFiles_replaces_all(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{
		"crlf.txt": "f(1)\r\nf(2)\r\n", "latin.txt": "\xe9 f(3)", "deep/x.txt": "f(\n4)", ".gitignore": "ignored/\n", "ignored/x.txt": "f(5)", "bin": "\x00f(6)",
		".serena/memories/note.md": "f(7)", "empty": "",
	})
	r := h.Into(t, nil, "edit", "replace_in_files", args{"needle": `f\((.*?)\)`, "repl": "g[$!1]\n", "mode": "regex", "expected_count": 4})
	if want := "OK (4 occurrences replaced in 3 files)\ncrlf.txt: 2\ndeep/x.txt: 1\nlatin.txt: 1\n" +
		"note: not searched, since binary: bin\nnote: bytes that are no utf-8 are shown as \ufffd in lines of: latin.txt"; r.Text != want {
		t.Errorf("answered %q, want %q", r.Text, want)
	}
	holds(t, h, map[string]string{
		"crlf.txt": "g[1]\r\n\r\ng[2]\r\n\r\n", "latin.txt": "\xe9 g[3]\n", "deep/x.txt": "g[\n4]\n", "ignored/x.txt": "f(5)", "bin": "\x00f(6)", ".serena/memories/note.md": "f(7)",
	})
}

// A file that two names lead to is changed once.
func TestReplaceInFiles_links(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"real.txt": "x", ".gitignore": "hidden\n", "hidden": "x"})
	link(t, h, "real.txt", "also.txt")
	link(t, h, "hidden", "one")
	link(t, h, "hidden", "two")
	var done string
	h.Into(t, &done, "edit", "replace_in_files", args{"needle": "x", "repl": "y", "mode": "literal"})
	if want := "OK (2 occurrences replaced in 2 files)\none: 1\nreal.txt: 1"; done != want {
		t.Errorf("got %q, want %q", done, want)
	}
	holds(t, h, map[string]string{"real.txt": "y", "hidden": "y"})
}

func TestReplaceInFiles_refuses(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "(\n(\n)\n", "b": "(1)\n", "latin": "x"})
	pattern := args{"needle": `\(.*?\)`, "repl": "[]", "mode": "regex"}
	refused(t, h, "edit", "replace_in_files", pattern, sdk.KindValue, "ambiguous", "a:0:0@", "b:0:0@", "choose by occurrence_ids")
	var e *sdk.Error
	if _, err := h.Call(t.Context(), "edit", "replace_in_files", pattern); !errors.As(err, &e) || e.Listing || e.Data == nil {
		t.Errorf("got %v, want an error with data which is one for a classic tool too", err)
	}
	holds(t, h, map[string]string{"a": "(\n(\n)\n", "b": "(1)\n"})

	for _, tc := range []struct {
		with  args
		kind  string
		parts []string
	}{
		{args{"needle": ""}, sdk.KindValue, []string{"empty"}},
		{args{"needle": "("}, sdk.KindValue, []string{"needle cannot be used"}},
		{args{"repl": "$!1"}, sdk.KindValue, []string{"$!1; it has none"}},
		{args{"expected_count": -2}, sdk.KindValue, []string{"not -2"}},
		{args{"occurrence_ids": []string{}}, sdk.KindValue, []string{"occurrence_ids is empty"}},
		{args{"occurrence_ids": []string{"b:9:0@12345678", "x"}}, sdk.KindStale, []string{`"b:9:0@12345678", "x"`, "2 occurrences in 2 files", "b:0:0@"}},
		{args{"max_answer_chars": 0}, sdk.KindValue, []string{"max_answer_chars"}},
		{args{"relative_path": "gone"}, sdk.KindFileNotFound, nil},
		{args{"relative_path": "../x"}, sdk.KindPermission, nil},
		{args{"paths_include_glob": "{"}, sdk.KindValue, []string{"paths_include_glob"}},
		{args{"needle": "nowhere"}, sdk.KindValue, []string{"nothing was replaced: nothing matches in the 3 files searched"}},
		{args{"needle": "nowhere", "occurrence_ids": []string{"b:0:0@12345678"}}, sdk.KindStale, []string{"stale"}},
		{args{"needle": "(1) ", "mode": "literal", "relative_path": "b"}, sdk.KindValue, []string{"b: ", "nearest text is on line 0"}},
		{args{"paths_include_glob": "*.go"}, sdk.KindValue, []string{`paths_include_glob "*.go" leaves none of the 3 files`}},
	} {
		a := args{"needle": `\(1\)`, "repl": "[]", "mode": "regex"}
		if tc.with["needle"] == nil {
			a["needle"] = `\(.*?\)`
		}
		for k, v := range tc.with {
			a[k] = v
		}
		refused(t, h, "edit", "replace_in_files", a, tc.kind, tc.parts...)
	}

	h.Project.Encoding = "latin-1"
	refused(t, h, "edit", "replace_in_files", args{"needle": "x", "repl": "€", "mode": "literal"}, sdk.KindUnicode, "latin: nothing was changed")
	holds(t, h, map[string]string{"a": "(\n(\n)\n", "b": "(1)\n", "latin": "x"})
	if h.Host.Last() != 0 {
		t.Errorf("%d changes were written", h.Host.Last())
	}
}

// What is ambiguous can be chosen: the preview has shown what would be replaced.
func TestReplaceInFiles_ambiguous_by_id(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "(\n(\n)\n"})
	a := args{"needle": `\(.*?\)`, "repl": "[]", "mode": "regex"}
	p := dryRun(t, h, a)
	if len(p.Occurrences) != 1 || !p.Occurrences[0].IsAmbiguous || p.Occurrences[0].EndLine != 2 {
		t.Fatalf("got %+v", p)
	}
	h.Into(t, nil, "edit", "replace_in_files", args{"needle": `\(.*?\)`, "repl": "[]", "mode": "regex", "occurrence_ids": []string{p.Occurrences[0].OccurrenceID}})
	holds(t, h, map[string]string{"a": "[]\n"})
}

func TestReplaceInFiles_says_when_it_could_not_look_everywhere(t *testing.T) {
	t.Parallel()
	h := colors(t)
	if p := dryRun(t, h, toColour(nil)); !p.Complete {
		t.Errorf("got %+v", p)
	}
	if err := os.Truncate(filepath.Join(h.Project.Root, "a/two.txt"), 33<<20); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(h.Project.Root, "a/two.txt"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(strings.Repeat("color green\n", 1000)); err != nil {
		t.Fatal(err)
	}
	p := dryRun(t, h, toColour(nil))
	if p.Complete || len(p.Occurrences) != 2 || !reflect.DeepEqual(p.Notes, []string{"not searched, since over 32 MiB: a/two.txt"}) {
		t.Errorf("got %+v", p)
	}
}

func TestReplaceInFiles_can_be_cancelled(t *testing.T) {
	t.Parallel()
	h := colors(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Call(ctx, "edit", "replace_in_files", toColour(nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if h.Host.Last() != 0 {
		t.Error("something was written")
	}
}

func TestReplaceInFiles_leaves_out_what_git_ignores(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{".gitignore": "/out/\n", "out/f": "needle\n", "f": "x\n"})
	a := args{"needle": "needle", "repl": "y", "mode": "literal"}
	refused(t, h, "edit", "replace_in_files", a, sdk.KindValue,
		"nothing matches in the 2 files searched; what git ignores was left out, a folder or file named by relative_path is taken even if it is ignored")
	h.Into(t, nil, "edit", "replace_in_files", with(a, "out"))
	holds(t, h, map[string]string{"out/f": "y\n"})
}

func TestReplaceInFiles_nothing_to_do(t *testing.T) {
	t.Parallel()
	h := colors(t)
	r := h.Into(t, nil, "edit", "replace_in_files", toColour(args{"needle": "nowhere", "dry_run": true}))
	if want := "0 occurrences in 0 files\nnote: nothing matches in the 2 files searched"; r.Text != want {
		t.Errorf("answered %q, want %q", r.Text, want)
	}
	r = h.Into(t, nil, "edit", "replace_in_files", toColour(args{"repl": "color", "relative_path": "a/two.txt"}))
	if r.Text != "OK (nothing changed: the text already reads as the replacement)" {
		t.Errorf("answered %q", r.Text)
	}
	if h.Host.Last() != 0 {
		t.Error("something was written")
	}
}

func TestReplaceInFiles_shows_minimal_diffs_shortened_in_steps(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("w", 100)
	h := project(t, map[string]string{"a": "keep\nold " + long + "\nkeep\n", "b": "keep\nold\n"})
	a := args{"needle": `keep\nold`, "repl": "keep\nnew\nmore", "mode": "regex", "dry_run": true}
	p := dryRun(t, h, a)
	idA, idB := p.Occurrences[0].OccurrenceID, p.Occurrences[1].OccurrenceID
	cut := strings.Repeat("w", 79)
	full := "2 occurrences in 2 files\n[" + idA + "]\n-old " + cut + "…\n+new\n+more " + cut + "…\n[" + idB + "]\n-old\n+new\n+more"
	head := func(limit int) string {
		return fmt.Sprintf("The answer is too long (%d characters, the limit is %d). Total: 2 occurrences in 2 files.", len([]rune(full)), limit)
	}
	const tail = " To see more, narrow relative_path, the globs or the needle, or pass a larger max_answer_chars."
	for limit, want := range map[int]string{
		len([]rune(full)): full,
		150:               head(150) + " Shortened to the first line of each change." + tail + "\n[" + idA + "]\n-old " + strings.Repeat("w", 56) + "…\n+new\n[" + idB + "]\n-old\n+new",
		60:                head(60) + " Shortened to the ids." + tail + "\n[" + idA + "]\n[" + idB + "]",
		20:                head(20) + " Shortened to the number of occurrences in each file." + tail + "\na: 1\nb: 1",
		5:                 head(5) + tail,
	} {
		a["max_answer_chars"] = limit
		if got := h.Into(t, nil, "edit", "replace_in_files", a).Text; got != want {
			t.Errorf("limit %d: got\n%s\nwant\n%s", limit, got, want)
		}
	}
	if got := p.Occurrences[1].RenderText(nil); got != "["+idB+"]\n-old\n+new\n+more" {
		t.Errorf("one is shown as %q", got)
	}
}
