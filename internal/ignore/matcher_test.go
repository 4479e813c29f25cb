package ignore_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/serena-go/serena/internal/ignore"
)

// c22 is a project whose folder names and rules have tripped others.
var c22 = map[string]string{
	".gitignore": "/out/\n*.log\n!keep.log\n", "***/.gitignore": "tmp/\n", "***/tmp/x.go": "package x\n", "***/y.go": "package x\n",
	"pkg/.gitignore": "*\n!.gitignore\n!only.go\n", "pkg/only.go": "package x\n", "pkg/other.go": "package x\n", "src/main.go": "package x\n",
	"src/target/t.go": "package x\n", "src/coverage/c.go": "package x\n", "src/out/o.go": "package x\n", "out/gen.go": "package x\n",
	"debug.log": "", "keep.log": "",
}

var trees = map[string]map[string]string{
	"c22": c22,
	"depth": {
		".gitignore": "top\n/only\na/b\n**/c\nd/**\n/e/*\n!/e/keep\nf/**/g\nh/**\n!h/keep\n", "top": "", "x/top": "", "only": "", "x/only": "",
		"a/b": "", "x/a/b": "", "c/f": "", "x/y/c": "", "d/1": "", "d/2/3": "", "x/d/1": "", "e/1": "", "e/keep": "", "e/2/keep": "",
		"f/g": "", "f/1/g": "", "f/1/2/g/h": "", "f/1/x": "", "h/keep": "", "h/1": "", "h/k/keep": "",
	},
	"files and folders": {
		".gitignore": "build/\nlog/*\n!log/keep/\ndocs/\n!docs/keep.md\n/z/\n", "build/a": "", "x/build": "", "x/y/build/b": "", "log/a": "",
		"log/keep/b": "", "log/keep2": "", "docs/keep.md": "", "docs/a.md": "", "z": "", "x/z/f": "",
	},
	"wildcards": {
		".gitignore": "*.o\na?c\n[xy]z\n[!a-m]q\n[^n]r\n*.[ch]pp\nv[0-9][0-9]\n[[:upper:]]up\n*~\n.*.sw[op]\n*.min.*\nfoo*bar*baz\n*\\?\nq[]]\nw[a-]\n",
		"m.o":        "", "o": "", ".o": "", "abc": "", "ac": "", "a/c": "", "aéc": "", "xz": "", "wz": "", "aq": "", "nq": "", "nr": "", "mr": "", "a.cpp": "", "b.hpp": "",
		"c.xpp": "", "v12": "", "v1": "", "v123": "", "Aup": "", "aup": "", "f~": "", ".f.swp": "", "f.swp": "", "j.min.js": "", "jmin.js": "",
		"foo1bar2baz": "", "foobarbaz": "", "foobaz": "", "foobarbazx": "", "ok?": "", "okx": "", "q]": "", "q": "", "w-": "", "wa": "", "wb": "",
	},
	"odd names": {
		".gitignore": "\\#hash\n\\!bang\n#comment\nend\\ \ntrail   \nmid dle\nback\\\\slash\nstar\\*\n\\[br\\]\né\ntab\t\n", "#hash": "", "!bang": "", "#comment": "",
		"end ": "", "end": "", "trail": "", "trail   ": "", "mid dle": "", "back\\slash": "", "backslash": "", "star*": "", "starx": "", "[br]": "", "b": "", "é": "", "e": "",
		"tab\t": "", "tab": "", "\xe9": "",
	},
	"stars": {
		".gitignore": "a**b\n/x/**y\n**/p/q\nr**/s\nfoo**/bar\n**t\nu/***/v\n***w\n", "ab": "", "a1b": "", "a/b": "", "x/y": "", "x/1y": "", "x/1/y": "", "p/q": "",
		"1/2/p/q": "", "r/s": "", "r1/s": "", "r1/2/s": "", "foo/bar": "", "foobar": "", "foo1/bar": "", "foo1/2/bar": "", "xfoo/bar": "", "t": "", "at": "", "1/at": "", "u/v": "",
		"u/1/v": "", "u/1/2/v": "", "w": "", "1w": "",
	},
	"negation": {
		".gitignore": "*\n!*/\n!*.go\n!/keep\nvendor/\n", "a.go": "", "a.c": "", "d/b.go": "", "d/b.c": "", "keep": "", "d/keep": "", "vendor/v.go": "", "d/vendor/v.go": "",
		"d/.gitignore": "!b.c\nb.go\n", "d/e/.gitignore": "!*\n", "d/e/b.go": "", "d/e/b.c": "",
	},
	"nesting": {
		".gitignore": "gen\n!sub/gen\n", "a/.gitignore": "/local\nsub/x\n!gen\n", "a/local": "", "a/b/local": "", "a/sub/x": "", "a/b/sub/x": "", "a/gen/f": "",
		"gen/.gitignore": "!f\n", "gen/f": "", "sub/gen": "", "b/.gitignore": "*.tmp\n", "b/x.tmp": "", "x.tmp": "", "b/c/y.tmp": "", "b/c/.gitignore": "!y.tmp\n",
	},
	"forms of a file": {
		".gitignore": "\uFEFFbom\ncrlf\r\n\r\n   \n/\n//\n!\ntwo//parts\nslash//\nopen[\nback\\\n[z-a]\n[[:nope:]]\n!!double\n*.last\r", "bom": "", "crlf": "", "crlf\r": "",
		"two/parts": "", "slash/f": "", "open[": "", "back": "", "back\\": "", "z": "", "n]": "", "!double": "", "double": "", "a.last": "", "a.last\r": "",
	},
	"a folder called gitignore": {".gitignore/f": "", "a/.gitignore": "b\n", "a/b": "", "b": ""},
	"pattern of slashes only":   {".gitignore": "a/\n/b\nc/d/\n/e/f\n", "a/1": "", "x/a": "", "b": "", "x/b": "", "c/d/1": "", "x/c/d/1": "", "e/f": "", "x/e/f": ""},
}

func TestIgnored_agrees_with_git(t *testing.T) {
	t.Parallel()
	checks := make(chan int, len(trees))
	t.Run("trees", func(t *testing.T) {
		t.Parallel()
		for name, files := range trees {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				root := plant(t, files)
				git(t, root, "", "init", "-q")
				paths := everything(t, root)
				want := gitIgnores(t, root, paths)
				m, err := ignore.New(root)
				if err != nil {
					t.Fatal(err)
				}
				for path, isDir := range paths {
					if got := m.Ignored(path, isDir); got != want[path] {
						t.Errorf("%q (folder: %v): ignored is %v, git says %v", path, isDir, got, want[path])
					}
				}
				if len(m.Problems()) > 0 {
					t.Errorf("problems: %v", m.Problems())
				}
				checks <- len(paths)
			})
		}
	})
	t.Cleanup(func() {
		total := 0
		for range len(trees) {
			total += <-checks
		}
		if total < 200 {
			t.Errorf("only %d paths were compared", total)
		}
	})
}

func ignored(t *testing.T, m *ignore.Matcher, paths map[string]bool) []string {
	t.Helper()
	var all []string
	for path, isDir := range paths {
		if m.Ignored(path, isDir) {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return all
}

func TestIgnored_info_exclude_is_below_all_files(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{".gitignore": "!a\nb\n", "a": "", "b": "", "c": "", "d/c": "", "d/a": ""})
	git(t, root, "", "init", "-q")
	if err := os.WriteFile(filepath.Join(root, ".git", "info", "exclude"), []byte("a\n!b\n/c\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	paths := everything(t, root)
	m, err := ignore.New(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"b", "c"}
	if got := ignored(t, m, paths); !slices.Equal(got, want) || len(gitIgnores(t, root, paths)) != len(want) {
		t.Errorf("got %q, want %q, git %v", got, want, gitIgnores(t, root, paths))
	}
}

func TestIgnored_info_exclude_of_a_worktree(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"main/f": ""})
	main, tree := filepath.Join(root, "main"), filepath.Join(root, "tree")
	git(t, main, "", "init", "-q")
	git(t, main, "", "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "first")
	git(t, main, "", "worktree", "add", "-q", tree)
	if err := os.WriteFile(filepath.Join(main, ".git", "info", "exclude"), []byte("gone\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, "gone"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := ignore.New(tree)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Ignored("gone", false) || m.Ignored("here", false) || !m.Ignored(".git", false) {
		t.Error("the common folder's exclude file is not honoured")
	}
	if !gitIgnores(t, tree, map[string]bool{"gone": false})["gone"] {
		t.Error("git does not ignore it either")
	}
}

func TestIgnored_configured_patterns_decide(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{
		".gitignore": "!a\n!/data/\nb\nd/\n", "a": "", "b": "", "data/x": "", "sub/data/x": "", "sub/.gitignore": "!*\n", "sub/a": "", "d/keep": "", "sub/c.gen": "",
	})
	m, err := ignore.New(root, "a", "/data/", "!b", "# nothing", "", "*.gen", "!d/keep")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "d", "d/keep", "data", "data/x", "sub/a", "sub/c.gen"}
	if got := ignored(t, m, everything(t, root)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestIgnored_git_folder_at_every_level(t *testing.T) {
	t.Parallel()
	m, err := ignore.New(plant(t, map[string]string{".gitignore": "!.git\n", "sub/.git/config": ""}), "!.git")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{".git": true, ".git/config": true, "sub/.git": true, "sub/.git/config": true, "a/b/.git": true, ".github": false, ".gitignore": false, "x.git": false, ".": false, "": false} {
		if got := m.Ignored(path, true); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
}

func TestIgnored_paths_that_do_not_exist(t *testing.T) {
	t.Parallel()
	m, err := ignore.New(plant(t, map[string]string{".gitignore": "*.log\nnew/\n", "file": ""}))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"no/such/a.log": true, "no/such/a": false, "new/x": true, "file/below": false} {
		if got := m.Ignored(path, false); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
	if len(m.Problems()) > 0 {
		t.Errorf("problems: %v", m.Problems())
	}
}

func TestDir_that_was_named_counts_as_kept(t *testing.T) {
	t.Parallel()
	m, err := ignore.New(plant(t, map[string]string{".gitignore": "/out/\n*.log\n", "out/.gitignore": "x\n", "out/sub/f": ""}), "/conf/")
	if err != nil {
		t.Fatal(err)
	}
	for dir, names := range map[string]map[string]bool{
		"out": {"gen.go": false, "a.log": true, "x": true, "sub": false}, "out/sub": {"f": false, "x": true}, "conf": {"f": false}, ".": {"out": true}, "": {"out": true},
	} {
		for name, want := range names {
			if _, got := m.Dir(dir).Child(name, name == "out"); got != want {
				t.Errorf("%s in %s: got %v, want %v", name, dir, got, want)
			}
		}
	}
	if !m.Ignored("out/gen.go", false) || !m.Ignored("out/sub/f", false) {
		t.Error("naming a folder changed what is ignored by path")
	}
}

func TestChild_carries_the_state_down(t *testing.T) {
	t.Parallel()
	m, err := ignore.New(plant(t, c22))
	if err != nil {
		t.Fatal(err)
	}
	out, ignoredOut := m.Root().Child("out", true)
	_, ignoredGen := out.Child("gen.go", false)
	src, ignoredSrc := m.Root().Child("src", true)
	_, ignoredInner := src.Child("out", true)
	if !ignoredOut || !ignoredGen || ignoredSrc || ignoredInner {
		t.Errorf("got %v %v %v %v", ignoredOut, ignoredGen, ignoredSrc, ignoredInner)
	}
}

func TestIgnore_file_that_is_a_link_is_not_followed(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"rules": "a\n", "a": ""})
	if err := os.Symlink("rules", filepath.Join(root, ".gitignore")); err != nil {
		t.Fatal(err)
	}
	git(t, root, "", "init", "-q")
	m, err := ignore.New(root)
	if err != nil {
		t.Fatal(err)
	}
	if m.Ignored("a", false) {
		t.Error("the link's patterns are used")
	}
}

func TestNew_refuses_what_is_no_folder(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"f": ""})
	for _, path := range []string{"f", "gone"} {
		if _, err := ignore.New(filepath.Join(root, path)); err == nil {
			t.Errorf("%s is accepted", path)
		}
	}
}
