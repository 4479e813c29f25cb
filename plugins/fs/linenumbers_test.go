package fs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk/sdktest"
)

// Line numbers agree everywhere (C24): what one method calls line n is line n to every other, whatever characters that others take
// for line breaks stand in between.
func TestLineNumbers_agree_everywhere(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(31, 32))
	h := project(t, nil)
	for range 60 {
		count := 1 + rng.IntN(8)
		lines, endings := make([]string, count), make([]string, count)
		for i := range lines {
			lines[i] = fmt.Sprintf("%s<%d>%s", noBreak(rng), i, noBreak(rng))
			endings[i] = []string{"\n", "\r\n", "\r"}[rng.IntN(3)]
		}
		if rng.IntN(2) == 0 {
			endings[count-1] = ""
		}
		text := joined(lines, endings)
		write(t, h, "f", text)
		var whole fs.FileContent
		if h.Into(t, &whole, "fs", "read_file", args{"relative_path": "f"}); !slices.Equal(whole.Lines, lines) {
			t.Fatalf("%q is read as %q", text, whole.Lines)
		}
		n := rng.IntN(count)
		token := fmt.Sprintf("<%d>", n)
		checkLine(t, h, text, n, token, lines[n])

		method, a := "replace_lines", args{"relative_path": "f", "start_line": n, "end_line": n, "content": "new"}
		after := slices.Clone(lines)
		after[n] = "new"
		if rng.IntN(2) == 0 {
			method, a = "delete_lines", args{"relative_path": "f", "start_line": n, "end_line": n}
			after, endings = slices.Delete(after, n, n+1), slices.Delete(slices.Clone(endings), n, n+1)
		}
		h.Into(t, nil, "edit", method, a)
		if got := read(t, h, "f"); got != joined(after, endings) {
			t.Fatalf("%s(%v) of %q gives %q", method, a, text, got)
		}
	}
}

// checkLine looks for a token that stands on line n alone, in every method that tells lines.
func checkLine(t *testing.T, h *sdktest.Harness, text string, n int, token, line string) {
	t.Helper()
	var part fs.FileContent
	if h.Into(t, &part, "fs", "read_file", args{"relative_path": "f", "start_line": n, "end_line": n}); !slices.Equal(part.Lines, []string{line}) {
		t.Fatalf("line %d of %q is read as %q", n, text, part.Lines)
	}
	for _, multiline := range []bool{true, false} {
		found, _ := search(t, h, token, args{"multiline": multiline, "context_lines_before": 1})
		if len(found.Matches) != 1 || found.Matches[0].MatchedLines[0] != (fs.TextLine{LineNumber: n, LineContent: line}) || n > 0 && found.Matches[0].Before[0].LineNumber != n-1 {
			t.Fatalf("%s in %q, multiline %v: found %+v", token, text, multiline, found.Matches)
		}
	}
	p := dryRun(t, h, args{"needle": token, "repl": "", "mode": "literal"})
	if len(p.Occurrences) != 1 || p.Occurrences[0].StartLine != n || p.Occurrences[0].EndLine != n {
		t.Fatalf("%s in %q: listed as %+v", token, text, p.Occurrences)
	}
	_, err := h.Call(t.Context(), "edit", "replace_content", args{"relative_path": "f", "needle": token + "nowhere", "repl": "", "mode": "literal"})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("nearest text is on line %d", n)) && !strings.Contains(err.Error(), "nor anything like it") {
		t.Fatalf("%s in %q: got %v", token, text, err)
	}
}

// noBreak is characters of which some are line breaks elsewhere.
func noBreak(rng *rand.Rand) string {
	var out strings.Builder
	for range rng.IntN(4) {
		out.WriteString([]string{"\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\u0085", "\u2028", "\u2029", "x", "😀"}[rng.IntN(10)])
	}
	return out.String()
}

func joined(lines, endings []string) string {
	var out strings.Builder
	for i, l := range lines {
		out.WriteString(l + endings[i])
	}
	return out.String()
}
