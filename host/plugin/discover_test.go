//go:build unix

package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// place makes an executable script. Another process writes it: a descriptor open for writing, inherited by a child that another test
// forks at that moment, would make it busy.
func place(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(source, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	child, err := process.Start(exec.Command("cp", "-p", source, path), process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if state, err := child.Wait(t.Context()); err != nil || state.Code != 0 {
		t.Fatal(state, err)
	}
}

func testConfig(t *testing.T) *config.Config { return &config.Config{Home: t.TempDir()} }

// cached sorts what Survey finds: plugins, and the paths of those whose manifest is not known.
func cached(cfg *config.Config) (specs []Spec, unknown []string) {
	all, _ := Survey(cfg)
	for _, f := range all {
		switch {
		case f.Ignored != "":
		case !f.Known:
			unknown = append(unknown, f.Path)
		case f.Fault == nil:
			specs = append(specs, f.Spec)
		}
	}
	return specs, unknown
}

func refused(cfg *config.Config) []error {
	all, faults := Survey(cfg)
	for _, f := range all {
		if f.Fault != nil {
			faults = append(faults, f.Fault)
		}
	}
	return faults
}

func probe(ctx context.Context, cfg *config.Config, path string) (Spec, error) {
	f, err := Probe(ctx, cfg, Found{File: filepath.Base(path), Path: path})
	if err == nil {
		err = f.Fault
	}
	return f.Spec, err
}

func names(specs []Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.Name+" "+s.Path)
	}
	return all
}

func TestDiscover_findsExecutables(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	further := t.TempDir()
	cfg.PluginFolders = []string{further, filepath.Join(cfg.Home, "nowhere")}
	folder := filepath.Join(cfg.Home, "plugins")
	for _, path := range []string{"b", "a", ".hidden", "sub/plugin", "sub/other", "deep/er/plugin"} {
		place(t, filepath.Join(folder, path), "exit 1\n")
	}
	place(t, filepath.Join(further, "c"), "exit 1\n")
	if err := os.WriteFile(filepath.Join(folder, "text"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b", filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", filepath.Join(folder, "dangling")); err != nil {
		t.Fatal(err)
	}
	specs, unknown := cached(cfg)
	want := []string{folder + "/a", folder + "/b", folder + "/link", folder + "/sub/plugin", further + "/c"}
	if len(specs) != 0 || !slices.Equal(unknown, want) {
		t.Errorf("specs %q, unknown %q", names(specs), unknown)
	}
	faults := refused(cfg)
	if len(faults) != 1 || !errors.Is(faults[0], os.ErrNotExist) || !strings.Contains(faults[0].Error(), "nowhere") {
		t.Errorf("%v", faults)
	}
	if specs, unknown := cached(testConfig(t)); specs != nil || unknown != nil || refused(testConfig(t)) != nil {
		t.Errorf("an empty home: %v %v", specs, unknown)
	}
}

func TestDiscover_manifestIsReadOnce(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	path := filepath.Join(cfg.Home, "plugins", "counted")
	runs := filepath.Join(cfg.Home, "runs")
	script := func(version string) string {
		m := testPlugin().Manifest()
		m.Version = version
		return fmt.Sprintf("echo run >> '%s'\ncat <<'END'\n%s\nEND\n", runs, m.JSON())
	}
	count := func() int {
		data, _ := os.ReadFile(runs)
		return strings.Count(string(data), "run")
	}
	place(t, path, script("1"))
	if _, unknown := cached(cfg); !slices.Equal(unknown, []string{path}) {
		t.Errorf("%q", unknown)
	}
	spec, err := probe(t.Context(), cfg, path)
	if err != nil || spec.Name != "trial" || !slices.Equal(spec.Command, []string{path}) || spec.Path != path || spec.Builtin || spec.OwnEnv {
		t.Fatalf("%+v %v", spec, err)
	}
	for range 3 {
		specs, unknown := cached(cfg)
		if len(specs) != 1 || len(unknown) != 0 || specs[0].Manifest.Digest() != testPlugin().Manifest().Digest() {
			t.Fatalf("%q %q", names(specs), unknown)
		}
	}
	if n := count(); n != 1 {
		t.Errorf("run %d times", n)
	}
	place(t, path, script("2"))
	if specs, unknown := cached(cfg); len(specs) != 0 || !slices.Equal(unknown, []string{path}) {
		t.Errorf("after a change %q %q", names(specs), unknown)
	}
	if spec, err := probe(t.Context(), cfg, path); err != nil || spec.Manifest.Version != "2" || count() != 2 {
		t.Errorf("%+v %v, run %d times", spec, err, count())
	}
	// A file of the same size and time in its place is another file.
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	place(t, path+".new", script("3"))
	if err := errors.Join(os.Rename(path+".new", path), os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
		t.Fatal(err)
	}
	if now, err := os.Stat(path); err != nil || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		t.Fatalf("the test's own premise: %v %v", now, err)
	}
	if _, unknown := cached(cfg); len(unknown) != 1 {
		t.Error("a replaced file was taken for the old one")
	}
	// Whatever lies in the cache instead of an entry is no entry.
	if err := os.WriteFile(cacheFile(cfg.Home, path), []byte(`{"path":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, unknown := cached(cfg); len(unknown) != 1 {
		t.Error("a torn entry was used")
	}
}

func TestDiscover_twoOfOneName(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	folder := filepath.Join(cfg.Home, "plugins")
	script := fmt.Sprintf("cat <<'END'\n%s\nEND\n", testPlugin().Manifest().JSON())
	for _, name := range []string{"one", "two"} {
		place(t, filepath.Join(folder, name), script)
		if _, err := probe(t.Context(), cfg, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	if specs, _ := cached(cfg); len(specs) != 1 || specs[0].Path != folder+"/one" {
		t.Errorf("%q", names(specs))
	}
	if faults := refused(cfg); len(faults) != 1 || !strings.Contains(faults[0].Error(), folder+"/two are both a plugin named trial") {
		t.Errorf("%v", faults)
	}
}

// manyFaults is a manifest with more wrong with it than anybody reads.
func manyFaults() string {
	m := testPlugin().Manifest()
	m.Facades[0].Methods = nil
	for i := range 2000 {
		m.Facades[0].Methods = append(m.Facades[0].Methods, sdk.MethodDecl{Name: fmt.Sprintf("m %d", i), Result: sdk.TypeRef{Name: "str"}})
	}
	return string(m.JSON())
}

func TestProbe_noPlugins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   []string
	}{
		"garbage":         {"echo hello there; echo more", []string{`printed "hello there", which is no manifest`}},
		"nothing":         {"", []string{`printed ""`}},
		"fails":           {"echo usage: x >&2; exit 2", []string{"ended with exit code 2", "it said:\nusage: x"}},
		"another version": {`echo '{"manifest_version": 9}'`, []string{"format version 9", "rebuild"}},
		"another JSON":    {`echo '{"manifest_version": 1, "sdk": "1.0", "protocols": [1], "name": "not a name"}'`, []string{`"not a name", must be a Python identifier`}},
		"an older sdk":    {`echo '{"manifest_version": 1, "sdk": "0.9", "protocols": [1], "name": "x"}'`, []string{"the plugin is built with sdk 0.9, and this serena needs major version 1: get the present sdk", "build the plugin again"}},
		"a newer sdk":     {`echo '{"manifest_version": 7, "sdk": "2.3", "protocols": [2], "name": "x"}'`, []string{"built with sdk 2.3, which is newer than this serena's 1.0: update serena"}},
		"other protocols": {`echo '{"manifest_version": 1, "sdk": "1.4", "protocols": [8, 9], "name": "x"}'`, []string{"the plugin speaks the protocol versions 8, 9, this serena 1"}},
		"no sdk":          {`echo '{"manifest_version": 1, "name": "x"}'`, []string{`the manifest's sdk is ""`, `"major.minor"`}},
		"many faults":     {"cat <<'END'\n" + manyFaults() + "\nEND", []string{"m 0 needs a summary", "\n… and 3990 faults more"}},
		"floods":          {"echo head; yes", []string{"printed more than 4194304 bytes, beginning with \"head\", and was killed"}},
		"reads":           {"read line || echo EOF", []string{`printed "EOF"`}},
		"no interpreter":  {"exec /does/not/exist", []string{"ended with exit code 127"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := testConfig(t)
			path := filepath.Join(cfg.Home, "plugins", "x")
			place(t, path, c.script+"\n")
			_, err := probe(t.Context(), cfg, path)
			if err == nil {
				t.Fatal("no error")
			}
			mustContain(t, err.Error(), append(c.want, path+" is no plugin that can be used", path+" manifest\" was run", "remove it from the plugin folder")...)
			if n := len(err.Error()); n > 6000 {
				t.Errorf("the error has %d bytes", n)
			}
			// It is remembered, with the same words, until it changes.
			if specs, unknown := cached(cfg); len(specs)+len(unknown) != 0 {
				t.Errorf("offered again: %q %q", names(specs), unknown)
			}
			if faults := refused(cfg); len(faults) != 1 || faults[0].Error() != err.Error() {
				t.Errorf("%v", faults)
			}
			place(t, path, c.script+"\n# changed\n")
			if _, unknown := cached(cfg); len(unknown) != 1 {
				t.Error("not offered after a change")
			}
		})
	}
}

func TestProbe_hangs(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	path := filepath.Join(cfg.Home, "plugins", "x")
	pids := filepath.Join(cfg.Home, "pids")
	place(t, path, fmt.Sprintf("sleep 1000 &\necho $! > '%s'\necho waiting; wait\n", pids))
	begin := time.Now()
	_, err := probe(t.Context(), cfg, path)
	if took := time.Since(begin); err == nil || took > 2*probeLimit {
		t.Fatalf("%v after %s", err, took)
	}
	mustContain(t, err.Error(), "did not end within 5s and was killed", `it had printed "waiting"`)
	var child int
	data, err := os.ReadFile(pids)
	if _, scanErr := fmt.Sscan(string(data), &child); err != nil || scanErr != nil {
		t.Fatal(err, scanErr)
	}
	eventually(t, patience, "the end of its child", func() bool { return !process.Alive(child) })
}

func TestProbe_cancelledIsNotRemembered(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	path := filepath.Join(cfg.Home, "plugins", "x")
	place(t, path, "sleep 1000\n")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := probe(ctx, cfg, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if _, unknown := cached(cfg); len(unknown) != 1 {
		t.Error("it was remembered")
	}
	if _, err := probe(t.Context(), cfg, path+"y"); !sdk.IsKind(err, sdk.KindFileNotFound) {
		t.Errorf("%v", err)
	}
}

func TestProbe_realPluginServesToo(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(cfg.Home, "plugins", linkedPlugin)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(exe, path)); err != nil {
		t.Fatal(err)
	}
	if _, err := probe(t.Context(), cfg, path); err != nil {
		t.Fatal(err)
	}
	specs, _ := cached(cfg)
	if len(specs) != 1 {
		t.Fatalf("%q", names(specs))
	}
	m := New(Options{Home: cfg.Home, Host: &fakeHost{}})
	defer m.Stop(t.Context())
	if got := get[string](t, m.Provider(specs[0]), request("echo", "text", "x")); got != "x" {
		t.Errorf("%q", got)
	}
}

func TestSocketFolder_abandonedOnesAreRemoved(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	make := func(name string, age time.Duration) string {
		folder := filepath.Join(base, socketPrefix+name)
		lock := filepath.Join(folder, lockName)
		then := time.Now().Add(-age)
		if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(lock, nil, 0o600), os.Chtimes(lock, then, then)); err != nil {
			t.Fatal(err)
		}
		return folder
	}
	abandoned, fresh, used := make("abandoned", time.Hour), make("fresh", 0), make("used", time.Hour)
	lock, err := os.OpenFile(filepath.Join(used, lockName), os.O_RDWR, 0)
	if err != nil || !tryLock(lock) {
		t.Fatal(err)
	}
	defer lock.Close()
	removeAbandoned(base, time.Now())
	for folder, stays := range map[string]bool{abandoned: false, fresh: true, used: true} {
		if _, err := os.Stat(folder); (err == nil) != stays {
			t.Errorf("%s: %v", folder, err)
		}
	}
}
