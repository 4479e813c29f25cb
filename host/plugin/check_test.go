//go:build unix

package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// TestPlugin_thatDeclaresSomethingElseNowIsAskedAgain at the restart that its error speaks of.
func TestPlugin_thatDeclaresSomethingElseNowIsAskedAgain(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	path := filepath.Join(cfg.Home, "plugins", "trial")
	place(t, path, "exit 1\n")
	id, err := identify(path)
	if err == nil {
		err = remember(cfg, entry{identity: id, Manifest: testPlugin().Manifest().JSON()})
	}
	if err != nil {
		t.Fatal(err)
	}
	m := New(Options{Home: cfg.Home, Host: &fakeHost{}})
	defer m.Stop(t.Context())
	spec := trialSpec(t, roleOther)
	spec.Path = path
	mustContain(t, fails(t, m.Provider(spec), request("pid")).Error(), "was changed since its declaration was read: restart serena")
	if e, ok := remembered(cfg, id); ok {
		t.Errorf("%s is still remembered", e.Path)
	}
}

// TestPlugin_whoseScriptStaysAsItIs changes what a script starts, which no look at the script shows.
func TestPlugin_whoseScriptStaysAsItIs(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	path := filepath.Join(cfg.Home, "plugins", "trial", "plugin")
	declared := filepath.Join(filepath.Dir(path), "declared.json")
	place(t, path, fmt.Sprintf("cat '%s'\n", declared))
	declare := func(version string) {
		t.Helper()
		m := testPlugin().Manifest()
		m.Version = version
		if err := os.WriteFile(declared, m.JSON(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ask := func() Found {
		t.Helper()
		all, _ := Survey(cfg)
		if len(all) != 1 {
			t.Fatalf("%+v", all)
		}
		all[0] = all[0].Again()
		if err := ProbeAll(t.Context(), cfg, all, nil); err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	if f := ask(); f.Fault == nil || !strings.Contains(f.Fault.Error(), `it is asked again when it changes, and by "serena plugin list"`) {
		t.Errorf("without its program: %v", f.Fault)
	}
	declare("1")
	if f := ask(); f.Fault != nil || f.Spec.Manifest.Version != "1" {
		t.Errorf("repaired: %+v", f)
	}
	declare("2")
	if f := ask(); f.Fault != nil || f.Spec.Manifest.Version != "2" {
		t.Errorf("changed: %+v", f)
	}
	// A check of what is installed tells the next host, too, even if it finds that the plugin cannot be started.
	declare("3")
	if _, err := Check(t.Context(), cfg, filepath.Dir(path), hclog.NewNullLogger()); err == nil {
		t.Error("a script that only prints was started")
	}
	if all, _ := Survey(cfg); all[0].Spec.Manifest.Version != "3" {
		t.Errorf("after a check: %+v", all[0].Spec.Manifest.Version)
	}
}
