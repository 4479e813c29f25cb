package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// trial is the executable of the plugin in the folder of that name, built once where a test needs it.
var trial = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(binary), "trial")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/serena-go/serena/e2e/trial").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// installTrial puts the trial plugin into a Serena home, as a third party's.
func installTrial(t *testing.T, home string) {
	t.Helper()
	path, err := trial()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, "plugins")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, filepath.Join(folder, "trial")); err != nil {
		t.Fatal(err)
	}
}
