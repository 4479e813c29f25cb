package pyregex_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/pyregex"
)

// FuzzFinder compares the lines that a Finder finds with those of FindAll, whose meaning python3 has confirmed.
func FuzzFinder(f *testing.F) {
	for _, q := range cases {
		f.Add(q.Pattern, q.Text)
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		text = strings.ReplaceAll(text, "\r", "\n")
		if len(pattern) > 200 || len(text) > 2000 {
			t.Skip("it would take long")
		}
		re, err := pyregex.Compile(pattern, pyregex.DotAll|pyregex.Multiline)
		if err != nil {
			t.Skip(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		matches, err := re.FindAll(ctx, text)
		if err != nil {
			t.Skip(err)
		}
		var want lineSpans
		for _, m := range matches {
			want.add(text, m.Start, m.End)
		}
		if got := found(t, re.Finder(false), text); !slices.Equal(got, want) {
			t.Errorf("%q in %q: got %v, want %v", pattern, text, got, want)
		}
	})
}

// FuzzCompile puts pattern and text to python3.
func FuzzCompile(f *testing.F) {
	for _, pattern := range []string{`a+?b|c`, `(?P<n>x)\1?`, `(?<=a)[^b-d]*$`, `^\s*(\w+)`, `(?i)é{1,2}`, `(?>a|ab)c`} {
		f.Add(pattern, "xx ab\nac éÉ b")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		strange := func(r rune) bool { return r > 0x24f || r == 0 } // tables of characters differ from version to version
		if len(pattern) > 60 || len(text) > 200 || !utf8.ValidString(pattern+text) || strings.ContainsFunc(pattern+text, strange) || strings.Contains(pattern, `\u`) || strings.Contains(pattern, `\U`) {
			t.Skip("not for this comparison")
		}
		q := question{Pattern: pattern, Flags: "ms", Text: text}
		want := askPython(t, []question{q})[0]
		if _, err := pyregex.Compile(pattern, flagsOf(q.Flags)); want.Slow || err != nil && want.Error == "" {
			t.Skip("refused, or slow")
		}
		if diff := compare(t, q, want); diff != "" {
			t.Errorf("%q in %q: %s", pattern, text, diff)
		}
	})
}
