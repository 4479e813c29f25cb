package repl

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestPythonUnitTests runs the unit tests of the embedded Python packages: the runtime as a bare client sees it, and `s`.
func TestPythonUnitTests(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"tests", "serena_tests"} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "python3", "-m", "unittest", "discover", "-s", folder, "-t", ".")
			cmd.Dir = "python"
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "skipped") || strings.Contains(string(out), "Ran 0 tests") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
