package api

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// TestCompose_theOwnerGivesSummaryAndFlags: a guest's methods follow the owner's facade, whoever comes first.
func TestCompose_theOwnerGivesSummaryAndFlags(t *testing.T) {
	t.Parallel()
	owner := sdk.Plugin{Name: "owner", Facades: []sdk.Facade{{Name: "shared", Summary: "what is shared", Doc: "At length.", Optional: true, Methods: []sdk.Method{method[string]("own")}}}}.Manifest()
	guest := sdk.Plugin{Name: "guest", Facades: []sdk.Facade{{Name: "shared", Guest: true, Methods: []sdk.Method{method[Leaf]("lend")}}, {Name: "mine", Summary: "the guest's", Methods: []sdk.Method{method[Leaf]("keep")}}}}.Manifest()
	for name, sources := range map[string][]Source{"the owner first": {{Manifest: owner}, {Manifest: guest}}, "the guest first": {{Manifest: guest}, {Manifest: owner}}} {
		r, faults := Compose("lsp", sources)
		if len(faults) > 0 {
			t.Fatal(name, faults)
		}
		f := r.Facade("shared")
		if f.Summary != "what is shared" || f.Doc != "At length." || !f.Optional || len(f.Methods) != 2 || f.Type("Leaf") == nil {
			t.Errorf("%s: %+v", name, f)
		}
		s, _ := NewScope(r, nil, false)
		if got := enabled(s); got != "mine.keep" {
			t.Errorf("%s: enabled without inclusion: %s", name, got)
		}
		s, _ = NewScope(r, []Definition{{Included: []string{"shared"}}}, false)
		if !s.Available(f) || len(strings.Fields(enabled(s))) != 3 {
			t.Errorf("%s: enabled with it: %s", name, enabled(s))
		}
	}
}

type basket struct {
	Leaves map[string][]*Leaf `json:"leaves"`
	Color  Color              `json:"color"`
	Rest   leftOver           `json:"rest"`
}

type leftOver struct {
	Of *Leaves `json:"of"`
}

func (leftOver) KeyedDict() {}

// TestDocument_eachNameInASignatureCanBeLookedUp, whether it stands in a method's signature or in a member of a type that is found through one.
func TestDocument_eachNameInASignatureCanBeLookedUp(t *testing.T) {
	t.Parallel()
	type given struct {
		Kinds []Color `json:"kinds" default:"()"`
	}
	gather := sdk.NewMethod("gather", func(context.Context, *sdk.Call, given) (basket, error) { return basket{}, nil }, "Gathers.\n\nAll.")
	r, faults := Compose("lsp", []Source{{Manifest: sdk.Plugin{Name: "p", Facades: []sdk.Facade{{Name: "f", Summary: "s", Methods: []sdk.Method{gather}}}}.Manifest()}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	s, _ := NewScope(r, nil, false)
	signature := r.Facade("f").Method("gather").Signature()
	names := regexp.MustCompile(`[A-Za-z_.]+`).FindAllString(signature, -1)
	for _, d := range r.Facade("f").Types {
		for _, m := range d.Members {
			if m.Type != nil {
				names = append(names, regexp.MustCompile(`[A-Za-z_.]+`).FindAllString(m.Type.Annotation(), -1)...)
			}
		}
	}
	plain := " gather kinds list dict str int None "
	looked := map[string]bool{}
	for _, name := range names {
		if strings.Contains(plain, " "+name+" ") {
			continue
		}
		looked[name] = true
		if text := s.Document([]string{name}, map[string]bool{}); strings.Contains(text, "there is no such") {
			t.Errorf("%s in %s: %s", name, signature, text)
		}
	}
	if len(looked) != 5 {
		t.Errorf("names of types that are shown: %v, want basket, Leaf, Color, leftOver and Leaves", looked)
	}
}
