package fs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	sdktest.Run(t, fs.New(), sdktest.Options{
		Files: map[string]string{
			"README.md":   strings.Repeat("a line\n", 12),
			"src/main.go": "package main\n\n// TODO before the release\nvar retries = 3\nvar timeout = 30\nvar oldName, other = 1, oldName\n",
		},
		Prepare: func(t testing.TB, root string) { // as long as what can be sent, and what is around it is too much
			if err := os.WriteFile(filepath.Join(root, "large.txt"), []byte(strings.Repeat("0123456789\n", sdk.MaxValueBytes/11)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		Large: `fs.read_file("large.txt")`,
	})
}
