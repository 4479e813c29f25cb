package fs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

// The rules are about where a file is, whatever link leads there.
func TestWalk_through_links_keeps_to_the_rules(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		".gitignore": "/a/secret\n", "a/f.txt": "needle\n", "a/secret/s.txt": "needle\n", "a/conf/c.txt": "needle\n", "a/sub/.gitignore": "x.txt\n", "a/sub/x.txt": "needle\n",
		"ign/x.txt": "needle\n", "b/.gitignore": "l\n", ".git/HEAD": "needle\n", ".serena/memories/m.md": "needle\n",
	}
	h := projectWith(t, files, sdk.ProjectSettings{IgnoredPaths: []string{"/ign", "/a/conf"}})
	for name, target := range map[string]string{
		"la": "a", "a/up": "..", "b/l": "../a", "to.git": ".git/HEAD", "to.ign": "ign/x.txt", "to.memory": ".serena/memories/m.md", "to.f": "a/f.txt",
	} {
		link(t, h, target, name)
	}
	for base, want := range map[string][]string{ // what is searched, and what is listed beside it
		"la":   {"la/f.txt", "la/sub/.gitignore"},
		"b/l":  {"b/l/f.txt", "b/l/sub/.gitignore"},
		"a/up": {"a/up/a/f.txt", "a/up/to.f", "a/up/b/.gitignore", "a/up/.gitignore", "a/up/a/sub/.gitignore", "a/up/to.git", "a/up/to.ign", "a/up/to.memory"},
		".":    {"a/f.txt", "to.f", "b/.gitignore", ".gitignore", "a/sub/.gitignore", "to.git", "to.ign", "to.memory"},
	} {
		var listed fs.DirectoryListing
		h.Into(t, &listed, "fs", "list_dir", args{"relative_path": base, "recursive": true, "skip_ignored_files": true})
		if sorted := slices.Sorted(slices.Values(want)); !slices.Equal(listed.Files, sorted) {
			t.Errorf("%s: listed %q, want %q", base, listed.Files, sorted)
		}
		wanted := slices.DeleteFunc(slices.Clone(want), func(name string) bool {
			return !strings.HasSuffix(name, "f.txt") && !strings.HasSuffix(name, "to.f")
		})
		var got fs.PatternMatches
		h.Into(t, &got, "fs", "search_for_pattern", args{"substring_pattern": "needle", "relative_path": base})
		var found []string
		for _, m := range got.Matches {
			found = append(found, m.SourceFilePath)
		}
		if !slices.Equal(found, wanted) {
			t.Errorf("%s: found %q, want %q", base, found, wanted)
		}
		var preview fs.ReplacementPreview
		h.Into(t, &preview, "edit", "replace_in_files", args{"needle": "needle", "repl": "x", "mode": "literal", "relative_path": base, "dry_run": true})
		if !slices.Equal(preview.AffectedFiles, wanted[:1]) { // one file, once
			t.Errorf("%s: would replace in %q, want %q", base, preview.AffectedFiles, wanted[:1])
		}
	}
}

// What the settings leave out is not laid to git's account.
func TestSearchForPattern_nothing_since_ignored_paths(t *testing.T) {
	t.Parallel()
	h := projectWith(t, map[string]string{"ign/x.txt": "needle\n", "a/q.log": "needle\n", "b.txt": "", "out/o": "", ".gitignore": "/out\n"},
		sdk.ProjectSettings{IgnoredPaths: []string{"/ign", "*.log"}})
	for glob, hidden := range map[string]bool{"ign/**": true, "ign/x.txt": true, "**/q.log": true, "a/q.log": true, "out/*": false, "c/*": false} {
		var got fs.PatternMatches
		h.Into(t, &got, "fs", "search_for_pattern", args{"substring_pattern": "needle", "paths_include_glob": glob})
		note := strings.Join(got.Notes, "\n")
		if len(got.Matches) != 0 || hidden != strings.Contains(note, "ignored_paths") || hidden == strings.Contains(note, "skip_ignored_files=False") {
			t.Errorf("%s: %q", glob, note)
		}
	}
}
