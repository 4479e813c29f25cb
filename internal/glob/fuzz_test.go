package glob_test

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/glob"
)

// plainGlob are the globs that the reference knows: no quoting, no nested braces, sets of letters.
var plainGlob = regexp.MustCompile(`^(?:[a-z.?*/]|\[!?(?:[a-z]-[a-z]|[a-z]+)\]|\{[a-z.?*,]*\})*$`)

// FuzzMatch compares the engine with the reference.
func FuzzMatch(f *testing.F) {
	f.Add("src/**/*.{go,ts}", "src/a/b.ts")
	f.Add("**/[a-c]?[!x]*", "x/y/abc")
	f.Add("a**b/**", "a/x/b/c")
	f.Add("{,a}b*", "ab.c")
	f.Fuzz(func(t *testing.T, pattern, rel string) {
		if len(pattern) > 40 || len(rel) > 40 || !plainGlob.MatchString(pattern) || strings.Contains(pattern, "***") || strings.HasPrefix(pattern, "./") ||
			rel != path.Clean(rel) || path.IsAbs(rel) || strings.HasPrefix(rel, ".") || strings.ContainsFunc(rel, func(r rune) bool { return r > 'z' || r < '.' }) {
			t.Skip("not for this comparison")
		}
		g, err := glob.Compile(pattern)
		if err != nil {
			t.Skip(err)
		}
		if got, want := g.Match(rel), reference(pattern, rel); got != want {
			t.Errorf("%q on %q: got %v, want %v", pattern, rel, got, want)
		}
	})
}
