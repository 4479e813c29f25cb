package lazydfa_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/lazydfa"
)

var ascii = []lazydfa.Span{{Low: '0', High: '9'}, {Low: 'A', High: 'Z'}, {Low: '_', High: '_'}, {Low: 'a', High: 'z'}}

func compile(t *testing.T, expr string, o lazydfa.Options) *lazydfa.Machine {
	t.Helper()
	o.Word = ascii
	p, err := lazydfa.Compile(expr, o)
	if err != nil {
		t.Fatal(err)
	}
	return p.NewMachine()
}

func always() error { return nil }

// ends lists where the matches in a text end, one after the other.
func ends(t *testing.T, m *lazydfa.Machine, text string) []int {
	t.Helper()
	var all []int
	for at := 0; at <= len(text); {
		end, found, err := m.Find(text, at, len(text), false, always)
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			break
		}
		all = append(all, end)
		if at = end; end == at && len(all) > 1 && all[len(all)-2] == end {
			break
		}
	}
	return all
}

// mirrored are expressions with their mirror images; none matches the empty text.
var mirrored = map[string]string{
	`abc`: `cba`, `a+b`: `ba+`, `a|ab`: `a|ba`, `(?:a|b)*c`: `c(?:a|b)*`, `a.*?b`: `b.*?a`, `(?s:a.*b)`: `(?s:b.*a)`, `(?m:^)a`: `a(?m:$)`,
	`a(?m:$)`: `(?m:^)a`, `\Aab`: `ba\z`, `ab\z`: `\Aba`, `\bab\b`: `\bba\b`, `\Ba`: `a\B`, `[^a]b`: `b[^a]`, `é+a`: `aé+`, `[à-ü漢]b?`: `b?[à-ü漢]`,
	`a{2,3}`: `a{2,3}`, `(?:ab){2}|b`: `(?:ba){2}|b`, `.`: `.`, `\n+`: `\n+`, `b??a`: `ab??`,
}

// The expected places come from Go's regexp, which tries the same alternatives first.
func TestFind_agrees_with_regexp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "b", "ab", "c", "\n", " ", "é", "ü", "漢", "_", "\xff", "aab"}
	for expr, image := range mirrored {
		want := regexp.MustCompile(expr)
		forward, backward := compile(t, expr, lazydfa.Options{}), compile(t, image, lazydfa.Options{Backward: true})
		for range 300 {
			var b strings.Builder
			for range r.IntN(20) {
				b.WriteString(letters[r.IntN(len(letters))])
			}
			text := b.String()
			at := want.FindStringIndex(text)
			end, found, err := forward.Find(text, 0, len(text), false, always)
			if err != nil || found != (at != nil) || found && end != at[1] {
				t.Fatalf("%s in %q: got %d, %v, %v, want %v", expr, text, end, found, err, at)
			}
			if _, first, _ := forward.Find(text, 0, len(text), true, always); first != found {
				t.Errorf("%s in %q: earliest %v", expr, text, first)
			}
			if !found {
				continue
			}
			if start, found, err := backward.Find(text, 0, end, false, always); err != nil || !found || start != at[0] {
				t.Errorf("%s in %q: begins at %d, %v, %v, want %d", expr, text, start, found, err, at[0])
			}
		}
	}
}

func TestFind_goes_on_from_a_place(t *testing.T) {
	t.Parallel()
	m := compile(t, `\bab?`, lazydfa.Options{})
	if got := ends(t, m, "ab a xa ab"); len(got) != 3 || got[0] != 2 || got[1] != 4 || got[2] != 10 {
		t.Errorf("got %v", got)
	}
	line := compile(t, `a(?m:$)`, lazydfa.Options{})
	if end, found, _ := line.Find("ba\nab", 0, 2, false, always); !found || end != 2 {
		t.Errorf("the end of a line: %d, %v", end, found)
	}
	if _, found, _ := line.Find("aab", 0, 1, false, always); found {
		t.Error("a limit is not the end of a line")
	}
}

// An expression with more states than fit is slower, not wrong.
func TestFind_forgets_states(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for range 300_000 {
		b.WriteByte("ab"[r.IntN(2)])
	}
	b.WriteString("!")
	text := b.String()
	expr := `a[ab]{16}!`
	want := regexp.MustCompile(expr).FindStringIndex(text)
	end, found, err := compile(t, expr, lazydfa.Options{}).Find(text, 0, len(text), false, always)
	if err != nil || found != (want != nil) || found && end != want[1] {
		t.Errorf("got %d, %v, %v, want %v", end, found, err, want)
	}
}

func TestFind_stops(t *testing.T) {
	t.Parallel()
	stop := errors.New("enough")
	asked := 0
	check := func() error {
		if asked++; asked == 3 {
			return stop
		}
		return nil
	}
	if _, _, err := compile(t, `ab`, lazydfa.Options{}).Find(strings.Repeat("a", 10<<20), 0, 10<<20, false, check); !errors.Is(err, stop) || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	asked = 0
	if _, _, err := compile(t, `ba+`, lazydfa.Options{Backward: true}).Find(strings.Repeat("a", 10<<20), 0, 10<<20, false, check); err != nil {
		t.Errorf("a backward search that is dead at once: %v", err)
	}
	asked = 0
	if _, _, err := compile(t, `a+b`, lazydfa.Options{Backward: true}).Find(strings.Repeat("a", 10<<20), 0, 10<<20, false, check); !errors.Is(err, stop) {
		t.Errorf("backward: %v", err)
	}
}

func TestCompile_refuses_what_is_too_large(t *testing.T) {
	t.Parallel()
	if _, err := lazydfa.Compile(`(?:a{100}b{100}){50}`, lazydfa.Options{}); err == nil {
		t.Error("an expression of 10,000 parts is accepted")
	}
	if _, err := lazydfa.Compile(`(`, lazydfa.Options{}); err == nil {
		t.Error("a malformed expression is accepted")
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("func name(x int) error { return nil } // été\n", 20000)
	p, err := lazydfa.Compile(`[A-Z]\w+Handler`, lazydfa.Options{Word: ascii})
	if err != nil {
		b.Fatal(err)
	}
	m := p.NewMachine()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, found, _ := m.Find(text, 0, len(text), false, always); found {
			b.Fatal("found")
		}
	}
}
