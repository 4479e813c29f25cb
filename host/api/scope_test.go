package api

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

func enabled(s *Scope) string {
	var names []string
	for _, f := range s.registry.facades {
		names = append(names, methodNames(f, s, f.Name+".")...)
	}
	return strings.Join(names, " ")
}

func TestScope(t *testing.T) {
	t.Parallel()
	r := compose(t, fake{})
	for name, c := range map[string]struct {
		definitions []Definition
		readOnly    bool
		want        string
		notes       string
	}{
		"default":                       {want: "tree.pick tree.cut tree.smell tree.climb"},
		"optional method named":         {definitions: []Definition{{Included: []string{"tree.burn"}}}, want: "tree.pick tree.cut tree.burn tree.smell tree.climb"},
		"optional facade":               {definitions: []Definition{{Included: []string{"far"}}}, want: "tree.pick tree.cut tree.smell tree.climb far.go_there"},
		"one method of an optional one": {definitions: []Definition{{Included: []string{"far.go_there"}}}, want: "tree.pick tree.cut tree.smell tree.climb far.go_there"},
		"facade excluded":               {definitions: []Definition{{Excluded: []string{"tree"}}}, want: ""},
		"excluded but for one":          {definitions: []Definition{{Excluded: []string{"tree"}, Included: []string{"tree.pick"}}}, want: "tree.pick"},
		"later wins":                    {definitions: []Definition{{Included: []string{"tree.burn"}}, {Excluded: []string{"tree.burn", "tree.cut"}}}, want: "tree.pick tree.smell tree.climb"},
		"a later facade exclusion too":  {definitions: []Definition{{Included: []string{"tree.burn"}}, {Excluded: []string{"tree"}}}, want: ""},
		"another backend's names":       {definitions: []Definition{{Excluded: []string{"tree.fly"}, Included: []string{"tree.fly"}}}, want: "tree.pick tree.cut tree.smell tree.climb"},
		"three parts": {definitions: []Definition{{Origin: "mode m", Included: []string{"tree.pick.now"}}}, want: "tree.pick tree.cut tree.smell tree.climb",
			notes: `mode m names the API "tree.pick.now", which does not exist; did you mean "tree.pick"?`},
		"nothing like it": {definitions: []Definition{{Origin: "mode m", Included: []string{"qqq"}}}, want: "tree.pick tree.cut tree.smell tree.climb",
			notes: `mode m names the API "qqq", which does not exist; there are: tree, far`},
		"included again":                 {definitions: []Definition{{Excluded: []string{"tree"}}, {Included: []string{"tree"}}}, want: "tree.pick tree.cut tree.smell tree.climb"},
		"inclusion keeps named excluded": {definitions: []Definition{{Excluded: []string{"tree.cut"}, Included: []string{"tree"}}}, want: "tree.pick tree.smell tree.climb"},
		"read-only beats inclusion":      {definitions: []Definition{{Included: []string{"tree.burn", "tree.cut"}}}, readOnly: true, want: "tree.pick tree.smell tree.climb"},
		"unknown names": {definitions: []Definition{{Origin: "project x", Excluded: []string{"tre"}, Included: []string{"tree.pik"}}}, want: "tree.pick tree.cut tree.smell tree.climb",
			notes: `project x names the API "tre", which does not exist; did you mean "tree"?` + "\n" + `project x names the API "tree.pik", which does not exist; did you mean "tree.pick"?`},
	} {
		s, notes := NewScope(r, c.definitions, c.readOnly)
		if got := enabled(s); got != c.want || strings.Join(notes, "\n") != c.notes {
			t.Errorf("%s:\n got %s %q\nwant %s %q", name, got, notes, c.want, c.notes)
		}
	}
	all, _ := NewScope(r, nil, false)
	less, _ := NewScope(r, nil, true)
	if all.Digest() == less.Digest() {
		t.Error("two scopes, one digest")
	}
}

// said is one item of a definition, in the order in which it is applied.
type said struct {
	item     string
	included bool
}

// allowed is the rule of the scope for one method, told anew: what the last words about its facade and about itself were.
func allowed(words []said, f *Facade, m *Method, readOnly bool) bool {
	facadeIncluded, about := !f.Optional, ""
	for _, w := range words {
		switch {
		case w.item == f.Name && w.included:
			facadeIncluded = true
		case w.item == f.Name: // takes back what was said of its methods
			facadeIncluded, about = false, ""
		case w.item == f.Name+"."+m.Name:
			about = fmt.Sprint(w.included)
		}
	}
	if readOnly && m.CanEdit {
		return false
	}
	if !facadeIncluded || m.Optional { // opt-in
		return about == "true"
	}
	return about != "false"
}

// TestScopeAgainstItsRule compares scopes of random definitions over the whole contract with the rule.
func TestScopeAgainstItsRule(t *testing.T) {
	t.Parallel()
	r, _ := Compose("lsp", contract(t))
	var items []string
	for _, f := range r.facades {
		items = append(items, f.Name, f.Name) // as often as some methods together
		items = append(items, methodNames(f, nil, f.Name+".")...)
	}
	random := rand.New(rand.NewPCG(4, 5))
	pick := func() []string {
		picked := make([]string, random.IntN(5))
		for i := range picked {
			picked[i] = items[random.IntN(len(items))]
		}
		return picked
	}
	for range 3000 {
		var definitions []Definition
		var words []said
		for range random.IntN(5) {
			d := Definition{Excluded: pick(), Included: pick()}
			definitions = append(definitions, d)
			for _, item := range d.Excluded {
				words = append(words, said{item, false})
			}
			for _, item := range d.Included {
				words = append(words, said{item, true})
			}
		}
		readOnly := random.IntN(3) == 0
		s, notes := NewScope(r, definitions, readOnly)
		if len(notes) > 0 {
			t.Fatalf("%+v: notes %q", definitions, notes)
		}
		for _, f := range r.facades {
			any := false
			for _, m := range f.Methods {
				if sdk.Hidden(m.Name) {
					continue
				}
				want := allowed(words, f, m, readOnly)
				any = any || want
				if s.Enabled(m) != want {
					t.Fatalf("%+v, read-only %t: %s.%s is enabled: %t", definitions, readOnly, f.Name, m.Name, s.Enabled(m))
				}
			}
			for _, m := range f.Methods {
				if want := any && !(readOnly && m.CanEdit); sdk.Hidden(m.Name) && s.Enabled(m) != want {
					t.Fatalf("%+v, read-only %t: the hidden %s.%s is enabled: %t", definitions, readOnly, f.Name, m.Name, s.Enabled(m))
				}
			}
			if s.Available(f) != any || strings.Contains(s.Overview(), "s."+f.Name+" ") != any {
				t.Fatalf("%+v, read-only %t: facade %s is available: %t", definitions, readOnly, f.Name, s.Available(f))
			}
		}
	}
}

// TestWhatAnotherBackendHas is neither unknown nor there.
func TestWhatAnotherBackendHas(t *testing.T) {
	t.Parallel()
	r, _ := Compose("lsp", contract(t))
	s, notes := NewScope(r, []Definition{{Origin: "mode m", Excluded: []string{"jb"}, Included: []string{"jb.rename", "jb.renam"}}}, false)
	if !slices.Equal(notes, []string{`mode m names the API "jb.renam", which does not exist; did you mean "jb.rename"?`}) {
		t.Errorf("notes: %q", notes)
	}
	const says = "is there with the language backend jetbrains only: set language_backend in the project's configuration to use it"
	for item, want := range map[string]string{"jb": "facade jb " + says, "jb.rename": "facade jb " + says} {
		if got := s.Document([]string{item}, map[string]bool{}); got != want {
			t.Errorf("info(%q): %s", item, got)
		}
	}
	if _, err := resolve(s, "jb", "rename"); !sdk.IsKind(err, sdk.KindPermission) || !strings.Contains(err.Error(), "jb.rename "+says) {
		t.Errorf("a call: %v", err)
	}
	jet, _ := Compose("jetbrains", contract(t))
	s, _ = NewScope(jet, nil, false)
	if _, err := resolve(s, "edit", "replace_symbol_body"); err != nil {
		t.Errorf("what both have: %v", err)
	}
	if _, err := resolve(s, "lsp", "find_symbol"); !sdk.IsKind(err, sdk.KindPermission) || !strings.Contains(err.Error(), "language backend lsp only") {
		t.Errorf("the first one's: %v", err)
	}
}
