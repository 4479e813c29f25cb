package glob_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/glob"
)

// reference matches a glob as its documentation says, by trying everything: braces are multiplied out by hand, and each part of the
// pattern takes each part of the path that it can.
func reference(pattern, path string) bool {
	if open := strings.IndexByte(pattern, '{'); open >= 0 { // made here: neither nested nor quoted
		end := open + strings.IndexByte(pattern[open:], '}')
		for alternative := range strings.SplitSeq(pattern[open+1:end], ",") {
			if reference(pattern[:open]+alternative+pattern[end+1:], path) {
				return true
			}
		}
		return false
	}
	return referenceAt(pattern, path, true)
}

// referenceAt matches the rest of a pattern against the rest of a path; partStart says that a part of the pattern begins here.
func referenceAt(pattern, path string, partStart bool) bool {
	switch {
	case pattern == "":
		return path == ""
	case pattern == "**" && partStart: // all below, and there is something
		return path != ""
	case strings.HasPrefix(pattern, "**/") && partStart:
		for rest := path; ; {
			if referenceAt(pattern[3:], rest, true) {
				return true
			}
			i := strings.IndexByte(rest, '/')
			if i < 1 { // no further folder
				return false
			}
			rest = rest[i+1:]
		}
	case strings.HasPrefix(pattern, "**"):
		for i := 0; i <= len(path); i++ {
			if referenceAt(pattern[2:], path[i:], false) {
				return true
			}
		}
		return false
	case pattern[0] == '*':
		for i := 0; i <= len(path); i++ {
			if referenceAt(pattern[1:], path[i:], false) {
				return true
			}
			if i < len(path) && path[i] == '/' {
				break
			}
		}
		return false
	}
	if path == "" {
		return false
	}
	c := path[0]
	switch {
	case strings.HasPrefix(pattern, "["):
		end := strings.IndexByte(pattern, ']')
		set := pattern[1:end]
		negated := strings.HasPrefix(set, "!")
		set = strings.TrimPrefix(set, "!")
		holds := strings.IndexByte(set, c) >= 0
		if len(set) == 3 && set[1] == '-' {
			holds = set[0] <= c && c <= set[2]
		}
		return c != '/' && holds != negated && referenceAt(pattern[end+1:], path[1:], false)
	case pattern[0] == '?':
		return c != '/' && referenceAt(pattern[1:], path[1:], false)
	}
	return c == pattern[0] && referenceAt(pattern[1:], path[1:], c == '/')
}

func TestMatch_agrees_with_a_reference_on_generated_cases(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 8))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	some := func(least, most int, between string, from ...string) string {
		var parts []string
		for range least + r.IntN(most-least+1) {
			parts = append(parts, pick(from...))
		}
		return strings.Join(parts, between)
	}
	compared, matched := 0, 0
	for compared < 60_000 {
		parts := 1 + r.IntN(4)
		var pattern []string
		for range parts {
			if r.IntN(4) == 0 {
				pattern = append(pattern, "**")
				continue
			}
			pattern = append(pattern, some(1, 3, "", "a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-c]", "{a,b}", "{,c}", "**", "ab"))
		}
		source := strings.Join(pattern, "/")
		if strings.Contains(source, "***") || strings.HasPrefix(source, "./") { // three stars may be read in two ways; "./" means nothing
			continue
		}
		g, err := glob.Compile(source)
		if err != nil { // "." as a part, or an empty one
			continue
		}
		for range 12 {
			var path []string
			for range 1 + r.IntN(4) {
				path = append(path, some(1, 3, "", "a", "b", "c", "."))
			}
			rel := strings.Join(path, "/")
			want := reference(source, rel)
			if got := g.Match(rel); got != want {
				t.Errorf("%s on %s: got %v, want %v", source, rel, got, want)
			}
			if dir := g.PrefixDir(); want && dir != "." && !strings.HasPrefix(rel, dir+"/") {
				t.Errorf("%s matches %s, which is not below its PrefixDir %s", source, rel, dir)
			}
			compared++
			if want {
				matched++
			}
		}
	}
	if matched < compared/50 {
		t.Errorf("%d of %d match: too few to tell", matched, compared)
	}
}
