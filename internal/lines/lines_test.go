package lines_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/lines"
)

func full(x *lines.Index) []string {
	var all []string
	for i := range x.Count() {
		all = append(all, x.Full(i))
	}
	return all
}

// Expected values: python3, re.finditer(rb'[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z', text).
func TestIndex_splits_at_lf_crlf_and_cr_only(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                          nil,
		"a":                         {"a"},
		"\n":                        {"\n"},
		"\r":                        {"\r"},
		"\r\n":                      {"\r\n"},
		"\n\r":                      {"\n", "\r"},
		"a\nb":                      {"a\n", "b"},
		"a\r\nb\r\n":                {"a\r\n", "b\r\n"},
		"\r\r\n\n\r":                {"\r", "\r\n", "\n", "\r"},
		"a\rb\rc":                   {"a\r", "b\r", "c"},
		"a\x0cb\x0b\x1c\n\u2028c\n": {"a\x0cb\x0b\x1c\n", "\u2028c\n"},
		"x\u0085y\rz":               {"x\u0085y\r", "z"},
		"a\r\n\n":                   {"a\r\n", "\n"},
	} {
		if got := full(lines.New(text)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// split is the model, written without looking at the code under test.
func split(text string) []string {
	var (
		all []string
		cur strings.Builder
	)
	for i := 0; i < len(text); i++ {
		cur.WriteByte(text[i])
		if text[i] == '\n' || text[i] == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			all = append(all, cur.String())
			cur.Reset()
		}
	}
	if cur.Len() > 0 {
		all = append(all, cur.String())
	}
	return all
}

func TestIndex_agrees_with_a_naive_model(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "é", "😀", "\n", "\r", "\r\n", "\xff", "\xe2\x82", "\u2028", "bc"}
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		text := b.String()
		x := lines.New(text)
		want := split(text)
		if got := full(x); !slices.Equal(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
		if x.Text() != text {
			t.Fatalf("%q: Text changed to %q", text, x.Text())
		}
		at := 0
		for i, line := range want {
			body := strings.TrimRight(line, "\r\n")
			if x.Line(i) != body || x.Ending(i) != line[len(body):] || x.Start(i) != at || x.End(i) != at+len(body) {
				t.Fatalf("%q: line %d is %q %q at %d to %d", text, i, x.Line(i), x.Ending(i), x.Start(i), x.End(i))
			}
			if n := len([]rune(body)); int(x.Width(i)) != n {
				t.Fatalf("%q: line %d is %d wide, want %d", text, i, x.Width(i), n)
			}
			col := 0
			for off := range body {
				checkPlace(t, x, at+off, lines.Pos{Line: i, Col: lines.RuneCol(col)})
				col++
			}
			checkPlace(t, x, at+len(body), lines.Pos{Line: i, Col: lines.RuneCol(col)})
			at += len(line)
		}
		norm := lines.Normalize(text)
		wantNorm := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
		if norm.Text != wantNorm {
			t.Fatalf("%q: normalised to %q", text, norm.Text)
		}
		for off := range len(norm.Text) + 1 {
			orig := norm.ToOrig(off)
			if again := lines.Normalize(text[:orig]).Text; again != norm.Text[:off] {
				t.Fatalf("%q: offset %d maps to %d, but %q is not %q", text, off, orig, again, norm.Text[:off])
			}
			if back := norm.FromOrig(orig); back != off {
				t.Fatalf("%q: offset %d maps to %d and back to %d", text, off, orig, back)
			}
		}
	}
}

func checkPlace(t *testing.T, x *lines.Index, off int, p lines.Pos) {
	t.Helper()
	if got := x.PosAt(off); got != p {
		t.Fatalf("%q: PosAt(%d) = %v, want %v", x.Text(), off, got, p)
	}
	if got, err := x.Offset(p); err != nil || got != off {
		t.Fatalf("%q: Offset(%v) = %d, %v; want %d", x.Text(), p, got, err, off)
	}
}

func TestPosAt_edges(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		off  int
		want lines.Pos
	}{
		"empty text":            {"", 0, lines.Pos{}},
		"inside a crlf":         {"ab\r\nc", 3, lines.Pos{Line: 0, Col: 2}},
		"after a crlf":          {"ab\r\nc", 4, lines.Pos{Line: 1, Col: 0}},
		"end after a break":     {"ab\n", 3, lines.Pos{Line: 1, Col: 0}},
		"end without break":     {"ab\ncd", 5, lines.Pos{Line: 1, Col: 2}},
		"before the text":       {"ab", -4, lines.Pos{}},
		"beyond the text":       {"ab", 9, lines.Pos{Line: 0, Col: 2}},
		"inside a character":    {"é😀z", 4, lines.Pos{Line: 0, Col: 1}},
		"last byte of an emoji": {"é😀z", 5, lines.Pos{Line: 0, Col: 1}},
		"after a lone byte":     {"\xffa", 1, lines.Pos{Line: 0, Col: 1}},
	} {
		if got := lines.New(tc.text).PosAt(tc.off); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

func TestOffset_refuses_what_does_not_exist(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		pos  lines.Pos
		want string
	}{
		"column":          {"ab\n", lines.Pos{Line: 0, Col: 3}, "column 3 does not exist: line 0 has columns 0 to 2"},
		"negative column": {"ab\n", lines.Pos{Line: 0, Col: -1}, "column -1 does not exist: line 0 has columns 0 to 2"},
		"line":            {"a\nb", lines.Pos{Line: 3}, "line 3 does not exist: the text has 2 lines, numbered 0 to 1"},
		"negative line":   {"a\n", lines.Pos{Line: -1}, "line -1 does not exist: the text has one line, number 0"},
		"past the end":    {"a\n", lines.Pos{Line: 1, Col: 1}, "line 1 does not exist: the text has one line, number 0"},
		"empty text":      {"", lines.Pos{Line: 1}, "line 1 does not exist: the text is empty"},
	} {
		_, err := lines.New(tc.text).Offset(tc.pos)
		var re *lines.RangeError
		if !errors.As(err, &re) || err.Error() != tc.want {
			t.Errorf("%s: got %v, want %q", name, err, tc.want)
		}
	}
	for text, want := range map[string]int{"": 0, "a\n": 2, "a": 1} {
		x := lines.New(text)
		if got, err := x.Offset(lines.Pos{Line: x.Count()}); err != nil || got != want {
			t.Errorf("%q: the line after the last is at %d, %v; want %d", text, got, err, want)
		}
	}
}

// Expected values: python3, len(s[:i].encode("utf-16-le"))//2 for s = "aé😀z€".
func TestUTF16_columns(t *testing.T) {
	t.Parallel()
	const line = "aé😀z€"
	for col, want := range []lines.UTF16Col{0, 1, 2, 4, 5, 6, 6} {
		if got := lines.ToUTF16(line, lines.RuneCol(col)); got != want {
			t.Errorf("ToUTF16(%d) = %d, want %d", col, got, want)
		}
	}
	for unit, want := range []lines.RuneCol{0, 1, 2, 2, 3, 4, 5, 5, 5} {
		if got := lines.FromUTF16(line, lines.UTF16Col(unit)); got != want {
			t.Errorf("FromUTF16(%d) = %d, want %d", unit, got, want)
		}
	}
	if got := lines.Width16(line); got != 6 {
		t.Errorf("Width16 = %d, want 6", got)
	}
	if got := lines.FromUTF16("\xff\xfea", 2); got != 2 {
		t.Errorf("invalid bytes: FromUTF16(2) = %d, want 2", got)
	}
	x := lines.New("a\n" + line + "\r\n")
	for name, tc := range map[string]struct {
		line int
		col  lines.UTF16Col
		want lines.Pos
	}{
		"inside":              {1, 4, lines.Pos{Line: 1, Col: 3}},
		"beyond the line":     {1, 99, lines.Pos{Line: 1, Col: 5}},
		"one past the end":    {2, 0, lines.Pos{Line: 2}},
		"far past the end":    {9, 3, lines.Pos{Line: 2}},
		"before the text":     {-1, 3, lines.Pos{}},
		"negative utf-16 col": {1, -2, lines.Pos{Line: 1}},
	} {
		if got := x.PosAt16(tc.line, tc.col); got != tc.want {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
	if got := lines.New("ab").PosAt16(1, 0); got != (lines.Pos{Line: 0, Col: 2}) {
		t.Errorf("one past a text without final break: got %v", got)
	}
	if got := x.Col16(lines.Pos{Line: 1, Col: 3}); got != 4 {
		t.Errorf("Col16 = %d, want 4", got)
	}
	if got := x.Col16(lines.Pos{Line: 2, Col: 3}); got != 0 {
		t.Errorf("Col16 after the text = %d, want 0", got)
	}
}

func TestNormalize_keeps_a_text_without_cr(t *testing.T) {
	t.Parallel()
	norm := lines.Normalize("a\nb")
	if norm.Text != "a\nb" || norm.ToOrig(3) != 3 || norm.FromOrig(2) != 2 {
		t.Errorf("got %+v", norm)
	}
	crlf := lines.Normalize("a\r\n\r\nb")
	if got := crlf.FromOrig(2); got != 2 {
		t.Errorf("inside a crlf: got %d, want 2", got)
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		off  int
		want string
	}{
		"own line":             {"a\r\nb\nc\r", 1, "\r\n"},
		"second line":          {"a\r\nb\nc\r", 3, "\n"},
		"cr":                   {"a\r\nb\nc\r", 5, "\r"},
		"end of text":          {"a\nb\r\n", 5, "\r\n"},
		"last without ending":  {"a\nb\r\nc", 6, "\r\n"},
		"only line":            {"abc", 1, "\n"},
		"empty":                {"", 0, "\n"},
		"inside crlf":          {"a\r\nb\n", 2, "\r\n"},
		"far beyond":           {"a\r\n", 50, "\r\n"},
		"negative is the head": {"a\r\nb\n", -1, "\r\n"},
	} {
		if got := lines.New(tc.text).EndingAt(tc.off); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
	if got := lines.WithEnding("a\nb\r\nc\rd", "\r\n"); got != "a\r\nb\r\nc\r\nd" {
		t.Errorf("WithEnding crlf: %q", got)
	}
	if got := lines.WithEnding("a\r\nb\r", "\n"); got != "a\nb\n" {
		t.Errorf("WithEnding lf: %q", got)
	}
}

func BenchmarkNew(b *testing.B) {
	text := strings.Repeat(strings.Repeat("x", 40)+"\r\n", 25000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		lines.New(text)
	}
}
