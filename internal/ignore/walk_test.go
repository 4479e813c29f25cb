package ignore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/ignore"
)

// walk lists a walk's entries: "/" after folders, "@" after links, "?" after others, "-" before what is ignored.
func walk(t *testing.T, root string, opts ignore.WalkOptions) []string {
	t.Helper()
	var all []string
	err := ignore.Walk(t.Context(), root, opts, func(e ignore.Entry) error {
		text := e.Rel + map[ignore.Kind]string{ignore.Folder: "/", ignore.Symlink: "@", ignore.Other: "?"}[e.Kind]
		if e.Ignored {
			text = "-" + text
		}
		all = append(all, text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func want(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}

func TestWalk_without_ignored_files(t *testing.T) {
	t.Parallel()
	root := plant(t, c22)
	git(t, root, "", "init", "-q")
	want(t, "c22", walk(t, root, ignore.WalkOptions{SkipIgnored: true}),
		"***/", "***/.gitignore", "***/y.go", ".gitignore", "keep.log", "pkg/", "pkg/.gitignore", "pkg/only.go", "src/",
		"src/coverage/", "src/coverage/c.go", "src/main.go", "src/out/", "src/out/o.go", "src/target/", "src/target/t.go")
	want(t, "the ignored folder, named", walk(t, root, ignore.WalkOptions{SkipIgnored: true, Start: "out"}), "out/gen.go")
	want(t, "a part", walk(t, root, ignore.WalkOptions{SkipIgnored: true, Start: "pkg/"}), "pkg/.gitignore", "pkg/only.go")
	want(t, "absolute start", walk(t, root, ignore.WalkOptions{SkipIgnored: true, Start: filepath.Join(root, "***")}), "***/.gitignore", "***/y.go")
}

func TestWalk_with_ignored_files(t *testing.T) {
	t.Parallel()
	root := plant(t, c22)
	m, err := ignore.New(root, "/src/", ".serena")
	if err != nil {
		t.Fatal(err)
	}
	want(t, "c22", walk(t, root, ignore.WalkOptions{Matcher: m, Prune: []string{"***"}}),
		".gitignore", "-debug.log", "keep.log", "-out/", "-out/gen.go", "pkg/", "pkg/.gitignore", "pkg/only.go", "-pkg/other.go")
}

func TestWalk_nested_repositories_and_order(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"b/.git/config": "", "b/f": "", "b.go": "", "a": "", "b-c/x": "", "B": "", ".git/HEAD": "", "é": "", "c/": ""})
	want(t, "order", walk(t, root, ignore.WalkOptions{}), "B", "a", "b/", "b/f", "b-c/", "b-c/x", "b.go", "c/", "é")
}

func TestWalk_links(t *testing.T) {
	t.Parallel()
	base := plant(t, map[string]string{"root/dir/f": "", "root/target": "", "outside/secret": ""})
	root := filepath.Join(base, "root")
	for link, to := range map[string]string{
		"file": "target", "deep/../dir/file": "../target", "folder": "dir", "up": "..", "loop": "loop", "broken": "gone", "out": "../outside/secret",
		"outdir": filepath.Join(base, "outside"), "self": ".", "chain": "file",
	} {
		if err := os.Symlink(to, filepath.Join(root, filepath.Clean(link))); err != nil {
			t.Fatal(err)
		}
	}
	problems := map[string]bool{}
	got := walk(t, root, ignore.WalkOptions{Problem: func(rel string, err error) { problems[rel] = err != nil }})
	want(t, "links", got, "broken@", "chain", "dir/", "dir/f", "dir/file", "file", "folder@", "loop@", "out@", "outdir@", "self@", "target", "up@")
	if len(problems) != 2 || !problems["broken"] || !problems["loop"] {
		t.Errorf("problems: %v", problems)
	}
	want(t, "a linked folder, named", walk(t, root, ignore.WalkOptions{Start: "folder"}), "folder/f", "folder/file")
}

func TestWalk_survives_folders_that_cannot_be_read(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"a/": "", "b/f": ""})
	var seen []string
	var problems []string
	opts := ignore.WalkOptions{Problem: func(rel string, err error) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", rel, err)
		}
		problems = append(problems, rel)
	}}
	err := ignore.Walk(t.Context(), root, opts, func(e ignore.Entry) error {
		seen = append(seen, e.Rel)
		if e.Rel == "a" { // gone between being listed and being entered
			return os.Remove(filepath.Join(root, "a"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "seen", seen, "a", "b", "b/f")
	want(t, "problems", problems, "a")
}

func TestWalk_ends_when_told(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"a/1": "", "a/2": "", "b/1": "", "c": ""})
	stop := errors.New("enough")
	for name, tc := range map[string]struct {
		at     string
		answer error
		want   []string
		err    error
	}{
		"skip a folder": {"a", fs.SkipDir, []string{"a", "b", "b/1", "c"}, nil},
		"skip all":      {"a/1", fs.SkipAll, []string{"a", "a/1"}, nil},
		"an error":      {"b", stop, []string{"a", "a/1", "a/2", "b"}, stop},
	} {
		var seen []string
		err := ignore.Walk(t.Context(), root, ignore.WalkOptions{}, func(e ignore.Entry) error {
			seen = append(seen, e.Rel)
			if e.Rel == tc.at {
				return tc.answer
			}
			return nil
		})
		if !errors.Is(err, tc.err) {
			t.Errorf("%s: got %v, want %v", name, err, tc.err)
		}
		want(t, name, seen, tc.want...)
	}
}

func TestWalk_cancelled(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"a/1": "", "b": ""})
	reason := errors.New("the caller left")
	ctx, cancel := context.WithCancelCause(t.Context())
	var seen []string
	err := ignore.Walk(ctx, root, ignore.WalkOptions{}, func(e ignore.Entry) error {
		seen = append(seen, e.Rel)
		cancel(reason)
		return nil
	})
	if !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
	want(t, "seen", seen, "a")
}

func TestWalk_refuses_a_bad_start(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"f": ""})
	never := func(ignore.Entry) error { t.Error("something was visited"); return nil }
	var outside *contain.OutsideError
	if err := ignore.Walk(t.Context(), root, ignore.WalkOptions{Start: ".."}, never); !errors.As(err, &outside) {
		t.Errorf("start outside: %v", err)
	}
	if err := ignore.Walk(t.Context(), root, ignore.WalkOptions{Start: "gone"}, never); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing start: %v", err)
	}
	if err := ignore.Walk(t.Context(), root, ignore.WalkOptions{Start: "f"}, never); err == nil || !strings.Contains(err.Error(), "f") {
		t.Errorf("a file as start: %v", err)
	}
	if err := ignore.Walk(t.Context(), filepath.Join(root, "gone"), ignore.WalkOptions{}, never); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing root: %v", err)
	}
}

func TestWalk_does_not_read_ignore_files_of_ignored_folders(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{".gitignore": "big/\n", "big/.gitignore": "!*\n", "big/f": "", "small/f": ""})
	want(t, "shown", walk(t, root, ignore.WalkOptions{}), ".gitignore", "-big/", "-big/.gitignore", "-big/f", "small/", "small/f")
	want(t, "skipped", walk(t, root, ignore.WalkOptions{SkipIgnored: true}), ".gitignore", "small/", "small/f")
}

func BenchmarkWalk(b *testing.B) {
	root := b.TempDir()
	for i := range 50 {
		dir := filepath.Join(root, "d"+string(rune('a'+i%26))+string(rune('a'+i/26)), "sub")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 50 {
			if err := os.WriteFile(filepath.Join(dir, "f"+string(rune('a'+j%26))+string(rune('a'+j/26))+".go"), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	rules := strings.Repeat("*.log\nnode_modules/\n/build/\n**/cache/*\n*.py[co]\n", 10)
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte(rules), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := 0
		if err := ignore.Walk(b.Context(), root, ignore.WalkOptions{SkipIgnored: true}, func(ignore.Entry) error { n++; return nil }); err != nil || n != 2601 {
			b.Fatal(n, err)
		}
	}
}

// Reading ahead changes neither what is visited nor the order, and enters nothing that Enter refuses.
func TestWalk_ahead_visits_the_same(t *testing.T) {
	t.Parallel()
	files := map[string]string{".gitignore": "*.log\n/skip/\n!keep.log\n"}
	for i := range 400 {
		dir := fmt.Sprintf("d%02d/e%d/f%d", i%23, i%7, i%5)
		files[fmt.Sprintf("%s/%03d.go", dir, i)] = ""
		files[fmt.Sprintf("%s/%03d.log", dir, i)] = ""
		if i%40 == 0 {
			files[dir+"/.gitignore"] = "*.go\n!**/0*.go\n"
		}
	}
	files["skip/a"], files["closed/b/c"], files["keep.log"] = "", "", ""
	root := plant(t, files)
	for _, skip := range []bool{true, false} {
		enter := func(e ignore.Entry) bool { return e.Rel != "closed" }
		one := walk(t, root, ignore.WalkOptions{SkipIgnored: skip, Enter: enter})
		if len(one) < 300 || slices.Contains(one, "closed/b/") || !slices.Contains(one, "closed/") {
			t.Errorf("%d entries: %q", len(one), one)
		}
		for _, readers := range []int{1, 4} {
			want(t, "ahead", walk(t, root, ignore.WalkOptions{SkipIgnored: skip, Enter: enter, Ahead: readers}), one...)
		}
	}
}

func TestWalk_ahead_ends_when_told(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("d%02d/e/f", i)] = ""
	}
	root := plant(t, files)
	stop := errors.New("enough")
	n := 0
	err := ignore.Walk(t.Context(), root, ignore.WalkOptions{Ahead: 3}, func(e ignore.Entry) error {
		if n++; n == 50 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || n != 50 {
		t.Errorf("%d entries, %v", n, err)
	}
	reason := errors.New("the caller left")
	ctx, cancel := context.WithCancelCause(t.Context())
	err = ignore.Walk(ctx, root, ignore.WalkOptions{Ahead: 3}, func(e ignore.Entry) error { cancel(reason); return nil })
	if !errors.Is(err, reason) {
		t.Errorf("cancelled: %v", err)
	}
	var seen []string
	err = ignore.Walk(t.Context(), root, ignore.WalkOptions{Ahead: 3}, func(e ignore.Entry) error {
		seen = append(seen, e.Rel)
		if e.Rel == "d00" {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil || len(seen) != 298 || seen[1] != "d01" {
		t.Errorf("skipped: %v, %d entries, %q", err, len(seen), seen[:3])
	}
}

func TestWalk_ahead_tells_of_links_that_lead_nowhere(t *testing.T) {
	t.Parallel()
	root := plant(t, map[string]string{"a/f": "", "b/f": ""})
	if err := os.Symlink("gone", filepath.Join(root, "broken")); err != nil {
		t.Fatal(err)
	}
	var problems []string
	opts := ignore.WalkOptions{Ahead: 2, Problem: func(rel string, err error) { problems = append(problems, rel) }}
	want(t, "seen", walk(t, root, opts), "a/", "a/f", "b/", "b/f", "broken@")
	want(t, "problems", problems, "broken")
}
