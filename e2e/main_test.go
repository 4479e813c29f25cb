package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is the serena under test, built once for all tests; goplsDir is put before the PATH of what they start.
var binary, goplsDir string

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "serena-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "serena")
	build := exec.Command("go", "build", "-o", binary, "github.com/serena-go/serena/cmd/serena")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the binary does not build: %v\n%s", err, out)
		return 1
	}
	gopls := os.Getenv("SERENA_TEST_GOPLS")
	if gopls == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		gopls = filepath.Join(cache, "serena-go", "tools", "gopls-v0.23.0", "gopls")
	}
	if _, err := os.Stat(gopls); err != nil {
		fmt.Fprintf(os.Stderr, "gopls is needed at %s (or where SERENA_TEST_GOPLS says): run `make tools`\n", gopls)
		return 1
	}
	goplsDir = filepath.Dir(gopls)
	return m.Run()
}
