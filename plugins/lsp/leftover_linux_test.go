package lsp

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// relation is a process's parent and group.
type relation struct{ parent, group int }

func relations(t *testing.T) map[int]relation {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]relation{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // has ended
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])) // state, parent, group, …
		parent, err1 := strconv.Atoi(fields[1])
		group, err2 := strconv.Atoi(fields[2])
		if err1 != nil || err2 != nil {
			t.Fatalf("process %d: %s", pid, stat)
		}
		out[pid] = relation{parent, group}
	}
	return out
}

// gopls starts nothing in a group of its own, which would be out of reach when we end.
func TestGopls_staysInItsGroup(t *testing.T) {
	t.Parallel()
	f := withGopls(t, map[string]string{"go.mod": "module example.com/e\n", "e.go": "package e\n\nfunc E() {}\n"})
	f.references("E", "e.go")
	server := f.pid()
	all := relations(t)
	if all[server].group != server {
		t.Errorf("gopls (pid %d) is in group %d", server, all[server].group)
	}
	for pid, r := range all {
		if r.parent == server && r.group != server {
			line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			t.Errorf("gopls runs %q in group %d", line, r.group)
		}
	}
}
