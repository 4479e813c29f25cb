package pyregex_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/pyregex"
)

// All in one: python3 is started once for the three tables.
func TestCompile_means_what_python_means(t *testing.T) {
	t.Parallel()
	var questions []question
	for _, q := range cases {
		switch q.Flags {
		case "-":
			q.Flags = ""
		default:
			q.Flags += "ms"
		}
		questions = append(questions, q)
	}
	good := len(questions)
	for _, pattern := range bad {
		questions = append(questions, question{Pattern: pattern, Flags: "ms"})
	}
	malformed := len(questions)
	for pattern := range refused {
		questions = append(questions, question{Pattern: pattern, Flags: "ms"})
	}
	for i, want := range askPython(t, questions) {
		q := questions[i]
		switch {
		case i < good:
			if want.Error != "" {
				t.Errorf("%q: not a good case, Python says %s", q.Pattern, want.Error)
			} else if diff := compare(t, q, want); diff != "" {
				t.Errorf("%q %s %q: %s", q.Pattern, q.Flags, q.Text, diff)
			}
		case i < malformed:
			if want.Error == "" {
				t.Errorf("%q: not a bad case, Python accepts it", q.Pattern)
			}
			checkRefusal(t, q.Pattern, false, "")
		default:
			if want.Error != "" {
				t.Errorf("%q: not a refused case, Python says %s", q.Pattern, want.Error)
			}
			checkRefusal(t, q.Pattern, true, refused[q.Pattern])
		}
	}
}

func checkRefusal(t *testing.T, pattern string, unsupported bool, reason string) {
	t.Helper()
	_, err := pyregex.Compile(pattern, pyregex.DotAll|pyregex.Multiline)
	var se *pyregex.SyntaxError
	if !errors.As(err, &se) {
		t.Errorf("%q: got %v, want a SyntaxError", pattern, err)
		return
	}
	if se.Pattern != pattern || se.Pos < 0 || se.Pos > len([]rune(pattern)) || se.Unsupported != unsupported || !strings.Contains(se.Msg, reason) {
		t.Errorf("%q: got %+v", pattern, *se)
	}
}

func TestSyntaxError_says_where_and_what_instead(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		`é\p{L}`:     `invalid regular expression: bad escape \p: Python's re has no Unicode properties; for letters use [^\W\d_] (at position 1)`,
		`a\z`:        `invalid regular expression: bad escape \z: the end of the text is \Z (at position 1)`,
		`(?<n>a)`:    `invalid regular expression: unknown extension ?<n: a named group is written (?P<name>...) (at position 1)`,
		`a(b`:        `invalid regular expression: missing ), unterminated subpattern (at position 1)`,
		`ab)`:        `invalid regular expression: unbalanced parenthesis (at position 2)`,
		`x**`:        `invalid regular expression: multiple repeat (at position 2)`,
		`[z-a]`:      `invalid regular expression: bad character range z-a (at position 1)`,
		`a\N{BEL}`:   `regular expression cannot be honoured exactly: \N{BEL}: characters cannot be given by name; write the character itself or \uXXXX (at position 1)`,
		"a\xff":      `invalid regular expression: the pattern is not valid UTF-8 (at position 0)`,
		`(?<=a*)b`:   `invalid regular expression: look-behind requires fixed-width pattern (at position 0)`,
		`(a)(?i)b`:   `invalid regular expression: global flags not at the start of the expression (at position 3)`,
		`(?P<a>x)\2`: `invalid regular expression: invalid group reference 2 (at position 9)`,
	} {
		if _, err := pyregex.Compile(pattern, 0); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", pattern, err, want)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	re, err := pyregex.Compile(`(a)(?P<n>b)?(?:c)(?P<m>d)`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if re.NumGroups() != 3 || re.GroupName(1) != "" || re.GroupName(2) != "n" || re.GroupName(3) != "m" || re.GroupName(0) != "" || re.GroupName(4) != "" {
		t.Errorf("groups: %d %q %q %q", re.NumGroups(), re.GroupName(1), re.GroupName(2), re.GroupName(3))
	}
	if i, ok := re.GroupIndex("m"); i != 3 || !ok {
		t.Errorf("m is group %d, %v", i, ok)
	}
	if _, ok := re.GroupIndex(""); ok {
		t.Error("the empty name is a group")
	}
	if re.String() != `(a)(?P<n>b)?(?:c)(?P<m>d)` {
		t.Errorf("String is %s", re.String())
	}
}

func TestFindN_and_Find(t *testing.T) {
	t.Parallel()
	for name, pattern := range map[string]string{"plain": `ab`, "linear": `a[b]`, "engine": `a(?=b)b`, "empty": `(?=a)`} {
		re, err := pyregex.Compile(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range map[int]int{0: 0, 1: 1, 2: 2, 5: 3, -1: 3} {
			if got, err := re.FindN(t.Context(), "ab ab ab", n); err != nil || len(got) != want {
				t.Errorf("%s: FindN(%d) gave %d, %v", name, n, len(got), err)
			}
		}
		m, ok, err := re.Find(t.Context(), "é ab")
		if err != nil || !ok || m.Start != 3 {
			t.Errorf("%s: Find gave %+v, %v, %v", name, m, ok, err)
		}
		if _, ok, err := re.Find(t.Context(), "é"); ok || err != nil {
			t.Errorf("%s: Find in a text without match gave %v, %v", name, ok, err)
		}
	}
}

func TestFindAll_over_bytes_that_are_not_utf8(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{`b`, `[b]`, `b(?!c)`} {
		re, err := pyregex.Compile(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := re.FindAll(t.Context(), "\xff\xe9b\xe2\x82b")
		if err != nil || len(got) != 2 || got[0].Start != 2 || got[1].Start != 5 {
			t.Errorf("%s: got %+v, %v", pattern, got, err)
		}
	}
}

func TestFindAll_stops_in_time(t *testing.T) {
	t.Parallel()
	re, err := pyregex.Compile(`(?:(?:x|y|x y)+\n?)+(?=z)`, pyregex.DotAll)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err = re.FindAll(ctx, strings.Repeat("xy", 4000))
	if !errors.Is(err, pyregex.ErrTimeout) {
		t.Errorf("got %v, want ErrTimeout", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if _, err := re.FullMatch(ctx, "x"); !errors.Is(err, pyregex.ErrTimeout) {
		t.Errorf("after the deadline: FullMatch gave %v", err)
	}
}

func TestFindAll_reports_matches_found_before_the_end(t *testing.T) {
	t.Parallel()
	re, err := pyregex.Compile(`ab|(?:(?:x|y|xy)+)+(?=z)`, pyregex.DotAll)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	got, err := re.FindAll(ctx, "ab ab "+strings.Repeat("xy", 4000))
	if !errors.Is(err, pyregex.ErrTimeout) || len(got) != 2 || got[1].Start != 3 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestFindAll_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the caller left")
	cancel(reason)
	for _, pattern := range []string{`b`, `[b]`, `b(?!c)`} {
		re, err := pyregex.Compile(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := re.FindAll(ctx, "b"); !errors.Is(err, reason) || got != nil {
			t.Errorf("%s: got %v, %v", pattern, got, err)
		}
	}
}

func TestFindAll_cancelled_within_a_match(t *testing.T) {
	t.Parallel()
	for pattern, text := range map[string]string{`(?:(?:x|y|x y)+\n?)+(?=z)`: strings.Repeat("xy", 4000), `(?=(a+b))\1`: strings.Repeat("a", 1<<20)} {
		re, err := pyregex.Compile(pattern, pyregex.DotAll)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("the caller left")
		var left time.Time
		timer := time.AfterFunc(50*time.Millisecond, func() { left = time.Now(); cancel(reason) })
		_, err = re.FindAll(ctx, text)
		if !errors.Is(err, reason) {
			t.Fatalf("%s: got %v", pattern, err)
		}
		if took := time.Since(left); took > 2*time.Second { // the engine alone would take ten; generous, for a busy machine
			t.Errorf("%s: ended %v after it was cancelled", pattern, took)
		}
		timer.Stop()
	}
}

func TestFindAll_too_many_open_alternatives(t *testing.T) {
	t.Parallel()
	re, err := pyregex.Compile(`(?:(x|y)|\n)+(?=z)`, pyregex.DotAll)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := re.FindAll(t.Context(), strings.Repeat("xy\n", 2<<20)); !errors.Is(err, pyregex.ErrTooDeep) {
		t.Errorf("got %v, want ErrTooDeep", err)
	}
}

// The pattern that froze others (a quantified group of "any line"): linear here, because it needs no backtracking engine.
func TestFindAll_quantified_group_of_lines(t *testing.T) {
	t.Parallel()
	re, err := pyregex.Compile(`(x y\n)+z`, pyregex.DotAll|pyregex.Multiline)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := re.FindAll(t.Context(), strings.Repeat("x y\n", 1<<15)); err != nil || got != nil {
		t.Errorf("got %d matches, %v", len(got), err)
	}
}

func BenchmarkFindAll(b *testing.B) {
	text := strings.Repeat("func name(x int) error { return nil } // été\n", 20000)
	for name, pattern := range map[string]string{"plain": `return`, "linear": `func (\w+)\(`, "engine": `(?<=func )\w+`} {
		re, err := pyregex.Compile(pattern, pyregex.DotAll|pyregex.Multiline)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if got, err := re.FindAll(b.Context(), text); err != nil || len(got) != 20000 {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := pyregex.Compile(`(?<=\bfoo)\s+(\w+)`, pyregex.DotAll); err != nil {
			b.Fatal(err)
		}
	}
}
