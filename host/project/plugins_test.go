package project_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

const globalPlugins = `
ls_specific_settings: {go: {token: secret}}
plugins:
  todo: {file: a.txt, limits: {day: 3}}
  clock: {enabled: false}
`

const projectPlugins = `
plugins:
  todo: {limits: {week: 9}, more: 1}
  clock: {enabled: true}
  shout: {enabled: false}
  own: {path: tools/own, sha256: "` + sumOfZeros + `", x: 1}
  pinned: {sha256: "` + sumOfZeros + `"}
`

const sumOfZeros = "0000000000000000000000000000000000000000000000000000000000000000"

func TestOpen_plugins_of_a_trusted_project(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", projectPlugins)
	p := w.open(t, globalPlugins+"trusted_project_path_patterns: [\"BASE/**\"]\n", "p")
	for name, want := range map[string]bool{"todo": true, "clock": true, "shout": false, "own": true, "never named": true} {
		if got := p.PluginEnabled(name); got != want {
			t.Errorf("%s: enabled is %v", name, got)
		}
	}
	for name, want := range map[string]string{
		"todo": `{"file":"a.txt","limits":{"week":9},"more":1}`, "clock": `{}`, "own": `{"x":1}`, "never named": `{}`,
	} {
		if got := string(p.PluginSettings(name)); got != want {
			t.Errorf("%s: settings are %s, want %s", name, got, want)
		}
	}
	if own := p.Plugins["own"]; own.Path != w.path("p/tools/own") || own.SHA256 != sumOfZeros {
		t.Errorf("own is %+v", own)
	}
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "line 2: the sha256 of the plugin pinned has no effect without its path") {
		t.Errorf("notes are %q", p.Notes)
	}
}

func TestOpen_an_untrusted_project_adds_no_plugin_and_says_so(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", projectPlugins)
	p := w.open(t, globalPlugins, "p")
	if own := p.Plugins["own"]; own.Path != "" || own.SHA256 != "" || string(p.PluginSettings("own")) != `{"x":1}` {
		t.Errorf("own is %+v", own)
	}
	if p.PluginEnabled("shout") || !p.PluginEnabled("clock") {
		t.Error("an untrusted project cannot enable and disable what is installed")
	}
	want := w.path("p/.serena/project.yml") + `, line 2: the path of the plugin own is not used, because it would run a program and the project is not trusted: add "` + w.path("p") + `" to trusted_project_path_patterns in serena_config.yml to trust it`
	if len(p.Notes) != 2 || p.Notes[0] != want {
		t.Errorf("notes are %q, want first %q", p.Notes, want)
	}
}

func TestSettingsFor_a_third_party_leaves_out_what_is_the_language_servers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", "ignored_paths: [gen]\nlanguages: [go]\n")
	p := w.open(t, globalPlugins+"read_only_memory_patterns: [a]\nignored_memory_patterns: [b]\ntool_timeout: 65\nline_ending: lf\n", "p")
	want := sdk.ProjectSettings{
		IgnoredPaths: []string{"gen"}, Languages: []string{"go"}, RequestTimeoutSeconds: 60, LineEnding: "lf",
		ReadOnlyMemoryPatterns: []string{"a"}, IgnoredMemoryPatterns: []string{"b"},
	}
	var got sdk.ProjectSettings
	if err := json.Unmarshal(p.SettingsFor(false), &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v", err, got)
	}
	if strings.Contains(string(p.SettingsFor(false)), "secret") || !strings.Contains(string(p.SettingsFor(true)), "secret") {
		t.Errorf("third parties get %s", p.SettingsFor(false))
	}
}
