package fs_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
)

// Calls of several threads on one file are done one after the other, each on what the one before has left, whatever name it is called by.
func TestReplace_side_by_side(t *testing.T) {
	t.Parallel()
	const calls = 64
	var text strings.Builder
	for i := range calls {
		fmt.Fprintf(&text, "<%d>\n", i)
	}
	h := project(t, map[string]string{"d/f": text.String()})
	link(t, h, "d", "l")
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			name := []string{"d/f", "l/f"}[i%2]
			method := []string{"replace_content", "replace_content", "replace_in_files"}[i%3]
			_, err := callThrough(t, h, h.Host, "edit", method, args{"relative_path": name, "needle": fmt.Sprintf("<%d>", i), "repl": fmt.Sprint(i), "mode": "literal"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, want := read(t, h, "d/f"), strings.NewReplacer("<", "", ">", "").Replace(text.String()); got != want {
		t.Errorf("got %q", got)
	}
}

// What is being written beside a file is no file of the project.
func TestWalks_do_not_meet_what_is_staged(t *testing.T) {
	t.Parallel()
	h := project(t, map[string]string{"d/f": "needle\n", "d/.serena-0123456789abcdef.tmp": "needle\n", ".serena-x": "needle\n"})
	h.Into(t, nil, "edit", "replace_in_files", args{"needle": "needle", "repl": "pin", "mode": "literal", "expected_count": 2})
	var got fs.FileMatches
	h.Into(t, &got, "fs", "find_file", args{"file_mask": "*", "relative_path": "."})
	if want := []string{".serena-x", "d/f"}; !slices.Equal(got.Files, want) {
		t.Errorf("found %q", got.Files)
	}
	if got := read(t, h, "d/.serena-0123456789abcdef.tmp"); got != "needle\n" {
		t.Errorf("it is %q", got)
	}
}
