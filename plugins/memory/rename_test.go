package memory_test

import (
	"testing"

	"github.com/serena-go/serena/sdk"
)

// Which references are rewritten: the table was made from the rule "mem:", the name, and no [A-Za-z0-9_/-] on either side.
func TestRename_rewrites_exact_references_only(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ old, renamed, text, want string }{
		"alone":                {"db", "store/x", "mem:db", "mem:store/x"},
		"in marks":             {"db", "s", "`mem:db`, (mem:db), mem:db. \"mem:db\"\nmem:db\tmem:db:", "`mem:s`, (mem:s), mem:s. \"mem:s\"\nmem:s\tmem:s:"},
		"goes on":              {"db", "s", "mem:dbs mem:db/x mem:db-x mem:db_ mem:db2 mem:db/ mem:DB", "mem:dbs mem:db/x mem:db-x mem:db_ mem:db2 mem:db/ mem:DB"},
		"begins earlier":       {"db", "s", "xmem:db _mem:db /mem:db -mem:db 1mem:db item:db", "xmem:db _mem:db /mem:db -mem:db 1mem:db item:db"},
		"without mem:":         {"db", "s", "db `db` mem: db mem:mem:db", "db `db` mem: db mem:mem:s"},
		"with suffix":          {"db", "s", "mem:db.md", "mem:s.md"},
		"other letters after":  {"db", "s", "見mem:dbは", "見mem:sは"},
		"other letters within": {"日本", "s", "mem:日本 mem:日本語 mem:日本。", "mem:s mem:日本語 mem:s。"},
		"a longer name is one": {"v1", "v9", "mem:v1 mem:v1.2 mem:v1.3", "mem:v9 mem:v1.2 mem:v9.3"},
		"a name with a space":  {"two words", "s", "mem:two words mem:two wordsx mem:two", "mem:s mem:two wordsx mem:two"},
		"foreign bytes stay":   {"db", "s", "\xe9mem:db\xe9\r\n", "\xe9mem:s\xe9\r\n"},
	} {
		h := world(t, map[string]string{tc.old: "x", "a": tc.text, "v1.2": "y"}, sdk.ProjectSettings{})
		h.Into(t, nil, "mem", "rename_memory", args{"old_name": tc.old, "new_name": tc.renamed})
		want := map[string]string{tc.renamed: "x", "a": tc.want, "v1.2": "y"}
		t.Run(name, func(t *testing.T) { holds(t, h, want) })
	}
}

func TestRename_counts_and_rewrites_itself(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"db": "I am mem:db, see mem:a", "a": "mem:db mem:db", "global/b": "mem:db", "c": "nothing"}, sdk.ProjectSettings{})
	ok(t, h, "rename_memory", args{"old_name": "mem:db", "new_name": "deep/er/db.md"}, "OK (4 references in 3 memories rewritten to mem:deep/er/db)")
	holds(t, h, map[string]string{"deep/er/db": "I am mem:deep/er/db, see mem:a", "a": "mem:deep/er/db mem:deep/er/db", "global/b": "mem:deep/er/db", "c": "nothing"})
	ok(t, h, "rename_memory", args{"old_name": "c", "new_name": "d"}, "OK")
}

func TestRename_refuses(t *testing.T) {
	t.Parallel()
	h := world(t, map[string]string{"db": "mem:db", "a": "mem:db"}, sdk.ProjectSettings{})
	refused(t, h, "rename_memory", args{"old_name": "db", "new_name": "a"}, sdk.KindFileExists, `"a" exists already`, `"db" was not renamed`)
	refused(t, h, "rename_memory", args{"old_name": "db", "new_name": "mem:db.md"}, sdk.KindValue, "has that name already")
	refused(t, h, "rename_memory", args{"old_name": "dc", "new_name": "x"}, sdk.KindFileNotFound, `did you mean "db"?`)
}
