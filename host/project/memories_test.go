package project_test

import (
	"os"
	"testing"

	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/sdk"
)

// TestProtectedMemories: the patterns of the configuration hold on every road, since it is the one writer that refuses.
func TestProtectedMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", "read_only_memory_patterns: ['arch/.*']\n")
	w.write(t, "p/.serena/memories/arch/core.md", "old")
	w.write(t, "p/.serena/memories/notes.md", "old")
	w.write(t, "p/.serena/memories/others.md", "old")
	p := w.open(t, "projects: []\nread_only_memory_patterns: ['global/.*']\nignored_memory_patterns: ['secret']\n", "p")
	old := sdk.BaseOf([]byte("old"))
	for name, c := range map[string]struct {
		change  sdk.Change
		refused bool
	}{
		"read-only":              {sdk.WriteFile(".serena/memories/arch/core.md", old, []byte("new")), true},
		"read-only, new":         {sdk.WriteFile(".serena/memories/arch/x.md", sdk.Absent, []byte("new")), true},
		"read-only, deleted":     {sdk.DeleteFile(".serena/memories/arch/core.md", old), true},
		"read-only, renamed":     {sdk.RenameFile(".serena/memories/arch/core.md", old, "core.md"), true},
		"becomes read-only":      {sdk.RenameFile(".serena/memories/notes.md", old, ".serena/memories/arch/notes.md"), true},
		"global":                 {sdk.WriteFile(w.path("home/memories/global/all.md"), sdk.Absent, []byte("new")), true},
		"hidden":                 {sdk.WriteFile(".serena/memories/secret.md", sdk.Absent, []byte("new")), true},
		"another":                {sdk.WriteFile(".serena/memories/others.md", old, []byte("new")), false},
		"a file of the project":  {sdk.WriteFile("arch/core.md", sdk.Absent, []byte("new")), false},
		"only a part of a name":  {sdk.WriteFile(".serena/memories/secrets.md", sdk.Absent, []byte("new")), false},
		"with dots on the way":   {sdk.WriteFile("src/../.serena/memories/arch/x.md", sdk.Absent, []byte("new")), true},
		"by its absolute name":   {sdk.WriteFile(w.path("p/.serena/memories/arch/y.md"), sdk.Absent, []byte("new")), true},
		"in a folder of one":     {sdk.WriteFile(".serena/memories/arch/a/b.md", sdk.Absent, []byte("new")), true},
		"not even with a suffix": {sdk.WriteFile(".serena/memories/secret", sdk.Absent, []byte("new")), true},
	} {
		_, err := p.Files.Apply(t.Context(), files.Author{}, []sdk.Change{c.change})
		if c.refused != sdk.IsKind(err, sdk.KindPermission) || !c.refused && err != nil {
			t.Errorf("%s: %v, want refused: %t", name, err, c.refused)
		}
	}
	if got, err := os.ReadFile(w.path("p/.serena/memories/arch/core.md")); string(got) != "old" {
		t.Errorf("the read-only memory holds %q (%v)", got, err)
	}
}

// TestProtectedMemoriesByAMalformedPattern: nobody knows what it was to protect, so no memory is changed.
func TestProtectedMemoriesByAMalformedPattern(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", "read_only_memory_patterns: ['(']\n")
	p := w.open(t, "projects: []\n", "p")
	for path, refused := range map[string]bool{".serena/memories/a.md": true, "a.md": false} {
		_, err := p.Files.Apply(t.Context(), files.Author{}, []sdk.Change{sdk.WriteFile(path, sdk.Absent, []byte("x"))})
		if refused != sdk.IsKind(err, sdk.KindValue) || !refused && err != nil {
			t.Errorf("%s: %v, want refused: %t", path, err, refused)
		}
	}
}
