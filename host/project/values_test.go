package project_test

import (
	"strings"
	"testing"
	"time"
)

func TestOpen_values_that_make_no_sense(t *testing.T) {
	t.Parallel()
	for text, note := range map[string]string{
		"encoding: utff-8":        `encoding is "utff-8", but it must be the name of a Python encoding, such as utf_8; utf-8 is used`,
		"encoding: 8":             `encoding is 8, but it must be text; utf-8 is used`,
		"read_only: maybe":        `read_only is "maybe", but it must be true or false; true is used`,
		"project_name: ''":        `project_name is empty; p is used`,
		"project_name: [a]":       `project_name is ["a"], but it must be text; p is used`,
		"languages: {go: 1}":      `languages is {"go":1}, but it must be a list of texts`,
		"ignored_paths: [1]":      `ignored_paths: 1 is left out`,
		"repl_cell_timeout: long": `repl_cell_timeout is "long", but it must be a number of seconds above 0; 4m0s is used`,
		"agent_interface: x":      `agent_interface is "x", but it must be one of tools, REPL; tools is used`,
		"initial_prompt: 5":       `initial_prompt is 5, but it must be text; it is ignored`,
		"ls_specific_settings: x": `ls_specific_settings is "x", but it must be a mapping`,
		"language_server: [go]":   `nobody knows the key "language_server", so it has no effect; did you mean "language_servers"?`,
	} {
		w := newWorld(t)
		w.write(t, "p/.serena/project.yml", text)
		p := w.open(t, "trusted_project_path_patterns: ['**']\n", "p")
		if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "project.yml, line 1: ") || !strings.Contains(p.Notes[0], note) {
			t.Errorf("%s: notes are %q, want %q", text, p.Notes, note)
		}
		if p.Name != "p" || p.Encoding != "utf-8" || p.ReadOnly != (text == "read_only: maybe") || p.CellTimeout != 240*time.Second {
			t.Errorf("%s: got %+v", text, p)
		}
	}
}

func TestOpen_encodings_as_python_has_them(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"UTF-8", "utf8", "U8", "utf-8-sig", "latin1", "ISO-8859-1", "iso 8859 15", "Windows-1252", "cp932", "SJIS", "euc-jp", "gb18030", "utf-16-le", "us-ascii", "mac-roman", "koi8_r", "big5-hkscs"} {
		w := newWorld(t)
		w.write(t, "p/.serena/project.yml", "encoding: "+name)
		if p := w.open(t, "", "p"); p.Encoding != name || p.Notes != nil {
			t.Errorf("%s: got %q, %q", name, p.Encoding, p.Notes)
		}
	}
}
