package ignore_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/ignore"
)

// A project that is a folder of a repository is under the whole repository's rules, put to git check-ignore at its top.
func TestIgnored_agrees_with_git_below_the_top(t *testing.T) {
	t.Parallel()
	compared, ignored := 0, 0
	for seed := range uint64(25) {
		p := planter{rand.New(rand.NewPCG(seed, 7))}
		files := p.tree()
		files[".git/info/exclude"] = "fb\n/" + p.pick(pieces...) + "/in\n"
		top := plant(t, files)
		git(t, top, "", "init", "-q")
		paths := everything(t, top)
		want := gitIgnores(t, top, paths)
		for dir, isDir := range paths {
			if !isDir || want[dir] || dir == ".git" || strings.HasPrefix(dir, ".git/") {
				continue
			}
			m, err := ignore.New(filepath.Join(top, filepath.FromSlash(dir)))
			if err != nil {
				t.Fatal(err)
			}
			for full, isDir := range paths {
				rel, below := strings.CutPrefix(full, dir+"/")
				if !below {
					continue
				}
				compared++
				if want[full] {
					ignored++
				}
				if got := m.Ignored(rel, isDir); got != want[full] {
					t.Errorf("tree %d: %q in %q: ignored %v, git %v\n%s", seed, rel, dir, got, want[full], rules(files, full))
				}
			}
		}
	}
	if compared < 2000 || ignored < compared/20 {
		t.Errorf("%d paths, of which %d are ignored: too few to tell", compared, ignored)
	}
}

// A repository that ignores the project says nothing about what is in it: a project in a build folder, or below a home folder that is a
// repository with the one rule "*".
func TestIgnored_by_a_repository_that_ignores_the_root(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rules string
		want  bool // is x.log in project/p ignored
	}{
		"everything":         {"*\n", false},
		"a folder above":     {"project/\n*.log\n", false},
		"the root":           {"/project/p\n*.log\n", false},
		"not the root":       {"*\n!project/\n!p/\n", true},
		"something in it":    {"*.log\n", true},
		"another folder":     {"/p\nx.lo\n", false},
		"by its whole path":  {"/project/p/x.log\n", true},
		"in another project": {"/project/q/x.log\n", false},
	} {
		top := plant(t, map[string]string{".gitignore": c.rules, "project/p/x.log": ""})
		git(t, top, "", "init", "-q")
		m, err := ignore.New(filepath.Join(top, "project", "p"))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Ignored("x.log", false); got != c.want {
			t.Errorf("%s: ignored %v, want %v", name, got, c.want)
		}
	}
}

// Rules end at the top of the repository: what lies above it belongs to another one.
func TestIgnored_ends_at_the_repository(t *testing.T) {
	t.Parallel()
	outer := plant(t, map[string]string{".gitignore": "x.log\n", "inner/x.log": "", "inner/sub/x.log": ""})
	git(t, outer, "", "init", "-q")
	git(t, filepath.Join(outer, "inner"), "", "init", "-q")
	for _, root := range []string{"inner", "inner/sub"} {
		m, err := ignore.New(filepath.Join(outer, filepath.FromSlash(root)))
		if err != nil {
			t.Fatal(err)
		}
		if m.Ignored("x.log", false) {
			t.Errorf("%s: the rules of the repository around it count", root)
		}
	}
}
