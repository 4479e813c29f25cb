package fs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

// What does not fit is counted, exactly, in files of any order and size.
func TestSearch_of_a_million_matches_is_bounded(t *testing.T) {
	t.Parallel()
	const each = 100_000
	files := map[string]string{"z/last": "x\n"}
	for _, name := range []string{"a", "b", "c", "d"} {
		files[name] = strings.Repeat("x\n", each)
	}
	const million = 1_000_000
	files["million/lines"] = strings.Repeat("y\n", million)
	h := project(t, files)
	for _, tc := range []struct {
		pattern string
		more    args
		total   int
	}{
		{"y", args{"relative_path": "million"}, million},
		{"x", nil, 4*each + 1},
		{"[^\\ny]", args{"multiline": false}, 4*each + 1},
		{"x\nx\n", nil, 4 * each / 2},
	} {
		a := args{"substring_pattern": tc.pattern}
		for k, v := range tc.more {
			a[k] = v
		}
		var got fs.PatternMatches
		r := h.Into(t, &got, "fs", "search_for_pattern", a)
		if got.Complete || len(r.Value) > 41<<20 || len(got.Notes) == 0 {
			t.Fatalf("%q: complete %v, %d bytes, %q", tc.pattern, got.Complete, len(r.Value), got.Notes)
		}
		var kept, left, in int
		if _, err := fmt.Sscanf(got.Notes[0], "only the first %d matches fit here; %d more, in %d", &kept, &left, &in); err != nil {
			t.Fatalf("%q: %q: %v", tc.pattern, got.Notes[0], err)
		}
		if kept != len(got.Matches) || kept+left != tc.total || kept == 0 {
			t.Errorf("%q: %d kept, %d listed, %d left, want %d in all", tc.pattern, kept, len(got.Matches), left, tc.total)
		}
		if first := got.Matches[0]; first.SourceFilePath != "a" && first.SourceFilePath != "million/lines" || first.MatchedLines[0].LineNumber != 0 {
			t.Errorf("%q: the first is %+v", tc.pattern, first)
		}
	}
}

func TestSearch_passes_by_a_file_of_two_gigabytes(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "needle\n", "huge": strings.Repeat("needle\n", 2000), "z": "needle\n"})
	if err := os.Truncate(filepath.Join(h.Project.Root, "huge"), 2<<30); err != nil {
		t.Fatal(err)
	}
	got, _ := search(t, h, "needle", nil)
	if want := []string{"a:0", "z:0"}; !slices.Equal(places(got), want) || got.Complete {
		t.Errorf("got %q, complete %v", places(got), got.Complete)
	}
	if want := []string{"not searched, since over 32 MiB: huge"}; !slices.Equal(got.Notes, want) {
		t.Errorf("got %q", got.Notes)
	}
}

// Files just above and below the sizes at which reading changes.
func TestSearch_sees_files_to_their_end(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 8<<10 - 1, 8 << 10, 128<<10 - 1, 128 << 10, 128<<10 + 1, 1<<20 + 3, 5 << 20} {
		text := strings.Repeat("0123456\n", size/8+1)[:size] + "needle"
		h := project(t, map[string]string{"f": text})
		got, _ := search(t, h, "needle$", nil)
		if want := fmt.Sprintf("f:%d", strings.Count(text, "\n")); len(got.Matches) != 1 || places(got)[0] != want {
			t.Errorf("%d bytes: got %q, want %s", size, places(got), want)
		}
	}
}

func TestSearch_ends_a_runaway_pattern_on_a_long_line(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"long": strings.Repeat("a", 20<<20)})
	for _, pattern := range []string{`(?:a|a(?=a))+\b(?<=c)`, `(a+)+\1b`, `(?:a*a*)*+[^a]`, `(?:\w+\s?)+;`} {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		begin := time.Now()
		_, err := h.Call(ctx, "fs", "search_for_pattern", args{"substring_pattern": pattern})
		cancel()
		// Either it ends in time, with nothing found, or it is stopped. The bound is generous: the machine may be busy.
		if took := time.Since(begin); took > 20*time.Second || err != nil && !sdk.IsKind(err, sdk.KindTimeout) && !sdk.IsKind(err, sdk.KindValue) {
			t.Errorf("%s: %v after %v", pattern, err, took)
		}
	}
}

func TestSearch_is_cancelled_while_it_runs(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("d%d/f", i)] = strings.Repeat("abc def ghi\n", 80_000)
	}
	h := project(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(30*time.Millisecond, cancel)
	defer timer.Stop()
	begin := time.Now()
	_, err := h.Call(ctx, "fs", "search_for_pattern", args{"substring_pattern": `[a-i]{3}\.[a-i]{3}|abc(?=x)`})
	if took := time.Since(begin); err != nil && !errors.Is(err, context.Canceled) || took > 5*time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

// A pipe that takes the place of a file is not waited for, and neither are links that lead in circles or nowhere.
func TestSearch_survives_what_cannot_be_read(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"a": "needle\n", "sub/b": "needle\n"})
	link(t, h, "nowhere", "dangling")
	link(t, h, "loop2", "loop1")
	link(t, h, "loop1", "loop2")
	link(t, h, "..", "sub/up")
	link(t, h, "a", "linked")
	got, _ := search(t, h, "needle", nil)
	if want := []string{"a:0", "linked:0", "sub/b:0"}; !slices.Equal(places(got), want) {
		t.Errorf("got %q", places(got))
	}
	if want := "links that lead out of the project or nowhere, left out: dangling, loop1, loop2"; !slices.Contains(got.Notes, want) {
		t.Errorf("got %q", got.Notes)
	}
}

// Other encodings and line endings give the same lines, whatever way the search goes.
func TestSearch_of_other_encodings_and_endings(t *testing.T) {
	t.Parallel()
	const text = "one été\ntwo\nthree été\n"
	latin := strings.ReplaceAll(text, "é", "\xe9")
	wide := "\xff\xfe"
	for _, r := range text {
		wide += string([]byte{byte(r), byte(r >> 8)})
	}
	for encoding, files := range map[string]map[string]string{
		"utf-8":   {"u": text, "crlf": strings.ReplaceAll(text, "\n", "\r\n"), "cr": strings.ReplaceAll(text, "\n", "\r"), "bom": "\xef\xbb\xbf" + text, "wide": wide},
		"latin-1": {"u": latin, "crlf": strings.ReplaceAll(latin, "\n", "\r\n"), "wide": wide, "bom": "\xef\xbb\xbf" + text},
	} {
		h := project(t, files)
		h.Project.Encoding = encoding
		for pattern, lines := range map[string][]string{
			"été": {"0", "2"}, "(?i)ÉTÉ$": {"0", "2"}, `^\w+ \w+$`: {"0", "2"}, `(?<=\n)two\n`: {"1"}, `é\ntwo\nt`: {"0-2"}, `^.{3}$`: {"1"}, `\bt\w+\b`: {"1", "2"}, `\Aone`: {"0"},
		} {
			var want []string
			for _, name := range []string{"bom", "cr", "crlf", "u", "wide"} {
				if _, ok := files[name]; ok {
					for _, l := range lines {
						want = append(want, name+":"+l)
					}
				}
			}
			if got, _ := search(t, h, pattern, nil); !slices.Equal(places(got), want) {
				t.Errorf("%s %q: got %q, want %q", encoding, pattern, places(got), want)
			}
		}
	}
}
