package sdk

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTheManifestIsDocumented holds docs/manifest.md to the fields that there are, and no others.
func TestTheManifestIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/manifest.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for part := range strings.SplitSeq(string(page), "\n### ") {
		name, text, _ := strings.Cut(part, "\n")
		text, _, _ = strings.Cut(text, "\n## ")
		sections[name] = text
	}
	row := regexp.MustCompile("(?m)^\\| `([a-z_0-9]+)` \\|")
	for section, v := range map[string]any{
		"Manifest": Manifest{}, "Facade": FacadeDecl{}, "Method": MethodDecl{}, "Parameter": ParamDecl{},
		"TypeRef": TypeRef{}, "Type": TypeDecl{}, "Member": MemberDecl{}, "Record method": RecordMethod{},
	} {
		var told, want []string
		for _, m := range row.FindAllStringSubmatch(sections[section], -1) {
			told = append(told, m[1])
		}
		for i := range reflect.TypeOf(v).NumField() {
			if name := jsonName(reflect.TypeOf(v).Field(i)); name != "" {
				want = append(want, name)
			}
		}
		slices.Sort(told)
		slices.Sort(want)
		if !slices.Equal(told, want) {
			t.Errorf("section %s has the fields %v, the struct %v", section, told, want)
		}
	}
}

// TestTheManifestsExampleIsOne parses the page's example as a host does.
func TestTheManifestsExampleIsOne(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/manifest.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	m, err := ParseManifest([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Facades[0].Methods[0].Signature(); got != "add(text: str, priority: Priority = 1) -> Item" {
		t.Error(got)
	}
}
