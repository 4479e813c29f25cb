package replace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/internal/replace"
)

// unify is a text as needles see it.
func unify(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// gaps are the pieces of a text, as bytes, between the matches of a literal needle: looked for at every place in turn, without
// regard to how the code under test counts.
func gaps(text, needle string) (pieces []string, matches int) {
	needle = unify(needle)
	start := 0
	for at := 0; at <= len(text); {
		rest, end := needle, at
		for rest != "" && end < len(text) && (end == 0 || text[end-1] != '\r' || text[end] != '\n' || end > at) {
			size := 1
			if strings.HasPrefix(text[end:], "\r\n") {
				size = 2
			}
			if unify(text[end:end+size]) != rest[:1] {
				break
			}
			rest, end = rest[1:], end+size
		}
		if rest != "" {
			at++
			continue
		}
		pieces = append(pieces, text[start:at])
		matches++
		start, at = end, end
	}
	return append(pieces, text[start:]), matches
}

// The model of a literal replacement: what is between the matches stays, byte by byte, and each match becomes the replacement.
func FuzzLiteral(f *testing.F) {
	for _, ending := range []string{"\n", "\r\n", "\r"} {
		f.Add("a"+ending+"b"+ending+ending+"a", "a\n", "x\ny")
		f.Add("é😀\xff"+ending+"\xff", "\xff", "\xfe"+ending)
		f.Add(ending+ending+"\r\n\n\r", "\n", "")
		f.Add("aaaa"+ending, "aa", "a"+ending+"a")
	}
	f.Fuzz(func(t *testing.T, text, needle, repl string) {
		if needle == "" || strings.Contains(unify(needle), "\ufffd") {
			t.Skip()
		}
		pieces, matches := gaps(text, needle)
		compiled, err := replace.Compile(replace.Request{Needle: needle})
		if err != nil {
			t.Fatal(err)
		}
		if has, err := compiled.In(t.Context(), unify(text)); err != nil || has != (matches > 0) {
			t.Fatalf("%q in %q: %v, %v", needle, text, has, err)
		}
		plan, err := replace.Make(t.Context(), text, replace.Request{Needle: needle, Repl: repl, AllowMultiple: true})
		if matches == 0 {
			if !errors.Is(err, replace.ErrNotFound) {
				t.Fatalf("%q for %q in %q: %v", repl, needle, text, err)
			}
			return
		}
		if err != nil || plan.Count != matches {
			t.Fatalf("%q for %q in %q: %d matches, %v; want %d", repl, needle, text, plan.Count, err, matches)
		}
		got := apply(text, plan.Edits)
		if unify(got) != unify(strings.Join(pieces, repl)) && !meetsFeed(pieces, repl) {
			t.Fatalf("%q for %q in %q gives %q", repl, needle, text, got)
		}
		for _, piece := range pieces {
			_, rest, found := strings.Cut(got, piece)
			if !found {
				t.Fatalf("%q for %q in %q gives %q, which has lost %q", repl, needle, text, got, piece)
			}
			got = rest
		}
	})
}

// meetsFeed tells whether a carriage return of the one comes to stand before a line feed of the other, so that two endings are one.
func meetsFeed(pieces []string, repl string) bool {
	has := func(cr, lf string) bool { return strings.HasSuffix(cr, "\r") && strings.HasPrefix(lf, "\n") }
	for i, p := range pieces {
		if has(p, repl) || has(repl, p) || repl == "" && i > 0 && has(strings.Join(pieces[:i], ""), p) {
			return true
		}
	}
	return false
}

// Expected values: python3, re.subn.
func TestMake_agrees_with_python(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(21, 22))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var atom func(depth int) string
	atom = func(depth int) string {
		if depth == 0 || rng.IntN(3) > 0 {
			return pick("a", "b", `\w`, `\s`, ".", "[ab]", "[^a]", `\b`, "^", "$", "é", `\n`)
		}
		inner := atom(depth-1) + atom(depth-1)
		return pick("(", "(?:", "(?=", "(?<!x)(", "(?P<n>") + inner + pick("|b", "") + ")"
	}
	var questions [][3]string
	var input bytes.Buffer
	for len(questions) < 8000 {
		q := [3]string{atom(2) + pick("", "*", "+", "?", "*?", "{1,2}") + atom(2), pick("", "x", "$!0", "[$!1]", `\1\n`, "$!1$!0$1", "$!2", "y\n"), ""}
		for range rng.IntN(14) {
			q[2] += pick("a", "b", "é", " ", "x", "\n", "ab")
		}
		line, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
		questions = append(questions, q)
	}
	cmd := exec.CommandContext(t.Context(), "python3", "testdata/oracle.py")
	cmd.Stdin = &input
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("python3: %v", err)
	}
	answers := json.NewDecoder(bytes.NewReader(out))
	compared := 0
	for _, q := range questions {
		var want any
		if err := answers.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if compareSub(t, q, want) {
			compared++
		}
	}
	if compared < 2000 {
		t.Errorf("only %d of %d replacements could be compared", compared, len(questions))
	}
}

// compareSub reports a difference; it is false where there is nothing to compare, since both refuse or we do.
func compareSub(t *testing.T, q [3]string, want any) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	plan, err := replace.Make(ctx, q[2], replace.Request{Needle: q[0], Repl: q[1], Regex: true, AllowMultiple: true})
	result, isResult := want.([]any)
	var syntax *pyregex.SyntaxError
	switch {
	case errors.Is(err, replace.ErrAmbiguous), errors.Is(err, pyregex.ErrTooDeep), errors.As(err, &syntax) && syntax.Unsupported:
		return false
	case errors.Is(err, replace.ErrGroup): // told before there is a match
		return false
	case !isResult:
		if err == nil {
			t.Errorf("%q: accepted, but Python says %v", q, want)
		}
	case hasMatch(t, q) != (result[1] != float64(0)):
		t.Errorf("%q: In does not agree with Python's %q", q, result)
	case result[1] == float64(0):
		if !errors.Is(err, replace.ErrNotFound) {
			t.Errorf("%q: %v, but Python finds nothing", q, err)
		}
	case err != nil:
		t.Errorf("%q: %v, but Python gives %q", q, err, result)
	case apply(q[2], plan.Edits) != result[0] || float64(plan.Count) != result[1]:
		t.Errorf("%q: %q of %d, but Python gives %q", q, apply(q[2], plan.Edits), plan.Count, result)
	default:
		return true
	}
	return false
}

func hasMatch(t *testing.T, q [3]string) bool {
	t.Helper()
	needle, err := replace.Compile(replace.Request{Needle: q[0], Repl: "", Regex: true})
	if err != nil {
		t.Fatal(err)
	}
	has, err := needle.In(t.Context(), q[2])
	if err != nil {
		t.Fatal(err)
	}
	return has
}
