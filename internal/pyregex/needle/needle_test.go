package needle_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/pyregex/needle"
)

func of(t *testing.T, sets ...string) needle.Needle {
	t.Helper()
	var all []needle.Set
	for _, s := range sets {
		all = append(all, needle.Set(s))
	}
	n, ok := needle.New(all)
	if !ok {
		t.Fatalf("%q is no needle", sets)
	}
	return n
}

// The expected places come from regexp, with a class for each place.
func TestIndex_agrees_with_regexp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 9))
	const letters = "abAB \n"
	for range 2000 {
		var sets []string
		expr := ""
		for range 1 + r.IntN(4) {
			set := ""
			for range 1 + r.IntN(3) {
				set += string(letters[r.IntN(len(letters))])
			}
			sets = append(sets, set)
			expr += "[" + set + "]"
		}
		var all []needle.Set
		for _, s := range sets {
			all = append(all, needle.Set(s))
		}
		n, ok := needle.New(all)
		if !ok {
			continue // three bytes in each place
		}
		re := regexp.MustCompile(expr)
		text := ""
		for range r.IntN(60) {
			text += string(letters[r.IntN(len(letters))])
		}
		for from := 0; from <= len(text); from++ {
			want := -1
			if at := re.FindStringIndex(text[from:]); at != nil {
				want = from + at[0]
			}
			if got := n.Index(text, from); got != want {
				t.Fatalf("%q in %q from %d: got %d, want %d", sets, text, from, got, want)
			}
		}
	}
}

func TestCursor_finds_the_first_of_several(t *testing.T) {
	t.Parallel()
	all := []needle.Needle{of(t, "z"), of(t, "a", "b"), of(t, "xX", "yY")}
	var c needle.Cursor
	const text = "--XY--ab--xy-z"
	c.Reset(all, text)
	var got []int
	for at := 0; ; {
		place, length := c.Next(at)
		if place < 0 {
			break
		}
		got = append(got, place, length)
		at = place + 1
	}
	if want := []int{2, 2, 6, 2, 10, 2, 13, 1}; !equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	c.Reset(all[:1], "nothing")
	if place, _ := c.Next(0); place != -1 {
		t.Errorf("found at %d", place)
	}
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestNew_without_a_byte_to_look_for(t *testing.T) {
	t.Parallel()
	if _, ok := needle.New(nil); ok {
		t.Error("an empty needle")
	}
	if _, ok := needle.New([]needle.Set{needle.Set("abc")}); ok {
		t.Error("three bytes cannot be looked for")
	}
	n := of(t, "abc", "q")
	if got := n.Index(strings.Repeat("aq", 3), 1); got != 2 || n.Len() != 2 || !n.Holds('b') || n.Holds('z') || n.Frequency() <= 0 {
		t.Errorf("got %d, length %d", got, n.Len())
	}
}
