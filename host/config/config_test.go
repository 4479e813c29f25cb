package config_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/serena-go/serena/host/config"
)

var desktop = config.Profile{Name: "desktop-app", Scope: config.ScopeSource{Origin: "context desktop-app"}}

// home makes a Serena home whose file has the text.
func home(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func load(t *testing.T, text string, flags map[string]string) *config.Config {
	t.Helper()
	c, err := config.Load(config.Options{Home: home(t, text), Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLoad_without_a_file_gives_defaults_and_writes_nothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "yet")
	got, err := config.Load(config.Options{Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	want := &config.Config{
		Home: dir, File: filepath.Join(dir, "serena_config.yml"), AgentInterface: "tools", MaxAnswerChars: 150000,
		MaxOutputChars: 150000, MaxSessions: 100, SessionIdle: time.Hour, SessionKeep: 168 * time.Hour,
		CellTimeout: 240 * time.Second, ToolTimeout: 240 * time.Second, RequestTimeout: 235 * time.Second, LineEnding: "lf",
		AutoInstall: true, LogLevel: "info", DataFolder: "$projectDir/.serena",
		LanguageServers: map[string]json.RawMessage{}, Plugins: map[string]config.PluginEntry{}, PluginIdle: 30 * time.Minute,
		Backend: "lsp", Scope: config.ScopeSource{Origin: "the global configuration"}, Context: desktop,
		Modes: config.Modes{Base: []string{"interactive", "editing"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("the home was touched: %v", err)
	}
}

func TestLoad_reads_every_key(t *testing.T) {
	t.Parallel()
	got := load(t, "\ufeff# a comment\r\n"+strings.ReplaceAll(`agent_interface: repl
default_max_tool_answer_chars: 2000
repl_python: python3.12
repl_cell_timeout: 2.5
repl_max_output_chars: 1000
repl_max_memory_mb: 512
repl_max_sessions: 3
repl_session_idle_minutes: 1.5
repl_session_keep_days: 0
tool_timeout: 60
line_ending: CRLF
auto_install: false
log_level: 30
project_serena_folder_location: /data/$projectFolderName
ls_specific_settings:
  TypeScript.v2:
    MaxMem: 4096
    a.b: [x, {C: null}]
    auto_install: true
  go: {}
ignored_paths: ["*.min.js", "!keep"]
read_only_memory_patterns: ["global/.*"]
ignored_memory_patterns: "_archive/.*"
included_apis: [lsp]
excluded_apis:
- shell.execute_shell_command
excluded_tools: read_file
included_optional_tools: [replace_lines]
fixed_tools: [a, b]
base_modes: [editing]
default_modes: [planning, /m.yml]
projects:
- /one
- /two words
trusted_project_path_patterns: "/one/**"
plugin_folders: [/opt/plugins]
plugins:
  Clock:
    path: /opt/clock
    sha256: "`+strings.Repeat("aB", 32)+`"
    enabled: false
    zone: {Name: UTC}
  todo: {a.B: 1}
  nothing:
plugin_idle_minutes: 1.5
language_backend: jetBrains
web_dashboard: true
`, "\n", "\r\n"), nil)
	no := false
	want := config.Config{
		Home: got.Home, File: got.File, AgentInterface: "REPL", MaxAnswerChars: 2000, ReplPython: "python3.12",
		MaxOutputChars: 1000, MaxMemory: 512 << 20, MaxSessions: 3, SessionIdle: 90 * time.Second,
		CellTimeout: 2500 * time.Millisecond, ToolTimeout: time.Minute, RequestTimeout: 55 * time.Second, LineEnding: "crlf",
		LogLevel: "warn", DataFolder: "/data/$projectFolderName",
		LanguageServers: map[string]json.RawMessage{
			"TypeScript.v2": json.RawMessage(`{"MaxMem":4096,"a.b":["x",{"C":null}],"auto_install":true}`),
			"go":            json.RawMessage(`{}`),
		},
		IgnoredPaths: []string{"*.min.js", "!keep"}, ReadOnlyMemory: []string{"global/.*"}, IgnoredMemory: []string{"_archive/.*"},
		Scope: config.ScopeSource{
			Origin: "the global configuration", IncludedAPIs: []string{"lsp"}, ExcludedAPIs: []string{"shell.execute_shell_command"},
			ExcludedTools: []string{"read_file"}, IncludedOptionalTools: []string{"replace_lines"}, FixedTools: []string{"a", "b"},
		},
		Backend: "jetbrains", Context: desktop, Modes: config.Modes{Base: []string{"editing"}, Default: []string{"planning", "/m.yml"}},
		Projects: []string{"/one", "/two words"}, TrustedPatterns: []string{"/one/**"}, PluginFolders: []string{"/opt/plugins"},
		Plugins: map[string]config.PluginEntry{
			"Clock": {Path: "/opt/clock", SHA256: strings.Repeat("aB", 32), Enabled: &no, Settings: json.RawMessage(`{"zone":{"Name":"UTC"}}`), Where: got.File + ", line 39"},
			"todo":  {Settings: json.RawMessage(`{"a.B":1}`), Where: got.File + ", line 39"},
		},
		PluginIdle: 90 * time.Second,
	}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
}

func TestLoad_notes_what_makes_no_sense_and_uses_the_default(t *testing.T) {
	t.Parallel()
	defaults := load(t, "", nil)
	for text, note := range map[string]string{
		"tool_timeot: 5":                           `line 1: nobody knows the key "tool_timeot", so it has no effect; did you mean "tool_timeout"?`,
		"qqq: 5":                                   `line 1: nobody knows the key "qqq", so it has no effect`,
		"TOOL_TIMEOUT: 20":                         `nobody knows the key "TOOL_TIMEOUT", so it has no effect; did you mean "tool_timeout"?`,
		"7: x":                                     `nobody knows the key "7", so it has no effect`,
		"\n\ntool_timeout: soon":                   `line 3: tool_timeout is "soon", but it must be a number of seconds, at least 10; 4m0s is used`,
		"tool_timeout: 9.9":                        `tool_timeout is 9.9, but it must be a number of seconds, at least 10`,
		"tool_timeout: 1e300":                      `tool_timeout is "1e300", but`,
		"repl_cell_timeout: 0":                     `repl_cell_timeout is 0, but it must be a number of seconds above 0; 4m0s is used`,
		"repl_max_sessions: 0":                     `repl_max_sessions is 0, but it must be a whole number above 0; 100 is used`,
		"repl_session_idle_minutes: 0":             `repl_session_idle_minutes is 0, but it must be a number of minutes above 0; 1h0m0s is used`,
		"repl_session_keep_days: -1":               `repl_session_keep_days is -1, but it must be a number of days, 0 to keep nothing; 168h0m0s is used`,
		"repl_session_keep_days: 1e6":              `repl_session_keep_days is "1e6", but`,
		"repl_max_memory_mb: 100":                  `repl_max_memory_mb is 100, but it must be a number of MiB, at least 256, or 0 for no limit; 0 is used`,
		"repl_cell_timeout: -3":                    `repl_cell_timeout is -3, but`,
		"repl_cell_timeout: .inf":                  `repl_cell_timeout is +Inf, but`,
		"repl_cell_timeout: .nan":                  `repl_cell_timeout is NaN, but`,
		"repl_cell_timeout: [1]":                   `repl_cell_timeout is [1], but`,
		"agent_interface: both":                    `agent_interface is "both", but it must be one of tools, REPL; tools is used`,
		"language_backend: gopls":                  `language_backend is "gopls", but it must be one of LSP, JetBrains; lsp is used`,
		"agent_interface: 3":                       `agent_interface is 3, but`,
		"default_max_tool_answer_chars: 0":         `default_max_tool_answer_chars is 0, but it must be a whole number above 0; 150000 is used`,
		"default_max_tool_answer_chars: 1.5":       `default_max_tool_answer_chars is 1.5, but`,
		"default_max_tool_answer_chars: 1e12":      `default_max_tool_answer_chars is "1e12", but`,
		"repl_python: {a: b}":                      `repl_python is {"a":"b"}, but it must be text; it is ignored`,
		"line_ending: cr":                          `line_ending is "cr", but it must be one of lf, crlf, native; lf is used`,
		"auto_install: 'yes'":                      `auto_install is "yes", but it must be true or false; true is used`,
		"log_level: loud":                          `log_level is "loud", but it must be debug, info, warning, error, or 10, 20, 30, 40; info is used`,
		"log_level: 70":                            `log_level is 70, but`,
		"project_serena_folder_location: $here/x":  `project_serena_folder_location is "$here/x", but it must be a path in which $projectDir and $projectFolderName are the only placeholders`,
		"project_serena_folder_location: ''":       `project_serena_folder_location is "", but`,
		"ignored_paths: {a: b}":                    `ignored_paths is {"a":"b"}, but it must be a list of texts`,
		"ls_specific_settings: [go]":               `ls_specific_settings is ["go"], but it must be a mapping`,
		"ls_specific_settings: {go: 5}":            `ls_specific_settings: what is said of go is left out`,
		"ls_specific_settings: {go: {x: .inf}}":    `ls_specific_settings: what is said of go is left out`,
		"plugins: {todo: off}":                     `line 1: what is said of the plugin todo is left out: it must be a mapping, such as "enabled: false"`,
		"plugins: [todo]":                          `line 1: plugins is ["todo"], but it must be a mapping of plugins' names`,
		"plugin_idle_minutes: -1":                  `plugin_idle_minutes is -1, but it must be a number of minutes, 0 to keep plugins running; 30m0s is used`,
		"plugin_folders: [here/x]":                 `plugin_folders: "here/x" is left out: write an absolute path`,
		"auto_install: " + strings.Repeat("x", 99): `auto_install is "` + strings.Repeat("x", 58) + `…, but`,
	} {
		got := load(t, text, nil)
		if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], note) || !strings.HasPrefix(got.Notes[0], got.File) {
			t.Errorf("%q: notes are %q, want one with %q", text, got.Notes, note)
		}
		got.Notes, got.Home, got.File = nil, defaults.Home, defaults.File
		if !reflect.DeepEqual(got, defaults) {
			t.Errorf("%q: got %+v, want the defaults", text, got)
		}
	}
}

func TestLoad_skips_a_bad_entry_alone(t *testing.T) {
	t.Parallel()
	got := load(t, "ignored_paths: [a, 5, '', null, b]\nprojects: [/x, y, null]\nls_specific_settings: {go: {a: 1}, rust: 7, php: null}\n", nil)
	if !reflect.DeepEqual(got.IgnoredPaths, []string{"a", "b"}) || !reflect.DeepEqual(got.Projects, []string{"/x"}) {
		t.Errorf("got %q, %q", got.IgnoredPaths, got.Projects)
	}
	if want := map[string]json.RawMessage{"go": json.RawMessage(`{"a":1}`)}; !reflect.DeepEqual(got.LanguageServers, want) {
		t.Errorf("got %s", got.LanguageServers)
	}
	if len(got.Notes) != 3 {
		t.Errorf("notes are %q", got.Notes)
	}
}

func TestLoad_null_means_the_default_except_for_the_tool_timeout(t *testing.T) {
	t.Parallel()
	got := load(t, "agent_interface:\ndefault_max_tool_answer_chars: null\nrepl_cell_timeout: ~\ntool_timeout: null\nignored_paths:\nls_specific_settings:\n", nil)
	if got.AgentInterface != "tools" || got.MaxAnswerChars != 150000 || got.CellTimeout != 240*time.Second || len(got.Notes) != 0 {
		t.Errorf("got %+v", got)
	}
	if got.ToolTimeout != 0 || got.RequestTimeout != 0 {
		t.Errorf("timeouts are %v, %v; want none", got.ToolTimeout, got.RequestTimeout)
	}
	if none := load(t, "tool_timeout: -1", nil); none.ToolTimeout != 0 || none.RequestTimeout != 0 {
		t.Errorf("negative: timeouts are %v, %v; want none", none.ToolTimeout, none.RequestTimeout)
	}
}

func TestLoad_malformed_file_is_an_error_with_a_usable_config(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		line  int
		fault string
	}{
		"a: 1\nb: [1,2\n":                      {2, "sequence end token ']' not found"},
		"tool_timeout: 20\ntool_timeout: 30\n": {2, `mapping key "tool_timeout" already defined`},
		"a:\n  b: 1\n c: 2\n":                  {3, "not allowed"},
		"log_level: 'x\n":                      {1, "single-quoted"},
		"\n- a\n":                              {2, "there is no key here"},
		"just text\n":                          {1, "there is no key here"},
		"a: 1\n---\nb: 2\n":                    {3, "second YAML document"},
		"a: *nowhere\n":                        {1, "could not find alias"},
		"a: 1\n\tb: 2\n":                       {2, "cannot start any token"},
	} {
		got, err := config.Load(config.Options{Home: home(t, text), Flags: map[string]string{"tool-timeout": "33"}})
		var fault *config.FileError
		if !errors.As(err, &fault) || fault.Line != want.line || !strings.Contains(err.Error(), want.fault) || filepath.Base(fault.File) != config.FileName {
			t.Errorf("%q: got %v, want line %d and %q", text, err, want.line, want.fault)
		}
		if got == nil || got.ToolTimeout != 33*time.Second || got.MaxAnswerChars != 150000 {
			t.Errorf("%q: the config is not usable: %+v", text, got)
		}
	}
}

func TestLoad_what_is_no_file(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, config.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Home: dir})
	if err == nil || !strings.Contains(err.Error(), "it is not a file") || c == nil {
		t.Errorf("got %v, %v", c, err)
	}
	big := home(t, "# "+strings.Repeat("x", 1<<20))
	if _, err := config.Load(config.Options{Home: big}); err == nil || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("too large: %v", err)
	}
	for _, empty := range []string{"", "\n\n", "# only\n# comments\n", "---\n", "null\n", "{}\n", "%YAML 1.2\n---\n"} {
		if c := load(t, empty, nil); len(c.Notes) != 0 || c.AgentInterface != "tools" {
			t.Errorf("%q: got %+v", empty, c)
		}
	}
}

func TestLoad_flags_win_over_the_file(t *testing.T) {
	t.Parallel()
	got := load(t, "tool_timeout: 100\nauto_install: true\nlog_level: 40\nagent_interface: tools\n", map[string]string{
		"tool-timeout": "20", "auto-install": "FALSE", "log-level": "DEBUG", "agent-interface": "REPL", "project": "/x", "ignored-paths": "y",
	})
	if got.ToolTimeout != 20*time.Second || got.AutoInstall || got.LogLevel != "debug" || got.AgentInterface != "REPL" || got.IgnoredPaths != nil || len(got.Notes) != 0 {
		t.Errorf("got %+v", got)
	}
	got = load(t, "tool_timeout: 100\n", map[string]string{"tool-timeout": "x"})
	if want := []string{`--tool-timeout: tool_timeout is "x", but it must be a number of seconds, at least 10; 4m0s is used`}; !reflect.DeepEqual(got.Notes, want) {
		t.Errorf("notes are %q", got.Notes)
	}
}

// Not parallel: the environment is the process's.
func TestLoad_environment(t *testing.T) {
	dir := home(t, "tool_timeout: 100\nauto_install: false\nrepl_cell_timeout: 7\n")
	t.Setenv("SERENA_HOME", "  "+dir+"\n")
	t.Setenv("SERENA_TOOL_TIMEOUT", "50")
	t.Setenv("SERENA_AUTO_INSTALL", "1")
	t.Setenv("SERENA_REPL_CELL_TIMEOUT", "")
	t.Setenv("SERENA_LINE_ENDING", "mac")
	t.Setenv("SERENA_REPL_PYTHON", "~/py")
	t.Setenv("HOME", "/somebody")
	got, err := config.Load(config.Options{Flags: map[string]string{"tool-timeout": "60"}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Home != dir || got.ToolTimeout != time.Minute || !got.AutoInstall || got.CellTimeout != 7*time.Second || got.ReplPython != "/somebody/py" {
		t.Errorf("got %+v", got)
	}
	if want := []string{`$SERENA_LINE_ENDING: line_ending is "mac", but it must be one of lf, crlf, native; lf is used`}; !reflect.DeepEqual(got.Notes, want) {
		t.Errorf("notes are %q", got.Notes)
	}

	t.Setenv("SERENA_HOME", " \t")
	if got, err = config.Load(config.Options{}); err != nil || got.Home != "/somebody/.serena" || got.ToolTimeout != 50*time.Second {
		t.Errorf("blank home: got %+v, %v", got, err)
	}
	if got, err = config.Load(config.Options{Home: "~/other"}); err != nil || got.Home != "/somebody/other" {
		t.Errorf("given home: got %+v, %v", got, err)
	}
	t.Setenv("HOME", "")
	if got, err = config.Load(config.Options{}); err == nil || got != nil || !strings.Contains(err.Error(), "set SERENA_HOME to an absolute path") {
		t.Errorf("no home: got %+v, %v", got, err)
	}
}

func BenchmarkLoad_without_a_file(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		if _, err := config.Load(config.Options{Home: dir}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLoad_plugins_that_make_no_sense_are_not_enabled(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		note    string
		enabled *bool
		sum     string
	}{
		"enabled: maybe":  {`plugins.x.enabled is "maybe", but it must be true or false; the plugin is not enabled`, new(bool), ""},
		"path: here/x":    {`"here/x" must be an absolute path; the plugin is not enabled`, new(bool), ""},
		"path: 3":         {`plugins.x.path is 3, but it must be text; the plugin is not enabled`, new(bool), ""},
		"sha256: abc":     {`plugins.x.sha256 is "abc", but it must be 64 hexadecimal digits in quotes, as sha256sum prints them; the plugin is refused`, nil, "abc"},
		"sha256: 1234567": {`plugins.x.sha256 is 1234567, but it must be 64 hexadecimal digits`, nil, "1234567"},
	} {
		got := load(t, "plugins:\n  x:\n    "+text+"\n", nil)
		e := got.Plugins["x"]
		if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], c.note) || !reflect.DeepEqual(e.Enabled, c.enabled) || e.SHA256 != c.sum || e.Path != "" {
			t.Errorf("%s: %+v, notes %q", text, e, got.Notes)
		}
	}
}
