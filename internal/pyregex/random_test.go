package pyregex_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/pyregex"
)

// maker makes patterns and texts that have a good chance to match.
type maker struct {
	*rand.Rand
	groups int
	depth  int
	behind bool // in a look-behind, where only fixed widths are legal
}

func newMaker(seed uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, 7))} }

func (m *maker) pick(from ...string) string { return from[m.IntN(len(from))] }

func (m *maker) pattern() string {
	m.groups, m.depth = 0, 0
	flags := ""
	if m.IntN(5) == 0 {
		flags = m.pick("(?i)", "(?a)", "(?ia)")
	}
	return flags + m.alternatives()
}

func (m *maker) alternatives() string {
	parts := []string{m.sequence()}
	for m.IntN(4) == 0 && !m.behind {
		parts = append(parts, m.sequence())
	}
	return strings.Join(parts, "|")
}

func (m *maker) sequence() string {
	var out strings.Builder
	for range 1 + m.IntN(4) {
		out.WriteString(m.item())
	}
	return out.String()
}

func (m *maker) item() string {
	m.depth++
	defer func() { m.depth-- }()
	atom := ""
	switch n := m.IntN(20); {
	case n < 9 || m.depth > 3:
		return m.character() + m.quantifier()
	case n < 11:
		return m.pick(`^`, `$`, `\b`, `\B`, `\A`, `\Z`)
	case n < 13:
		atom = "(?:" + m.alternatives() + ")"
	case n < 15:
		m.groups++
		atom = "(" + m.alternatives() + ")"
	case n == 15 && m.groups > 0 && !m.behind:
		return `\1`
	case n == 16:
		return "(?" + m.pick("=", "!") + m.alternatives() + ")"
	case n == 17:
		outer := m.behind
		m.behind = true
		defer func() { m.behind = outer }()
		return "(?<" + m.pick("=", "!") + m.sequence() + ")"
	case n == 18:
		atom = "(?>" + m.alternatives() + ")"
	default:
		atom = "foo"
	}
	return atom + m.quantifier()
}

func (m *maker) character() string {
	return m.pick("a", "b", "ab", "foo", "k", "s", "é", "_", " ", ";", `\n`, `.`, `\w`, `\W`, `\d`, `\s`, `\S`, `[ab]`, `[^a]`, `[^\n]`, `[a-k]`, `[\s\S]`, `[éà]`, `\.`)
}

func (m *maker) quantifier() string {
	switch {
	case m.behind:
		return m.pick("", "", "{2}")
	case m.depth > 1: // loops in loops are slow
		return m.pick("", "", "", "?", "??", "{2}", "?+")
	}
	return m.pick("", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "++", "*+")
}

func (m *maker) text() string {
	var out strings.Builder
	for range m.IntN(30) {
		out.WriteString(m.pick("a", "b", "ab", "foo", "k", "S", "K", "\u212a", "é", "É", "_", " ", ";", "\n", "\n\n", ".", "1", "\t", "x", "fooab", "B"))
	}
	return out.String()
}

// lineSpans are the first and last lines of matches; those that share a line are one.
type lineSpans [][2]int

func (l *lineSpans) add(text string, start, end int) {
	first, last := strings.Count(text[:start], "\n"), strings.Count(text[:max(start, end-1)], "\n")
	if n := len(*l); n > 0 && first <= (*l)[n-1][1] {
		(*l)[n-1][1] = max((*l)[n-1][1], last)
		return
	}
	*l = append(*l, [2]int{first, last})
}

func found(t *testing.T, f *pyregex.Finder, text string) lineSpans {
	t.Helper()
	var got lineSpans
	if err := f.Each(t.Context(), text, func(start, end int) bool { got.add(text, start, end); return true }); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return got
}

// The expected lines come from FindAll, whose meaning python3 has confirmed.
func TestFinder_finds_the_lines_that_FindAll_does(t *testing.T) {
	t.Parallel()
	m := newMaker(1)
	compared, matched := 0, 0
	for range 1500 {
		pattern := m.pattern()
		whole, err := pyregex.Compile(pattern, pyregex.DotAll|pyregex.Multiline)
		if err != nil {
			continue
		}
		line, err := pyregex.Compile(pattern, 0)
		if err != nil {
			t.Fatal(err)
		}
		finder, byLine := whole.Finder(false), line.Finder(true)
		for range 4 {
			text := m.text()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			matches, err := whole.FindAll(ctx, text)
			cancel()
			if err != nil { // a runaway pattern
				break
			}
			var want lineSpans
			for _, match := range matches {
				want.add(text, match.Start, match.End)
			}
			if got := found(t, finder, text); !slices.Equal(got, want) {
				t.Errorf("%q in %q: got %v, want %v", pattern, text, got, want)
			}
			compared++
			matched += min(1, len(want))
			want = nil
			for i, part := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				_, ok, err := line.Find(t.Context(), part)
				if err != nil {
					t.Fatal(err)
				}
				if ok && text != "" {
					want = append(want, [2]int{i, i})
				}
			}
			if got := found(t, byLine, text); !slices.Equal(got, want) {
				t.Errorf("%q by line in %q: got %v, want %v", pattern, text, got, want)
			}
		}
	}
	if compared < 3000 || matched < compared/4 {
		t.Errorf("%d comparisons with %d matches: too few to tell", compared, matched)
	}
}

// Thousands of patterns that nobody thought of, put to python3.
func TestRandom_patterns_mean_what_python_means(t *testing.T) {
	t.Parallel()
	m := newMaker(2)
	var questions []question
	for range 3000 {
		questions = append(questions, question{Pattern: m.pattern(), Flags: m.pick("ms", "ms", "", "i"), Text: m.text()})
	}
	refused, slow := 0, 0
	for i, want := range askPython(t, questions) {
		q := questions[i]
		if want.Slow {
			slow++
			continue
		}
		if _, err := pyregex.Compile(q.Pattern, flagsOf(q.Flags)); err != nil && want.Error == "" {
			refused++
			continue
		}
		if diff := compare(t, q, want); diff != "" {
			t.Errorf("%q %s %q: %s", q.Pattern, q.Flags, q.Text, diff)
		}
	}
	if refused > len(questions)/5 || slow > len(questions)/100 {
		t.Errorf("of %d patterns %d that Python accepts are refused, and %d are slow", len(questions), refused, slow)
	}
}

func TestFinder_is_cancelled_within_a_long_line(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("abc ", 5<<20)
	for _, pattern := range []string{`[a-c]{3} x`, `(?:\w+ )+x\b`, `zebra`} {
		re, err := pyregex.Compile(pattern, pyregex.DotAll|pyregex.Multiline)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		begin := time.Now()
		_ = re.Finder(false).Each(ctx, text, func(int, int) bool { return true })
		cancel()
		if took := time.Since(begin); took > time.Second { // generous: the machine may be busy
			t.Errorf("%s: ended after %v", pattern, took)
		}
	}
}
