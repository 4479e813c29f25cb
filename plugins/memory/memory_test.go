package memory_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/serena-go/serena/plugins/memory"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

func list(t *testing.T, h *sdktest.Harness, topic string) (memory.MemoryList, string) {
	t.Helper()
	var l memory.MemoryList
	r := h.Into(t, &l, "mem", "list_memories", args{"topic": topic})
	return l, r.Text
}

func TestMemories_C28(t *testing.T) {
	t.Parallel()
	h := world(t, nil, sdk.ProjectSettings{})
	const login = "See `mem:db`, `mem:db/users` and mem:database."
	ok(t, h, "write_memory", args{"memory_name": "auth/login", "content": login}, "OK") // C28.1
	ok(t, h, "write_memory", args{"memory_name": "db", "content": "tables"}, "OK")
	ok(t, h, "write_memory", args{"memory_name": "db/users", "content": "users"}, "OK")
	holds(t, h, map[string]string{"auth/login": login, "db": "tables", "db/users": "users"})
	ok(t, h, "read_memory", args{"memory_name": "auth/login"}, login)

	if _, text := list(t, h, ""); text != `{"memories": ["auth/login", "db", "db/users"]}` { // C28.2
		t.Errorf("listed %s", text)
	}
	if _, text := list(t, h, "db"); text != `{"memories": ["db", "db/users"]}` {
		t.Errorf("listed under db %s", text)
	}

	users := filepath.Join(h.Project.Root, ".serena/memories/db/users.md")
	before, err := os.Stat(users)
	if err != nil {
		t.Fatal(err)
	}
	ok(t, h, "rename_memory", args{"old_name": "db", "new_name": "storage"}, "OK (1 reference in 1 memory rewritten to mem:storage)") // C28.3
	renamed := map[string]string{"auth/login": "See `mem:storage`, `mem:db/users` and mem:database.", "storage": "tables", "db/users": "users"}
	holds(t, h, renamed)
	if after, err := os.Stat(users); err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("db/users was written: %v", err)
	}

	refused(t, h, "rename_memory", args{"old_name": "storage", "new_name": "auth/login"}, sdk.KindFileExists, `"auth/login" exists already`) // C28.4
	holds(t, h, renamed)

	ok(t, h, "edit_memory", args{"memory_name": "auth/login", "needle": "See", "repl": `Look at \n`, "mode": "literal"}, "OK") // C28.5
	renamed["auth/login"] = "Look at \\n `mem:storage`, `mem:db/users` and mem:database."
	holds(t, h, renamed)

	refused(t, h, "read_memory", args{"memory_name": "none"}, sdk.KindFileNotFound, `there is no memory "none"`) // C28.7
}

// C28.6, with what the names would reach if they were not refused.
func TestMemories_refuse_names_before_anything_is_made(t *testing.T) {
	t.Parallel()
	for name, why := range map[string]string{
		"../x": "the part ..", "/tmp/x": "begins with /", "a//b": "an empty part", "a/../../x": "the part ..", "": "it is empty",
		".": "the part .", "..": "the part ..", "a/./b": "the part .", "a/": "an empty part", "/": "begins with /", `a\b`: "a backslash", `..\x`: "a backslash",
		"a\nb": "cannot be shown", "a\x00b": "cannot be shown", " a": "a space", "a /b": "a space", "mem:": "it is empty", ".md": "it is empty", "mem:../x.md": "the part ..",
		"a/.md": "an empty part", "global": "all projects share", "global.md": "all projects share", "global/../x": "the part ..", ".git/x": "belongs to git", "a/.GIT": "belongs to git",
	} {
		for _, prepared := range []bool{false, true} {
			h := world(t, nil, sdk.ProjectSettings{})
			if prepared {
				h = world(t, map[string]string{"a/b": "kept", "../x": "kept", "good": "mem:x"}, sdk.ProjectSettings{})
			}
			for method, a := range map[string]args{
				"write_memory": {"memory_name": name, "content": "bad"}, "read_memory": {"memory_name": name}, "delete_memory": {"memory_name": name},
				"edit_memory":   {"memory_name": name, "needle": "kept", "repl": "bad", "mode": "literal"},
				"rename_memory": {"old_name": "good", "new_name": name},
			} {
				refused(t, h, method, a, sdk.KindValue, "is no name for a memory", why)
			}
			refused(t, h, "rename_memory", args{"old_name": name, "new_name": "better"}, sdk.KindValue, why)
		}
	}
	h := world(t, map[string]string{"a": ""}, sdk.ProjectSettings{})
	for _, topic := range []string{"..", "/a", "a//b", "a/../..", "/"} {
		refused(t, h, "list_memories", args{"topic": topic}, sdk.KindValue, "is no topic")
	}
}

func TestNames_may_be_given_as_they_are_written_elsewhere(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"auth/login": "text"}, sdk.ProjectSettings{})
	for _, name := range []string{"auth/login", "mem:auth/login", "auth/login.md", "mem:auth/login.md"} {
		ok(t, h, "read_memory", args{"memory_name": name}, "text")
	}
	refused(t, h, "read_memory", args{"memory_name": "auth/logn"}, sdk.KindFileNotFound, `did you mean "auth/login"?`)
	refused(t, h, "read_memory", args{"memory_name": "auth/login/x"}, sdk.KindFileNotFound, "there is no memory")
	refused(t, h, "read_memory", args{"memory_name": strings.Repeat("n", 300)}, sdk.KindValue, "too long")
}

func TestList(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{
		"core": "", "auth/login": "", "auth/tokens": "", "authors": "", "global/style": "", "global/go/errors": "", "_old/x": "", "two.md": "",
	}, sdk.ProjectSettings{ReadOnlyMemoryPatterns: []string{"global/.*", "core"}, IgnoredMemoryPatterns: []string{"_old/.*"}})
	put(t, filepath.Join(h.Project.Root, ".serena/memories/notes.txt"), "no memory")
	put(t, filepath.Join(h.Project.Root, ".serena/memories/global/own.md"), "not global")

	const note = "\nnote: files whose names cannot be those of memories, left out: \"global\", \"two.md.md\""
	for topic, want := range map[string]string{
		"":             `{"memories": ["auth/login", "auth/tokens", "authors"], "read_only_memories": ["core", "global/go/errors", "global/style"]}`,
		"auth":         `{"memories": ["auth/login", "auth/tokens"]}`,
		"auth/":        `{"memories": ["auth/login", "auth/tokens"]}`,
		"mem:global":   `{"read_only_memories": ["global/go/errors", "global/style"]}`,
		"global/go":    `{"read_only_memories": ["global/go/errors"]}`,
		"global/style": `{"read_only_memories": ["global/style"]}`,
	} {
		if l, text := list(t, h, topic); text != want+note || !l.Complete {
			t.Errorf("%q: got %+v, %s", topic, l, text)
		}
	}
	if l, text := list(t, h, "aut"); text != "{}"+note+"\nnote: there is no memory under \"aut\"; the topics are \"auth\", \"global\"" || l.Memories == nil || l.ReadOnlyMemories == nil {
		t.Errorf("got %+v, %s", l, text)
	}
}

func TestList_of_none_makes_no_folder_and_names_onboarding(t *testing.T) {
	t.Parallel()
	h := world(t, nil, sdk.ProjectSettings{})
	before := everything(t, h)
	if _, text := list(t, h, ""); text != "{}\nnote: there are no memories yet; onboarding tells how to write the first ones" {
		t.Errorf("got %s", text)
	}
	refused(t, h, "read_memory", args{"memory_name": "core"}, sdk.KindFileNotFound, `there is no memory "core", nor any other: onboarding`)
	if got := everything(t, h); !reflect.DeepEqual(got, before) {
		t.Errorf("there are now %q", got)
	}
}

func TestGlobal_memories_lie_in_the_home(t *testing.T) {
	t.Parallel()
	h := world(t, nil, sdk.ProjectSettings{})
	ok(t, h, "write_memory", args{"memory_name": "global/go/style", "content": "tabs"}, "OK")
	ok(t, h, "edit_memory", args{"memory_name": "global/go/style", "needle": "t.b", "repl": "$!0 t", "mode": "regex"}, "OK")
	ok(t, h, "read_memory", args{"memory_name": "global/go/style"}, "tab ts")
	ok(t, h, "write_memory", args{"memory_name": "db", "content": "mem:global/go/style"}, "OK")
	ok(t, h, "rename_memory", args{"old_name": "global/go/style", "new_name": "style"},
		"OK (1 reference in 1 memory rewritten to mem:style)\nnote: memories of other projects may still name mem:global/go/style")
	holds(t, h, map[string]string{"style": "tab ts", "db": "mem:style"})
	ok(t, h, "rename_memory", args{"old_name": "style", "new_name": "global/s"}, "OK (1 reference in 1 memory rewritten to mem:global/s)")
	holds(t, h, map[string]string{"global/s": "tab ts", "db": "mem:global/s"})
	ok(t, h, "delete_memory", args{"memory_name": "global/s"}, "OK")
	holds(t, h, map[string]string{"db": "mem:global/s"})
}

func TestMemories_of_a_data_folder_elsewhere(t *testing.T) {
	t.Parallel()
	root, data := t.TempDir(), t.TempDir()
	h := sdktest.New(t, memory.New(), root, sdk.ProjectSettings{})
	h.Project.DataFolder = data
	put(t, filepath.Join(data, "memories/db.md"), "text")
	ok(t, h, "read_memory", args{"memory_name": "db"}, "text")
	refused(t, h, "read_memory", args{"memory_name": "x"}, sdk.KindFileNotFound)
}

func TestWrite(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"old": "äöü"}, sdk.ProjectSettings{})
	ok(t, h, "write_memory", args{"memory_name": "old", "content": "new\r\nlines"}, "OK (replaced the previous text of 3 characters)")
	ok(t, h, "write_memory", args{"memory_name": "empty", "content": ""}, "OK")
	ok(t, h, "write_memory", args{"memory_name": "just", "content": "äöü", "max_chars": 3}, "OK")
	holds(t, h, map[string]string{"old": "new\r\nlines", "empty": "", "just": "äöü"})
	refused(t, h, "write_memory", args{"memory_name": "long", "content": "äöüä", "max_chars": 3}, sdk.KindValue, "4 characters, more than the 3")
	refused(t, h, "write_memory", args{"memory_name": "long", "content": strings.Repeat("x", sdktest.AnswerLimit+1)}, sdk.KindValue, "150001 characters, more than the 150000")
	refused(t, h, "write_memory", args{"memory_name": "long", "content": "", "max_chars": 0}, sdk.KindValue, "max_chars must be positive")
}

func TestEdit_follows_the_rules_of_files(t *testing.T) {
	t.Parallel()
	const text = "\xef\xbb\xbfone\r\ntwo\r\ntwo\r\n"
	h := world(t, map[string]string{"m": text}, sdk.ProjectSettings{})
	edit := func(needle, repl, mode string, many bool) args {
		return args{"memory_name": "m", "needle": needle, "repl": repl, "mode": mode, "allow_multiple_occurrences": many}
	}
	refused(t, h, "edit_memory", edit("two", "x", "literal", false), sdk.KindValue, `the memory "m": `, "2 matches, on lines 1, 2")
	refused(t, h, "edit_memory", edit("twö", "x", "literal", false), sdk.KindValue, "not found", "nearest text is on line 1:\ntwo")
	refused(t, h, "edit_memory", edit("(", "x", "regex", false), sdk.KindValue, "needle cannot be used")
	refused(t, h, "edit_memory", edit("(one)", "$!2", "regex", false), sdk.KindValue, "$!2")
	refused(t, h, "edit_memory", args{"memory_name": "n", "needle": "a", "repl": "b", "mode": "literal"}, sdk.KindFileNotFound, `there is no memory "n"; did you mean "m"?`)
	ok(t, h, "edit_memory", edit("one", "one", "literal", false), "OK (nothing changed: the text already reads as the replacement)")
	ok(t, h, "edit_memory", edit(`\Aone`, "é\nx", "regex", false), "OK")
	ok(t, h, "edit_memory", edit("two", "2", "literal", true), "OK (2 occurrences replaced)")
	holds(t, h, map[string]string{"m": "\xef\xbb\xbfé\r\nx\r\n2\r\n2\r\n"})
	ok(t, h, "read_memory", args{"memory_name": "m"}, "é\r\nx\r\n2\r\n2\r\n")
}

func TestSettings_hold_on_every_road(t *testing.T) {
	t.Parallel()
	settings := sdk.ProjectSettings{ReadOnlyMemoryPatterns: []string{"team/.*", `global/(?!mine)\w+`}, IgnoredMemoryPatterns: []string{"_.*"}}
	memories := map[string]string{"team/rules": "mem:db", "_secret": "mem:db", "db": "tables", "global/all": "x", "global/mine": "mem:db"}
	h := world(t, memories, settings)
	for name, setting := range map[string]string{"team/rules": "read_only_memory_patterns", "team/new": "read_only_memory_patterns", "global/all": "read_only_memory_patterns", "_secret": "ignored_memory_patterns", "_new": "ignored_memory_patterns"} {
		for method, a := range map[string]args{
			"write_memory": {"memory_name": name, "content": "bad"}, "edit_memory": {"memory_name": name, "needle": "mem", "repl": "bad", "mode": "literal"},
			"delete_memory": {"memory_name": "mem:" + name + ".md"}, "rename_memory": {"old_name": name, "new_name": "free"},
		} {
			refused(t, h, method, a, sdk.KindPermission, setting)
		}
		refused(t, h, "rename_memory", args{"old_name": "db", "new_name": name}, sdk.KindPermission, setting)
	}
	refused(t, h, "read_memory", args{"memory_name": "_secret"}, sdk.KindPermission, "ignored_memory_patterns", `"_.*"`)
	ok(t, h, "read_memory", args{"memory_name": "team/rules"}, "mem:db")
	// A pattern must match all of a name.
	ok(t, h, "write_memory", args{"memory_name": "our/team/x", "content": ""}, "OK")
	ok(t, h, "rename_memory", args{"old_name": "db", "new_name": "storage"},
		"OK (1 reference in 1 memory rewritten to mem:storage)\nnote: mem:db is still named in memories that cannot be changed from here: \"team/rules\"")
	holds(t, h, map[string]string{"team/rules": "mem:db", "_secret": "mem:db", "storage": "tables", "global/all": "x", "global/mine": "mem:storage", "our/team/x": ""})
}

// What a malformed pattern was to protect is not left unprotected.
func TestSettings_malformed_patterns_stop_every_method(t *testing.T) {
	t.Parallel()
	for setting, settings := range map[string]sdk.ProjectSettings{
		"read_only_memory_patterns": {ReadOnlyMemoryPatterns: []string{"ok", "("}}, "ignored_memory_patterns": {IgnoredMemoryPatterns: []string{"("}},
	} {
		h := world(t, map[string]string{"m": "text"}, settings)
		for method, a := range map[string]args{
			"list_memories": {}, "read_memory": {"memory_name": "m"}, "write_memory": {"memory_name": "m", "content": ""}, "delete_memory": {"memory_name": "m"}, "onboarding": {},
		} {
			refused(t, h, method, a, sdk.KindValue, setting, "malformed pattern", "at position 0")
		}
	}
}

func TestMemories_that_cannot_be_read(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"latin": "caf\xe9", "folder.md/x": ""}, sdk.ProjectSettings{})
	refused(t, h, "read_memory", args{"memory_name": "latin"}, sdk.KindUnicode, "0xe9 at offset 3", ".serena/memories/latin.md as UTF-8")
	refused(t, h, "read_memory", args{"memory_name": "folder"}, sdk.KindValue, "no regular file")
	h.Project.Root = filepath.Join(h.Project.Root, "gone")
	if _, err := h.Call(t.Context(), "mem", "read_memory", args{"memory_name": "latin"}); !sdk.IsKind(err, sdk.KindFileNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestList_says_what_cannot_be_read(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"global/a": ""}, sdk.ProjectSettings{})
	file := filepath.Join(h.Project.Root, ".serena/memories")
	put(t, file, "a file where the folder should be")
	if _, text := list(t, h, ""); text != `{"memories": ["global/a"]}`+"\nnote: folders that cannot be read: \""+file+"\"" {
		t.Errorf("listed %s", text)
	}
}

func TestMemories_without_a_project(t *testing.T) {
	t.Parallel()
	h := world(t, nil, sdk.ProjectSettings{})
	h.Project = nil
	_, err := h.Call(t.Context(), "mem", "read_memory", args{"memory_name": "global/x"})
	if !sdk.IsKind(err, sdk.KindRuntime) || !strings.Contains(err.Error(), "the global ones too") || !strings.Contains(err.Error(), "activate_project") {
		t.Errorf("got %v", err)
	}
}

func TestMemories_can_be_cancelled(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"db": "x", "a": "mem:db"}, sdk.ProjectSettings{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for method, a := range map[string]args{"list_memories": {}, "rename_memory": {"old_name": "db", "new_name": "x"}} {
		if _, err := h.Call(ctx, "mem", method, a); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", method, err)
		}
	}
}

func TestOnboarding_is_a_text_and_writes_nothing(t *testing.T) {
	t.Parallel()
	h := world(t, nil, sdk.ProjectSettings{})
	before := everything(t, h)
	text := h.Into(t, nil, "mem", "onboarding", nil).Text
	for _, part := range []string{"core", "tech_stack", "suggested_commands", "conventions", "task_completion", "write_memory"} {
		if !strings.Contains(text, part) {
			t.Errorf("it does not name %s", part)
		}
	}
	if strings.Contains(text, "{{") || strings.Contains(text, "already") || !reflect.DeepEqual(everything(t, h), before) {
		t.Errorf("got %s", text)
	}
	ok(t, h, "write_memory", args{"memory_name": "core", "content": "x"}, "OK")
	if text := h.Into(t, nil, "mem", "onboarding", nil).Text; !strings.Contains(text, `has memories already: "core".`) {
		t.Errorf("got %s", text)
	}
}
