package fs_test

import (
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
)

// What stands for a result that holds less than there is says so.
func TestRenderText_too_long_and_incomplete(t *testing.T) {
	t.Parallel()
	const note = "only the first 2 of 9 fit here"
	for name, text := range map[string]string{
		"read_file": fs.FileContent{Lines: []string{"a", "b"}, Text: "a\nb\n" + strings.Repeat("x", 5_000_000), Notes: []string{note}}.RenderText(sdk.Policy{}),
		"list_dir":  fs.DirectoryListing{Files: []string{strings.Repeat("x", 5_000_000)}, Notes: []string{note}}.RenderText(sdk.Policy{}),
		"find_file": fs.FileMatches{Files: []string{strings.Repeat("x", 5_000_000)}, Notes: []string{note}}.RenderText(sdk.Policy{}),
	} {
		if !strings.HasPrefix(text, "The answer is too long (50000") || !strings.HasSuffix(text, "\nnote: "+note) {
			t.Errorf("%s: %q", name, text)
		}
	}
}
