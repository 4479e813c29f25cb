package replace_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/replace"
)

func find(t *testing.T, text string, most int, r replace.Request) []replace.Occurrence {
	t.Helper()
	needle, err := replace.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := needle.Find(t.Context(), text, most)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFind_lists_every_match(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		r    replace.Request
		want []replace.Occurrence
	}{
		"two on a line, after a wide character": {"é ab ab\r\nab", replace.Request{Needle: "ab", Repl: "c"}, []replace.Occurrence{
			{Column: 2, Matched: "ab", Replacement: "c", Head: "é ", Tail: " ab", Edit: replace.Edit{Start: 3, End: 5, Text: "c"}, Changes: true},
			{Column: 5, Matched: "ab", Replacement: "c", Head: "é ab ", Edit: replace.Edit{Start: 6, End: 8, Text: "c"}, Changes: true},
			{FirstLine: 1, LastLine: 1, Matched: "ab", Replacement: "c", Edit: replace.Edit{Start: 10, End: 12, Text: "c"}, Changes: true},
		}},
		"over lines": {"x(\r\n1)y\r\n", replace.Request{Needle: `\((.*?)\)`, Repl: "[$!1]", Regex: true}, []replace.Occurrence{
			{LastLine: 1, Column: 1, Matched: "(\n1)", Replacement: "[\n1]", Head: "x", Tail: "y", Edit: replace.Edit{Start: 1, End: 6, Text: "[\r\n1]"}, Changes: true},
		}},
		"ambiguous is told": {"(\n(\n)", replace.Request{Needle: `\(.*?\)`, Regex: true}, []replace.Occurrence{
			{LastLine: 2, Matched: "(\n(\n)", Edit: replace.Edit{Start: 0, End: 5}, Changes: true, Ambiguous: true},
		}},
		"with its line ending": {"a\nb\n", replace.Request{Needle: "a\n"}, []replace.Occurrence{
			{Matched: "a\n", Edit: replace.Edit{Start: 0, End: 2}, Changes: true},
		}},
		"empty, at the end": {"a\n", replace.Request{Needle: `\Z`, Repl: "b", Regex: true}, []replace.Occurrence{
			{FirstLine: 1, LastLine: 1, Replacement: "b", Edit: replace.Edit{Start: 2, End: 2, Text: "b"}, Changes: true},
		}},
		"same already": {"a", replace.Request{Needle: "a", Repl: "a"}, []replace.Occurrence{{Matched: "a", Replacement: "a"}}},
		"none":         {"a", replace.Request{Needle: "b"}, []replace.Occurrence{}},
	} {
		if got := find(t, tc.text, 10, tc.r); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: got\n%+v, want\n%+v", name, got, tc.want)
		}
	}
}

// A line may be a whole file: what is done for a match must not depend on the line's length.
func TestFind_many_on_a_long_line(t *testing.T) {
	t.Parallel()
	all := find(t, strings.Repeat("é;", 500_000), 500_000, replace.Request{Needle: ";", Repl: ","})
	if last := all[len(all)-1]; len(all) != 500_000 || last.Column != 999_999 || last.Edit.Start != 1_499_999 {
		t.Errorf("got %d, the last at column %d and byte %d", len(all), last.Column, last.Edit.Start)
	}
}

func TestFind_gives_no_more_than_asked_for(t *testing.T) {
	t.Parallel()
	for _, regex := range []bool{false, true} {
		if got := find(t, "aaa", 2, replace.Request{Needle: "a", Regex: regex}); len(got) != 2 || got[1].Column != 1 {
			t.Errorf("regex %v: got %+v", regex, got)
		}
	}
}

func TestCompile_refuses(t *testing.T) {
	t.Parallel()
	for needle, want := range map[string]error{"": replace.ErrNeedle, "(": replace.ErrNeedle, "a": replace.ErrGroup} {
		if _, err := replace.Compile(replace.Request{Needle: needle, Repl: "$!1", Regex: true}); !errors.Is(err, want) {
			t.Errorf("%q: got %v", needle, err)
		}
	}
}
