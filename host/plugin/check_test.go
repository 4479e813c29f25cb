//go:build unix

package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for fault, says := range map[string]string{
		"": "", "hangs in Stop": "works, but did not end within 2s when it was asked to, and was killed",
		"declares something else": "was changed since its declaration was read", "leaves in the handshake": "exit code 4",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t)
			path := filepath.Join(t.TempDir(), "trial")
			place(t, path, fmt.Sprintf("if [ \"$1\" = manifest ]; then cat <<'END'\n%s\nEND\nexit; fi\nexec '%s' %s '%s'\n", testPlugin().Manifest().JSON(), exe, roleBad, fault))
			ctx, cancel := contextOf(t)
			defer cancel()
			m, err := Check(ctx, cfg, path, hclog.NewNullLogger())
			if says == "" && (err != nil || m.Name != "trial") || says != "" && err == nil {
				t.Fatalf("%s, %v", m.Name, err)
			}
			if says != "" {
				mustContain(t, err.Error(), says)
			}
			if left, err := os.ReadDir(cfg.Home); err != nil || len(left) != 0 {
				t.Errorf("it was remembered: %v %v", left, err)
			}
		})
	}
}
