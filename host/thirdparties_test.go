//go:build unix

package host

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// declares makes a program that declares a plugin with one facade of its own name, and can do no more. Another process writes it, so that
// no child that is forked at that moment holds it open for writing.
func declares(t *testing.T, path, name string) {
	t.Helper()
	p := sdk.Plugin{Name: name, Facades: []sdk.Facade{{Name: name, Summary: "words of " + name, Methods: []sdk.Method{
		sdk.NewMethod("say", func(context.Context, *sdk.Call, struct{}) (string, error) { return "", nil }, "Speaks.\n\nReturns a word."),
	}}}}
	source := filepath.Join(t.TempDir(), "source")
	script := fmt.Sprintf("#!/bin/sh\ncat <<'END'\n%s\nEND\n", p.Manifest().JSON())
	if err := os.WriteFile(source, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
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

// town is a home and projects in a folder of its own.
type town struct {
	offers   *offers
	projects *project.Registry
	base     string
}

// newTown makes a home with the plugins clock and todo, and the projects that their files are given of.
func newTown(t *testing.T, global string, projects map[string]string) *town {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "BASE", base)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(base, "home")
	declares(t, filepath.Join(home, "plugins", "clock"), "clock")
	declares(t, filepath.Join(home, "plugins", "todo", "plugin"), "todo")
	write(filepath.Join(home, config.FileName), global)
	for name, text := range projects {
		write(filepath.Join(base, name, ".serena", "project.yml"), text)
	}
	cfg, err := config.Load(config.Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	manager := plugin.New(plugin.Options{Home: home})
	w := &town{projects: project.NewRegistry(cfg), base: base}
	t.Cleanup(w.projects.Close)
	w.offers = newOffers(Options{Config: cfg, Log: hclog.NewNullLogger()}, manager)
	return w
}

func (w *town) open(t *testing.T, name string) *project.Project {
	t.Helper()
	p, err := w.projects.Open(t.Context(), filepath.Join(w.base, name))
	if err != nil {
		t.Fatal(err)
	}
	w.offers.probe(t.Context(), p)
	return p
}

// has tells which of the facades are there in a project.
func (w *town) has(p *project.Project, facades ...string) string {
	overview, there := w.offers.scope(p).Overview(), []string{}
	for _, f := range facades {
		if strings.Contains(overview, "words of "+f) {
			there = append(there, f)
		}
	}
	return strings.Join(there, " ")
}

func TestPluginsOfAProject(t *testing.T) {
	t.Parallel()
	w := newTown(t, "trusted_project_path_patterns: [BASE/trusted]\nplugins: {todo: {enabled: false}}\n", map[string]string{
		"trusted":   "plugins: {own: {path: tools/own}, clock: {enabled: false}}\n",
		"untrusted": "plugins: {own: {path: tools/own}, todo: {enabled: true}}\n",
		"plain":     "",
	})
	declares(t, filepath.Join(w.base, "trusted", "tools", "own"), "own")
	declares(t, filepath.Join(w.base, "untrusted", "tools", "own"), "own")
	if got := w.has(nil, "clock", "todo", "own"); got != "" {
		t.Errorf("before anything was asked: %q", got)
	}
	for name, want := range map[string]string{"trusted": "own", "untrusted": "clock todo", "plain": "clock"} {
		p := w.open(t, name)
		if got := w.has(p, "clock", "todo", "own"); got != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	if got := w.has(nil, "clock", "todo", "own"); got != "clock" {
		t.Errorf("without a project: %q", got)
	}
	if told := w.offers.told(); len(told) != 0 {
		t.Errorf("told %q", told)
	}
}

func TestPluginsOfTwoProjectsOfOneName(t *testing.T) {
	t.Parallel()
	w := newTown(t, "trusted_project_path_patterns: ['**']\n", map[string]string{
		"a": "plugins: {clock: {path: clock}}\n",
		"b": "plugins: {clock: {path: clock}}\n",
	})
	for _, name := range []string{"a", "b"} {
		declares(t, filepath.Join(w.base, name, "clock"), "clock")
		if got := w.has(w.open(t, name), "clock", "todo"); got != "clock todo" {
			t.Errorf("%s has %q", name, got)
		}
		specs, faults := w.offers.others.specs(w.open(t, name))
		if len(specs) != 2 || specs[0].Path != filepath.Join(w.base, name, "clock") || faults != nil {
			t.Errorf("%s: %+v %v", name, specs, faults)
		}
	}
}

func TestWhatIsSaidOfNoPluginIsTold(t *testing.T) {
	t.Parallel()
	w := newTown(t, "plugins: {tudo: {enabled: false}, clock: {x: 1}}\n", map[string]string{"a": "plugins: {clok: {x: 1}, todo: {x: 1}}\n"})
	if told := w.offers.told(); len(told) != 0 {
		t.Errorf("before all are known: %q", told)
	}
	w.offers.probe(t.Context(), nil)
	told := w.offers.told()
	want := filepath.Join(w.base, "home", config.FileName) + ", line 1: there is no plugin tudo, so what is said of it has no effect; did you mean todo?"
	if len(told) != 1 || told[0] != want {
		t.Errorf("told %q, want %q", told, want)
	}
	want = filepath.Join(w.base, "a", ".serena", "project.yml") + ", line 1: there is no plugin clok, so what is said of it has no effect; did you mean clock?"
	for range 2 { // it is told once
		w.open(t, "a")
		if told := w.offers.told(); len(told) != 2 || told[1] != want {
			t.Errorf("told %q, want %q at last", told, want)
		}
	}
}
