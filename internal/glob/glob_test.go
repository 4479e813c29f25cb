package glob_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/glob"
)

var tree = []string{
	"main.go", "README.md", ".env", "a b.txt", "été.go", "src/main.go", "src/util.ts", "src/util.test.ts", "src/deep/er/x.go",
	"src/deep/y.tsx", "src/.hidden/z.go", "test/main_test.go", "lib/a.c", "lib/b.h", "docs/[1].md", "docs/a{b}.md", "docs/1.md",
	"docs/star*.md", "srcs/q.go", "src.go", "back\\slash.go", "docs/a-b.md", "x/src/main.go", "***/y.go",
}

func TestMatch_over_a_tree(t *testing.T) {
	t.Parallel()
	all := tree
	for pattern, want := range map[string][]string{
		"*.go":                                {"main.go", "été.go", "src.go", "back\\slash.go"},
		"./*.go":                              {"main.go", "été.go", "src.go", "back\\slash.go"},
		"**/*.go":                             {"main.go", "été.go", "src/main.go", "src/deep/er/x.go", "src/.hidden/z.go", "test/main_test.go", "srcs/q.go", "src.go", "back\\slash.go", "x/src/main.go", "***/y.go"},
		"**":                                  all,
		"**/*":                                all,
		"*":                                   {"main.go", "README.md", ".env", "a b.txt", "été.go", "src.go", "back\\slash.go"},
		"src/*":                               {"src/main.go", "src/util.ts", "src/util.test.ts"},
		"src/**":                              {"src/main.go", "src/util.ts", "src/util.test.ts", "src/deep/er/x.go", "src/deep/y.tsx", "src/.hidden/z.go"},
		"src/**/*.go":                         {"src/main.go", "src/deep/er/x.go", "src/.hidden/z.go"},
		"src/**/x.go":                         {"src/deep/er/x.go"},
		"src/*/*/x.go":                        {"src/deep/er/x.go"},
		"**/src/main.go":                      {"src/main.go", "x/src/main.go"},
		"**/src/**":                           {"src/main.go", "src/util.ts", "src/util.test.ts", "src/deep/er/x.go", "src/deep/y.tsx", "src/.hidden/z.go", "x/src/main.go"},
		"**/er/**":                            {"src/deep/er/x.go"},
		"**/**/q.go":                          {"srcs/q.go"},
		"src**.go":                            {"src/main.go", "src/deep/er/x.go", "src/.hidden/z.go", "srcs/q.go", "src.go"},
		"**main.go":                           {"main.go", "src/main.go", "x/src/main.go"},
		"src*.go":                             {"src.go"},
		"src/*.{ts,tsx}":                      {"src/util.ts", "src/util.test.ts"},
		"**/*.{ts,tsx}":                       {"src/util.ts", "src/util.test.ts", "src/deep/y.tsx"},
		"**/*.ts{,x}":                         {"src/util.ts", "src/util.test.ts", "src/deep/y.tsx"},
		"{src,lib}/*.?":                       {"lib/a.c", "lib/b.h"},
		"{src/deep,lib}/**":                   {"src/deep/er/x.go", "src/deep/y.tsx", "lib/a.c", "lib/b.h"},
		"{lib,{src,test}/main*}{.go,/?.[ch]}": {"src/main.go", "test/main_test.go", "lib/a.c", "lib/b.h"},
		"{**/,}main.go":                       {"main.go", "src/main.go", "x/src/main.go"},
		"{README.md}":                         {"README.md"},
		"?????.go":                            nil,
		"????.go":                             {"main.go"},
		"???.go":                              {"été.go", "src.go"},
		"src?main.go":                         nil,
		"src[/]main.go":                       nil,
		"src[!x]main.go":                      nil,
		"lib/[ab].[ch]":                       {"lib/a.c", "lib/b.h"},
		"lib/[!b].?":                          {"lib/a.c"},
		"lib/[^b].?":                          {"lib/a.c"},
		"lib/[a-b].?":                         {"lib/a.c", "lib/b.h"},
		"docs/[[]1].md":                       {"docs/[1].md"},
		"docs/\\[1\\].md":                     {"docs/[1].md"},
		"docs/[1].md":                         {"docs/1.md"},
		"docs/[[:digit:]].md":                 {"docs/1.md"},
		"docs/a\\{b\\}.md":                    {"docs/a{b}.md"},
		"docs/star\\*.md":                     {"docs/star*.md"},
		"docs/a[-x]b.md":                      {"docs/a-b.md"},
		"docs/a[x-]b.md":                      {"docs/a-b.md"},
		"docs/?[]1]?.md":                      {"docs/[1].md"},
		"docs/[^]a]1].md":                     {"docs/[1].md"},
		"back\\\\slash.go":                    {"back\\slash.go"},
		"\\*\\*\\*/*":                         {"***/y.go"},
		"a b.*":                               {"a b.txt"},
		"MAIN.go":                             nil,
		"[é]t?.go":                            {"été.go"},
		"[à-ü]*.go":                           {"été.go"},
		"src":                                 nil,
		"src/main.go":                         {"src/main.go"},
		".*":                                  {".env"},
		"main.go,":                            nil,
		"***/y.go":                            {"***/y.go"},
	} {
		g, err := glob.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		var got []string
		for _, path := range tree {
			if g.Match(path) {
				got = append(got, path)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", pattern, got, want)
		}
		for _, path := range got {
			if dir := g.PrefixDir(); dir != "." && !strings.HasPrefix(path, dir+"/") {
				t.Errorf("%s: matches %s, which is not below its PrefixDir %s", pattern, path, dir)
			}
		}
	}
}

func TestPrefixDir(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"**":                  ".",
		"*.go":                ".",
		"a.go":                ".",
		"src/a.go":            "src",
		"src/deep/**/*.go":    "src/deep",
		"./src/deep/*":        "src/deep",
		"src/de*/x":           "src",
		"src/[d]eep/x":        "src",
		"src\\[1\\]/x":        "src[1]",
		"{src,lib}/x":         ".",
		"src/{deep,dark}/x":   "src",
		"src/{deep,deeper}/x": "src",
		"a/b/{c/d,c/e}/*.go":  "a/b/c",
		"a/{b,b/c}/x":         "a/b",
		"a/b{,/c/d}/x":        "a/b",
		"src/été/*":           "src/été",
	} {
		g, err := glob.Compile(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if got := g.PrefixDir(); got != want {
			t.Errorf("%s: got %s, want %s", pattern, got, want)
		}
		if g.String() != pattern {
			t.Errorf("%s: String is %s", pattern, g.String())
		}
	}
}

func TestCompile_names_the_place_of_the_error(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]struct {
		pos int
		msg string
	}{
		"":                                      {0, "it is empty"},
		"./":                                    {2, "it is empty"},
		"/src/*.go":                             {0, "starts with a slash"},
		"src/":                                  {4, `write "src/**"`},
		"é/{a,b":                                {2, `"{" is never closed`},
		"{a,{b}":                                {0, `"{" is never closed`},
		"{a,b}}":                                {5, `"}" closes nothing`},
		"a}b":                                   {1, `"}" closes nothing`},
		"./a}b":                                 {3, `"}" closes nothing`},
		"src/[ab":                               {4, `"[" is never closed`},
		"src/[]":                                {4, `"[" is never closed`},
		"src/[!]":                               {4, `"[" is never closed`},
		"docs/a[{]b}.md":                        {10, `"}" closes nothing`},
		"{a,[b}":                                {3, `"[" is never closed`},
		"[z-a]":                                 {0, "the range z-a is the wrong way round"},
		"[[:alfa:]]":                            {0, "there is no class [:alfa:]"},
		"a\\":                                   {1, "ends in a backslash"},
		"a//b":                                  {0, "empty part"},
		"a/../b":                                {0, `the part ".."`},
		"../b":                                  {0, `the part ".."`},
		"a/./b":                                 {0, `the part "."`},
		"{a,}":                                  {0, "leaves it empty"},
		"a\xff":                                 {1, "not valid UTF-8"},
		"[\xff]":                                {0, "not valid UTF-8"},
		strings.Repeat("{a,b}", 10):             {45, "more than 1000 alternatives"},
		"{" + strings.Repeat("a,", 1001) + "b}": {0, "more than 1000 alternatives"},
	} {
		_, err := glob.Compile(pattern)
		var se *glob.SyntaxError
		if !errors.As(err, &se) || se.Pos != want.pos || !strings.Contains(se.Msg, want.msg) || se.Pattern != pattern {
			t.Errorf("%q: got %v, want position %d: %s", pattern, err, want.pos, want.msg)
		}
	}
}

func TestMatch_is_linear(t *testing.T) {
	t.Parallel()
	g, err := glob.Compile(strings.Repeat("*a", 30) + "b")
	if err != nil {
		t.Fatal(err)
	}
	if g.Match(strings.Repeat("a", 5000)) {
		t.Error("matches without the final b")
	}
}
