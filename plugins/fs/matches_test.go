package fs_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/serena-go/serena/plugins/fs"
)

func TestSearch_shortens_in_steps(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for i := range 1300 {
		fmt.Fprintf(&file, "class Msg%04d: pass  # %s\n", i, strings.Repeat("p", 130))
	}
	h := project(t, map[string]string{"gen.py": file.String()})
	lines := strings.Split(strings.TrimSuffix(file.String(), "\n"), "\n")
	numbered := regexp.MustCompile(`  > *(\d+):class Msg(\d{4}): pass  # p{37}…`)
	for limit, form := range map[int]func(text string) bool{
		400000: func(text string) bool {
			return !slices.ContainsFunc(lines, func(l string) bool { return !strings.Contains(text, l) })
		},
		150000: func(text string) bool { return len(numbered.FindAllString(text, -1)) == 1300 },
		20000: func(text string) bool {
			return strings.Contains(text, `{"gen.py": [0, 1, 2, `) && strings.HasSuffix(text, " 1298, 1299]}")
		},
		500: func(text string) bool { return strings.HasSuffix(text, "\n{\"gen.py\": 1300}") },
		10:  func(text string) bool { return !strings.Contains(text, "gen.py") },
	} {
		for _, multiline := range []bool{false, true} {
			got, text := search(t, h, "^class Msg", args{"multiline": multiline, "max_answer_chars": limit})
			if len(got.Matches) != 1300 || !got.Complete {
				t.Fatalf("limit %d: %d matches", limit, len(got.Matches))
			}
			if n := utf8.RuneCountInString(text); n > limit+800 || !form(text) {
				t.Errorf("limit %d: %d characters: %.300s", limit, n, text)
			}
			if limit < 400000 && (!strings.HasPrefix(text, "The answer is too long (") || !strings.Contains(text, "1300 matches in 1 file.")) {
				t.Errorf("limit %d: %.300s", limit, text)
			}
		}
	}
	// With context the first step is the matches' first lines, whole.
	_, text := search(t, h, "^class Msg000[0-9].*?Msg.*?$", args{"context_lines_after": 50, "max_answer_chars": 3000})
	if !strings.Contains(text, "Shortened to the first line of each match; there are 5 matches in 1 file.") || !strings.Contains(text, "  >   8:"+lines[8]+`"]`) || strings.Contains(text, "...") {
		t.Errorf("first lines: %s", text)
	}
}

func TestSearch_keeps_what_fits(t *testing.T) {
	t.Parallel()
	line := "needle" + strings.Repeat("<", 1<<16-6) + "\n" // each "<" takes six bytes of JSON
	h := project(t, map[string]string{"a": strings.Repeat(line, 60), "b": strings.Repeat(line, 60), "c": "needle\n"})
	var got fs.PatternMatches
	r := h.Into(t, &got, "fs", "search_for_pattern", args{"substring_pattern": "needle", "max_answer_chars": 1 << 30})
	// 40 MiB / 393363 bytes = 106.6 matches
	if want := "only the first 106 matches fit here; 15 more, in 2 files, are left out: narrow the search"; len(got.Matches) != 106 || got.Complete || got.Notes[0] != want {
		t.Errorf("%d matches, %v, %q", len(got.Matches), got.Complete, got.Notes)
	}
	if len(r.Value)+len(r.Text) > 60<<20 {
		t.Errorf("%d bytes of value, %d of text", len(r.Value), len(r.Text))
	}
}

// A value that is rendered later gives the text of the call.
func TestSearch_is_rendered_from_its_value(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "x\ny\n", "b": "x\n"})
	r, err := h.Call(t.Context(), "fs", "search_for_pattern", args{"substring_pattern": "x", "max_answer_chars": 20})
	if err != nil {
		t.Fatal(err)
	}
	again, err := fs.New().Render("PatternMatches", r.Value, json.RawMessage(`{"max_answer_chars": 20}`))
	if err != nil || again != r.Text || !strings.HasSuffix(r.Text, "\n{\"a\": [0], \"b\": [0]}") {
		t.Errorf("got %q, %v; want %q", again, err, r.Text)
	}
}
