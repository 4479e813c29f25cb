package ignore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/ignore"
)

// pieces are parts of names and of the patterns for them.
var pieces = []string{"a", "b", "ab", "c", "a.o", "b.c", "x-y", "[z]", "a b", "é", "!c", "#d"}

type planter struct{ *rand.Rand }

func (p planter) pick(from ...string) string { return from[p.IntN(len(from))] }

// tree makes some hundred paths with ignore files between them.
func (p planter) tree() map[string]string {
	files := map[string]string{}
	folders := []string{""}
	for range 12 {
		folders = append(folders, path.Join(folders[p.IntN(len(folders))], p.pick(pieces...)))
	}
	slices.Sort(folders)
	for range 150 {
		files[path.Join(p.pick(folders...), "f"+p.pick(pieces...))] = ""
	}
	for _, dir := range folders {
		files[path.Join(dir, "in")] = ""
		if p.IntN(3) == 0 || dir == "" {
			var text strings.Builder
			for range 1 + p.IntN(8) {
				text.WriteString(p.pattern() + p.pick("\n", "\n", "\n", "\r\n", " \n"))
			}
			files[path.Join(dir, ".gitignore")] = text.String()
		}
	}
	return files
}

func (p planter) pattern() string {
	var out strings.Builder
	out.WriteString(p.pick("", "", "", "", "", "!", "!", "/", "!/", "**/", "\\"))
	for i := range 1 + p.IntN(3) {
		if i > 0 {
			out.WriteString("/")
		}
		for range 1 + p.IntN(2) {
			out.WriteString(p.pick("*", "?", "f*", "*.o", "*.?", "**", "[ab]", "[!a]", "[a-c]*", "a", "b", "c", "fa", "fb", "f", "in", "ab", "\\*", "é", "a b", "[[:alpha:]]", "f[^a-b]*"))
		}
	}
	return out.String() + p.pick("", "", "", "/", "/*", "/**")
}

// Thousands of paths under rules that nobody thought of, put to git check-ignore.
func TestIgnored_agrees_with_git_on_generated_trees(t *testing.T) {
	t.Parallel()
	compared, ignored := 0, 0
	for seed := range uint64(40) {
		p := planter{rand.New(rand.NewPCG(seed, 3))}
		files := p.tree()
		root := plant(t, files)
		git(t, root, "", "init", "-q")
		m, err := ignore.New(root)
		if err != nil {
			t.Fatal(err)
		}
		paths := everything(t, root)
		want := gitIgnores(t, root, paths)
		for _, rel := range slices.Sorted(maps.Keys(paths)) {
			if got := m.Ignored(rel, paths[rel]); got != want[rel] {
				t.Errorf("tree %d: %q: ignored %v, git %v\n%s", seed, rel, got, want[rel], rules(files, rel))
			}
		}
		compared += len(paths)
		ignored += len(want)
		kept := []string{}
		for rel, isDir := range paths {
			if !want[rel] && !isDir {
				kept = append(kept, rel)
			}
		}
		var walked []string
		for _, e := range walk(t, root, ignore.WalkOptions{SkipIgnored: true, Ahead: 2}) {
			if !strings.HasSuffix(e, "/") {
				walked = append(walked, e)
			}
		}
		slices.Sort(kept)
		slices.Sort(walked)
		if !slices.Equal(walked, kept) {
			t.Errorf("tree %d: walked %q\nwant %q", seed, walked, kept)
		}
	}
	if compared < 4000 || ignored < compared/10 || ignored > compared*9/10 {
		t.Errorf("%d paths, of which %d are ignored: too few to tell", compared, ignored)
	}
}

// rules lists the ignore files that count for a path.
func rules(files map[string]string, rel string) string {
	var out strings.Builder
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		if text, ok := files[path.Join(dir, ".gitignore")]; ok {
			fmt.Fprintf(&out, "%s: %q\n", dir, text)
		}
		if dir == "." {
			return out.String()
		}
	}
}
