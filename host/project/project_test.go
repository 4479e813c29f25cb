package project_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

// world is a folder with a Serena home and projects.
type world struct{ base string }

func newWorld(t *testing.T) world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return world{base}
}

func (w world) path(name string) string { return filepath.Join(w.base, filepath.FromSlash(name)) }

func (w world) write(t *testing.T, name, text string) string {
	t.Helper()
	path := w.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "BASE", w.base)), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// registry loads the global configuration with this text.
func (w world) registry(t *testing.T, text string) *project.Registry {
	t.Helper()
	w.write(t, "home/serena_config.yml", text)
	cfg, err := config.Load(config.Options{Home: w.path("home")})
	if err != nil || len(cfg.Notes) > 0 {
		t.Fatal(err, cfg.Notes)
	}
	r := project.NewRegistry(cfg)
	t.Cleanup(r.Close)
	return r
}

func (w world) open(t *testing.T, global, name string) *project.Project {
	t.Helper()
	p, err := w.registry(t, global).Open(t.Context(), w.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func settings(t *testing.T, p *project.Project) sdk.ProjectSettings {
	t.Helper()
	var s sdk.ProjectSettings
	if err := json.Unmarshal(p.SettingsFor(true), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOpen_a_folder_without_files_of_ours(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "code/my project/main.go", "package main\n")
	p := w.open(t, "", "code/my project")
	root := w.path("code/my project")
	if p.Root != root || p.Name != "my project" || p.DataFolder != filepath.Join(root, ".serena") || p.Encoding != "utf-8" || p.ReadOnly || p.Trusted ||
		p.AgentInterface != "tools" || p.CellTimeout != 240*time.Second || p.ReplPython != "" || p.InitialPrompt != "" || p.Backend != "lsp" || !reflect.DeepEqual(p.Scope, config.ProjectScope{ScopeSource: config.ScopeSource{Origin: "project my project"}, Folder: root}) || p.Notes != nil || len(p.ID) != 16 {
		t.Errorf("got %+v", p)
	}
	if got, want := settings(t, p), (sdk.ProjectSettings{AutoInstall: true, RequestTimeoutSeconds: 235, LineEnding: "lf"}); !reflect.DeepEqual(got, want) {
		t.Errorf("settings are %+v", got)
	}
	if _, err := p.Files.Changes(t.Context(), 0); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 {
		t.Errorf("activation left something: %v, %v", entries, err)
	}
	if entries, err := os.ReadDir(w.path("home")); err != nil || len(entries) != 1 {
		t.Errorf("activation left something in the home: %v, %v", entries, err)
	}
}

const globalText = `
ignored_paths: ["*.min.js"]
ls_specific_settings:
  go: {gopls_version: v1, env: {A: b}}
  rust: {x: 1}
tool_timeout: 65
line_ending: lf
agent_interface: REPL
repl_cell_timeout: 9
repl_python: python3.11
excluded_apis: [shell]
auto_install: false
read_only_memory_patterns: [global/.*]
`

const projectText = `
project_name: Nice Name
language_servers: [Go, javascript, TYPESCRIPT, python]
languages: [java]
encoding: Latin-1
ignored_paths: [gen/, "!gen/keep"]
read_only: true
ls_specific_settings:
  go: {buildFlags: [-tags=x]}
included_apis: [ext]
excluded_apis: [fs.create_text_file]
excluded_tools: [list_dir]
default_modes: []
added_modes: [planning]
language_backend: JetBrains
line_ending: crlf
agent_interface: tools
repl_cell_timeout: 60
repl_python: /opt/python
initial_prompt: |
  Read the docs.
  Always.
activation_command: make
read_only_memory_patterns: [core]
ignored_memory_patterns: [_archive/.*]
`

func TestOpen_reads_the_project_file_of_a_trusted_project(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", projectText)
	p := w.open(t, globalText+"trusted_project_path_patterns: [\"BASE/**\"]\n", "p")
	if p.Name != "Nice Name" || p.Encoding != "Latin-1" || !p.ReadOnly || !p.Trusted || p.AgentInterface != "tools" || p.CellTimeout != time.Minute || p.ReplPython != "/opt/python" ||
		p.InitialPrompt != "Read the docs.\nAlways." || p.Backend != "jetbrains" || p.Notes != nil {
		t.Errorf("got %+v", p)
	}
	scope := config.ProjectScope{
		ScopeSource:  config.ScopeSource{Origin: "project Nice Name", IncludedAPIs: []string{"ext"}, ExcludedAPIs: []string{"fs.create_text_file"}, ExcludedTools: []string{"list_dir"}},
		DefaultModes: []string{}, AddedModes: []string{"planning"}, Folder: w.path("p"),
	}
	if !reflect.DeepEqual(p.Scope, scope) {
		t.Errorf("scope is %+v", p.Scope)
	}
	want := sdk.ProjectSettings{
		ReadOnlyMemoryPatterns: []string{"global/.*", "core"}, IgnoredMemoryPatterns: []string{"_archive/.*"},
		IgnoredPaths: []string{"*.min.js", "gen/", "!gen/keep"}, Languages: []string{"go", "typescript", "python"},
		LanguageServers:       map[string]json.RawMessage{"go": json.RawMessage(`{"buildFlags":["-tags=x"]}`), "rust": json.RawMessage(`{"x":1}`)},
		RequestTimeoutSeconds: 60, LineEnding: "crlf", Trusted: true,
	}
	if got := settings(t, p); !reflect.DeepEqual(got, want) {
		t.Errorf("settings are %+v", got)
	}
}

func TestOpen_an_untrusted_project_chooses_no_programs_and_says_so(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", projectText)
	p := w.open(t, globalText, "p")
	if p.Trusted || p.ReplPython != "python3.11" || p.CellTimeout != time.Minute {
		t.Errorf("got %+v", p)
	}
	if got := string(settings(t, p).LanguageServers["go"]); got != `{"env":{"A":"b"},"gopls_version":"v1"}` {
		t.Errorf("go has %s", got)
	}
	if len(p.Notes) != 2 {
		t.Fatalf("notes are %q", p.Notes)
	}
	want := w.path("p/.serena/project.yml") + `, line 19: repl_python is not used, because it can run programs and the project is not trusted: add "` + w.path("p") + `" to trusted_project_path_patterns in serena_config.yml to trust it`
	if p.Notes[0] != want || !strings.Contains(p.Notes[1], "line 8: ls_specific_settings is not used") {
		t.Errorf("notes are %q, want first %q", p.Notes, want)
	}
}

func TestOpen_trust(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]bool{
		"**": true, "BASE/a/p": true, "BASE/a/p/": true, "BASE/*/p": true, "BASE/**": true, "BASE/**/p": true, "/**": true,
		"*": false, "BASE/*": false, "BASE/a": false, "a/p": false, "BASE/a/p/x": false, "BASE/a/P": false, "BASE/[": false, "": false, "BASE": false, "BASE/link": false,
	} {
		w := newWorld(t)
		w.write(t, "a/p/x", "")
		if err := os.Symlink("a/p", w.path("link")); err != nil {
			t.Fatal(err)
		}
		// Through the link: trust is a matter of the real place.
		if got := w.open(t, "trusted_project_path_patterns: ['"+pattern+"']\n", "link").Trusted; got != want {
			t.Errorf("%s: trusted is %v", pattern, got)
		}
	}
}

func TestOpen_local_file_replaces_keys_one_by_one(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "p/.serena/project.yml", "project_name: base\nread_only: true\nignored_paths: [a]\nencoding: cp1252\nlanguages: [java]\n")
	w.write(t, "p/.serena/project.local.yml", "project_name: local\nignored_paths: [b]\nencoding: null\nlanguage: Go\nreed_only: false\n")
	p := w.open(t, "", "p")
	if p.Name != "local" || !p.ReadOnly || p.Encoding != "utf-8" {
		t.Errorf("got %+v", p)
	}
	if s := settings(t, p); !reflect.DeepEqual(s.IgnoredPaths, []string{"b"}) || !reflect.DeepEqual(s.Languages, []string{"java"}) {
		t.Errorf("settings are %+v", s)
	}
	if want := []string{w.path("p/.serena/project.local.yml") + `, line 5: nobody knows the key "reed_only", so it has no effect; did you mean "read_only"?`}; !reflect.DeepEqual(p.Notes, want) {
		t.Errorf("notes are %q", p.Notes)
	}
}

func TestOpen_malformed_project_file(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"project.yml", "project.local.yml"} {
		w := newWorld(t)
		path := w.write(t, "p/.serena/"+file, "read_only: true\nignored_paths: [a, b\n")
		r := w.registry(t, "")
		_, err := r.Open(t.Context(), w.path("p"))
		if !sdk.IsKind(err, sdk.KindValue) || !strings.Contains(err.Error(), "the project "+w.path("p")+" cannot be opened: "+path+", line 2: ") {
			t.Errorf("got %v", err)
		}
		w.write(t, "p/.serena/"+file, "read_only: true\n") // put right
		if p, err := r.Open(t.Context(), w.path("p")); err != nil || !p.ReadOnly {
			t.Errorf("after it was put right: %+v, %v", p, err)
		}
	}
}

func TestOpen_data_folder(t *testing.T) {
	t.Parallel()
	const elsewhere = "project_serena_folder_location: BASE/data/$projectFolderName\n"
	w := newWorld(t)
	w.write(t, "new/x", "")
	w.write(t, "old/.serena/project.yml", "project_name: from the usual place\n")
	w.write(t, "both/.serena/project.yml", "project_name: wrong\n")
	w.write(t, "data/both/project.yml", "project_name: right\n")
	for name, want := range map[string][2]string{
		"new": {"data/new", "new"}, "old": {"old/.serena", "from the usual place"}, "both": {"data/both", "right"},
	} {
		if p := w.open(t, elsewhere, name); p.DataFolder != w.path(want[0]) || p.Name != want[1] {
			t.Errorf("%s: got %s, %q", name, p.DataFolder, p.Name)
		}
	}
	p := w.open(t, elsewhere, "new")
	memory := sdk.WriteFile(w.path("data/new/memories/m.md"), sdk.Absent, []byte("m"))
	if _, err := p.Files.Apply(t.Context(), files.Author{}, []sdk.Change{memory}); err != nil {
		t.Errorf("a memory in a data folder elsewhere: %v", err)
	}
}
