package languages_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/languages"
)

func TestAll_is_complete_and_in_order(t *testing.T) {
	t.Parallel()
	all := languages.All()
	if len(all) != 73 {
		t.Errorf("%d rows, want 73", len(all))
	}
	if !slices.IsSortedFunc(all, func(a, b languages.Language) int { return cmp.Compare(a.Key, b.Key) }) {
		t.Error("not sorted by key")
	}
	experimental := 0
	for i, l := range all {
		if i > 0 && all[i-1].Key == l.Key {
			t.Errorf("%s stands twice", l.Key)
		}
		if len(l.Files) == 0 {
			t.Errorf("%s has no files", l.Key)
		}
		for j, end := range l.Files {
			if !strings.HasPrefix(end, ".") || len(end) < 2 || slices.Contains(l.Files[:j], end) || l.AnyCase && end != strings.ToLower(end) {
				t.Errorf("%s: %q", l.Key, end)
			}
		}
		for _, end := range l.Doubtful {
			if !slices.Contains(l.Files, end) {
				t.Errorf("%s: the doubtful %q is none of its files", l.Key, end)
			}
		}
		if l.Experimental != (l.Priority == 0) {
			t.Errorf("%s: experimental %v, priority %d", l.Key, l.Experimental, l.Priority)
		}
		if l.Experimental {
			experimental++
		}
		if got, ok := languages.Lookup(l.Key); !ok || got.Key != l.Key {
			t.Errorf("%s is not found", l.Key)
		}
	}
	if experimental != 22 {
		t.Errorf("%d rows are experimental, want 22", experimental)
	}
	if _, ok := languages.Lookup("klingon"); ok {
		t.Error("found what there is not")
	}
	for key, want := range map[string]int{"vue": 1, "svelte": 1, "typescript": 2, "go": 2, "html": 0} {
		if l, _ := languages.Lookup(key); l.Priority != want {
			t.Errorf("%s: priority %d, want %d", key, l.Priority, want)
		}
	}
}

func TestHas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key, rel string
		want     bool
	}{
		{"go", "src/main.go", true}, {"go", "main.GO", false}, {"go", "main.go.txt", false},
		{"ada", "X.ADB", true}, {"cpp", "a.CPP", true}, {"cpp", "a.c++m", true}, {"cpp_ccls", "a.c++m", false}, {"cpp_ccls", "a.H", true}, {"fortran", "A.F90", true},
		{"cpp", "view.m", true}, {"matlab", "view.m", true}, {"r", "a.R", true}, {"r", "a.RMD", false}, {"r", "a.Rmd", true},
		{"elixir", "lib/a.exs", true}, {"elixir", "mix.exs", false},
		{"erlang", "src/x.app.src", true}, {"erlang", "sys.config", true},
		{"typescript", "a.mts", true}, {"typescript", "a.cjsx", true}, {"typescript", "a.vue", false}, {"vue", "a.vue", true}, {"vue", "a.ts", true}, {"svelte", "a.tsx", false},
		{"ansible", "roles/web/tasks/main.yml", true}, {"ansible", "src/config.yml", false}, {"ansible", "playbook-web.yaml", true}, {"ansible", "site.yml", true}, {"ansible", "roles/a.json", false},
		{"yaml", "src/config.yml", true}, {"python_ty", "a.pyi", true}, {"terraform", "x.tfstate", true},
	} {
		l, ok := languages.Lookup(tc.key)
		if got := l.Has(tc.rel); !ok || got != tc.want {
			t.Errorf("%s has %s: got %v", tc.key, tc.rel, got)
		}
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		keys string
		yes  string
		no   string
	}{
		{"", "a.go b.py c.ts d.rs e.sol f.groovy x.app.src", "README.md a.json a.yaml a.html a.css web.config a.tfstate a.inc Makefile a.txt .gitignore"},
		{"python", "b.py b.pyi", "a.go"},
		{"python markdown", "b.py README.md", "a.go"},
		{"python_jedi", "b.py", "a.go"},
		{"terraform", "a.tf a.tfstate", "a.go"},
		{"klingon", "a.go b.py", "README.md"}, // a name that is none must not hide everything
		{"klingon go", "a.go", "b.py"},
		{"angular", "a.html a.ts", "a.go"},
	} {
		is := languages.Code(strings.Fields(tc.keys))
		for _, f := range strings.Fields(tc.yes) {
			if !is("sub/" + f) {
				t.Errorf("%q: %s must be code", tc.keys, f)
			}
		}
		for _, f := range strings.Fields(tc.no) {
			if is("sub/" + f) {
				t.Errorf("%q: %s must not be code", tc.keys, f)
			}
		}
	}
}
