package api

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

// everything is a scope with all that the contract has, whatever its backend and flags.
func everything(t *testing.T, backend string) *Scope {
	t.Helper()
	r, faults := Compose(backend, contract(t))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var all []string
	for _, f := range r.facades {
		for _, m := range f.Methods {
			if !sdk.Hidden(m.Name) {
				all = append(all, f.Name+"."+m.Name)
			}
		}
	}
	s, notes := NewScope(r, []Definition{{Included: all}}, false)
	if len(notes) > 0 {
		t.Fatal(notes)
	}
	return s
}

// The most characters that a model shall have to read, with every method of the contract enabled.
const (
	overviewBudget = 2500 // tier 0 of all facades
	facadeBudget   = 9000 // tier 1 of one facade
	typeBudget     = 4000 // tier 2 of one type with all that it contains
)

func TestWhatAModelReadsIsBudgeted(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"lsp", "jetbrains"} {
		s := everything(t, backend)
		if n := utf8.RuneCountInString(s.Document(nil, map[string]bool{})); n >= overviewBudget {
			t.Errorf("%s: the overview has %d characters", backend, n)
		}
		for _, f := range s.registry.facades {
			if n := utf8.RuneCountInString(s.Document([]string{f.Name}, map[string]bool{})); n >= facadeBudget {
				t.Errorf("%s: info(%q) has %d characters", backend, f.Name, n)
			}
			for _, d := range f.Types {
				if n := utf8.RuneCountInString(s.Document([]string{f.Name + "." + d.Name}, map[string]bool{})); n >= typeBudget {
					t.Errorf("%s: info(\"%s.%s\") has %d characters", backend, f.Name, d.Name, n)
				}
			}
		}
	}
}

// TestOverview holds tier 0 of the whole contract to testdata/overview.txt, from which the tools' size is computed elsewhere.
func TestOverview(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/overview.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := everything(t, "lsp").Overview(); got != string(want) {
		t.Errorf("got\n%s", got)
	}
}

// TestTheContractIsWhole counts the methods of each facade, so that a fixture that shrinks does not keep to its budget by that.
func TestTheContractIsWhole(t *testing.T) {
	t.Parallel()
	for backend, want := range map[string]map[string]int{
		"lsp":       {"lsp": 16, "edit": 12, "fs": 5, "mem": 7, "shell": 1, "jb": 0, "cfg": 3, "ext": 2},
		"jetbrains": {"lsp": 0, "edit": 12, "fs": 5, "mem": 7, "shell": 1, "jb": 14, "cfg": 3, "ext": 2},
	} {
		for _, f := range everything(t, backend).registry.facades {
			if got := len(methodNames(f, nil, "")); got != want[f.Name] {
				t.Errorf("%s: facade %s has %d methods, want %d", backend, f.Name, got, want[f.Name])
			}
		}
	}
}

// TestOverview_ofAPluginWithoutMeasure bounds what a third party's plugin adds to that which every session reads.
func TestOverview_ofAPluginWithoutMeasure(t *testing.T) {
	t.Parallel()
	m := sdk.Manifest{Name: "vast", Facades: []sdk.FacadeDecl{{Name: "vast", Summary: "too much", Owner: true}}}
	for i := range 5000 {
		m.Facades[0].Methods = append(m.Facades[0].Methods, sdk.MethodDecl{Name: fmt.Sprintf("m%04d", i), Summary: "s", Doc: "d", Result: sdk.TypeRef{Name: "str"}})
	}
	r, faults := Compose("lsp", []Source{{Manifest: m}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, _ := NewScope(r, nil, false)
	got := s.Overview()
	// "m0000" and 286 of ", m0001": 2007, the first length above 2000.
	if want := ", m0286 and 4713 more: s.info(\"vast\")\n"; !strings.HasSuffix(got, want) || !strings.HasPrefix(got, "s.vast – too much: m0000, m0001") {
		t.Errorf("%d characters, which end in %q; want %q", len(got), got[len(got)-60:], want)
	}
}
