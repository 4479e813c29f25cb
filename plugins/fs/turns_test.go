package fs_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Calls of several threads on one file are done one after the other, each on what the one before has left, whatever name it is called by.
func TestReplaceContent_side_by_side(t *testing.T) {
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
			_, err := callThrough(t, h, h.Host, "edit", "replace_content", args{"relative_path": name, "needle": fmt.Sprintf("<%d>", i), "repl": fmt.Sprint(i), "mode": "literal"})
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
