package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTypeScriptSDK drives the binary with the official TypeScript SDK: see js/drive.mjs (cells) and js/tools.mjs (the classic
// interface) for the values.
func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	installPackages(t, ctx)
	for _, script := range []string{"drive.mjs", "tools.mjs"} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(ctx, "node", script, binary, newProject(t))
			cmd.Dir, cmd.Env = "js", environment(t.TempDir())
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), " passed, 0 failed") {
				t.Fatalf("%v\n%s%s", err, out, stderr.Bytes())
			}
		})
	}
}

// installPackages installs the packages of the lock file unless that very lock file was installed before.
func installPackages(t *testing.T, ctx context.Context) {
	t.Helper()
	stamp := filepath.Join("js", "node_modules", ".installed-lock.json")
	want, err := os.ReadFile(filepath.Join("js", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(stamp); err == nil && string(got) == string(want) {
		return
	}
	install := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund")
	install.Dir = "js"
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
