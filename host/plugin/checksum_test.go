//go:build unix

package plugin

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/sdk"
)

// countedPlugin is a script that notes each run in the file and prints testPlugin's manifest.
func countedPlugin(runs, comment string) string {
	return fmt.Sprintf("echo run >> '%s'\ncat <<'END'\n%s\nEND\n# %s\n", runs, testPlugin().Manifest().JSON(), comment)
}

func runsIn(file string) int {
	data, _ := os.ReadFile(file)
	return strings.Count(string(data), "run")
}

func sumOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

func only(t *testing.T, cfg *config.Config) Found {
	t.Helper()
	all, faults := Survey(cfg)
	if len(all) != 1 || faults != nil {
		t.Fatalf("%+v %v", all, faults)
	}
	return all[0]
}

func TestProbe_runsNothingOfAChangedExecutable(t *testing.T) {
	t.Parallel()
	for name, explicit := range map[string]bool{"in the folder": false, "by its path": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t)
			path, runs := filepath.Join(cfg.Home, "plugins", "trial"), filepath.Join(cfg.Home, "runs")
			entry := config.PluginEntry{}
			if explicit {
				path = filepath.Join(cfg.Home, "elsewhere")
				entry.Path = path
			}
			place(t, path, countedPlugin(runs, "old"))
			old := sumOf(t, path)
			entry.SHA256 = strings.ToUpper(old)
			cfg.Plugins = map[string]config.PluginEntry{"trial": entry}
			place(t, path, countedPlugin(runs, "new"))
			for range 2 {
				f, err := Probe(t.Context(), cfg, only(t, cfg))
				if err != nil || f.Fault == nil || !errors.Is(f.Fault, ErrChanged) || !sdk.IsKind(f.Fault, sdk.KindPermission) {
					t.Fatalf("%+v %v", f, err)
				}
				mustContain(t, f.Fault.Error(), "the plugin trial is not run", strings.ToUpper(old), sumOf(t, path), "plugins.trial.sha256", "write the new sum into the configuration")
				if f := only(t, cfg); !f.Known || f.Fault == nil {
					t.Errorf("the sum is taken again: %+v", f)
				}
			}
			if n := runsIn(runs); n != 0 {
				t.Errorf("it was run %d times", n)
			}
			entry.SHA256 = sumOf(t, path)
			cfg.Plugins["trial"] = entry
			f, err := Probe(t.Context(), cfg, only(t, cfg))
			if err != nil || f.Fault != nil || f.Spec.SHA256 != entry.SHA256 || runsIn(runs) != 1 {
				t.Errorf("with its sum %+v %v, %d runs", f, err, runsIn(runs))
			}
			if f := only(t, cfg); !f.Known || f.Fault != nil || f.Spec.SHA256 != entry.SHA256 {
				t.Errorf("it is not remembered: %+v", f)
			}
		})
	}
}

func TestProbe_oneThatCallsItselfByAPinnedName(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	path, runs := filepath.Join(cfg.Home, "plugins", "innocent"), filepath.Join(cfg.Home, "runs")
	place(t, path, countedPlugin(runs, ""))
	cfg.Plugins = map[string]config.PluginEntry{"trial": {SHA256: strings.Repeat("0", 64)}}
	f, err := Probe(t.Context(), cfg, only(t, cfg))
	if err != nil || !errors.Is(f.Fault, ErrChanged) {
		t.Errorf("%+v %v", f, err)
	}
	if f := only(t, cfg); !errors.Is(f.Fault, ErrChanged) {
		t.Errorf("later %+v", f)
	}
	cfg.Plugins["trial"] = config.PluginEntry{SHA256: sumOf(t, path)}
	if f, err := Probe(t.Context(), cfg, only(t, cfg)); err != nil || f.Fault != nil || f.Spec.SHA256 != sumOf(t, path) {
		t.Errorf("with its sum %+v %v", f, err)
	}
}

func TestSurvey_paths(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	runs := filepath.Join(cfg.Home, "runs")
	place(t, filepath.Join(cfg.Home, "there", "plugin"), countedPlugin(runs, ""))
	place(t, filepath.Join(cfg.Home, "plugins", "same"), countedPlugin(runs, ""))
	cfg.Plugins = map[string]config.PluginEntry{
		"trial": {Path: filepath.Join(cfg.Home, "there")}, "gone": {Path: filepath.Join(cfg.Home, "gone"), Where: "the file"},
		"wrong": {Path: filepath.Join(cfg.Home, "there")},
	}
	all, _ := Survey(cfg)
	for i, f := range all {
		if f.Fault == nil {
			var err error
			if all[i], err = Probe(t.Context(), cfg, f); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, _ = Survey(cfg)
	var got []string
	for _, f := range all {
		got = append(got, f.Name()+" "+strings.TrimPrefix(f.Path, cfg.Home)+" "+strings.ReplaceAll(fmt.Sprint(f.Fault), cfg.Home, ""))
	}
	want := []string{
		"gone /gone the plugin gone cannot be used: /gone is not there; correct plugins.gone.path (the file)",
		"trial /there/plugin <nil>",
		"trial /there/plugin the plugin at /there/plugin is named trial, not wrong: correct its name below plugins: in the configuration",
		"trial /plugins/same /there/plugin and /plugins/same are both a plugin named trial; the first one is used: remove or rename one",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

func TestStart_ofAChangedExecutable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "trial")
	runs := filepath.Join(dir, "runs")
	script := func(comment string) string {
		return fmt.Sprintf("echo run >> '%s'\nexec '%s' %s\n# %s\n", runs, exe, rolePlugin, comment)
	}
	place(t, path, script("old"))
	m := New(Options{Home: dir, Host: &fakeHost{}})
	defer m.Stop(t.Context())
	spec := Spec{Name: "trial", Manifest: testPlugin().Manifest(), Command: []string{path}, Path: path, SHA256: sumOf(t, path)}
	p := m.Provider(spec)
	if got := get[string](t, p, request("echo", "text", "x")); got != "x" {
		t.Errorf("%q", got)
	}
	kill(t, m.Status()[0].Pid)
	eventually(t, patience, "its end", func() bool { return m.Status()[0].State == Gone })
	place(t, path, script("new"))
	for range crashLimit + 1 { // a refusal is no crash: it is over as soon as the file is right again
		if err := fails(t, p, request("pid")); !errors.Is(err, ErrChanged) {
			t.Fatalf("%v", err)
		}
	}
	if n := runsIn(runs); n != 1 {
		t.Errorf("it was run %d times", n)
	}
	place(t, path, script("old"))
	get[string](t, p, request("echo", "text", "x"))
}

func TestStillIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	place(t, path, "exit\n")
	id, err := verify("x", path, sumOf(t, path))
	if err != nil || stillIs("x", id) != nil {
		t.Fatal(err)
	}
	// Away and back again: the same bytes in the same inode, but somebody was there.
	if err := errors.Join(os.Rename(path, path+".away"), os.Rename(path+".away", path)); err != nil {
		t.Fatal(err)
	}
	if err := stillIs("x", id); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}
