package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/plugins/shell"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

const roleStuck = "role-stuck"

// TestMain makes the test binary the plugin's process as well: it runs one command in a project and waits for it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == roleStuck {
		project := &sdk.Project{ID: "test", Root: os.Args[2]}
		_, _, err := shell.New().Invoke(context.Background(), sdk.NewCall(project, 0, &sdktest.Host{}, nil, nil), "shell", "execute_shell_command",
			map[string]json.RawMessage{"command": json.RawMessage(`"sleep 1000 & echo $! > pid; wait"`)}, 1000)
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func TestExecute_endsWithTheHostThoughThePluginIsStuck(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	plugin, err := process.Start(exec.Command(exe, roleStuck, root), process.Options{Lifeline: sdk.LifelineVariable})
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Stop(t.Context(), 0)
	pid := pidIn(t, filepath.Join(root, "pid"))
	eventually(t, "the command to be tied to the lifeline", func() bool { return armed(pid) })
	if err := plugin.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if !process.Alive(pid) {
		t.Fatal("the command ended by itself")
	}
	if err := plugin.Close(); err != nil { // as the host's death does
		t.Fatal(err)
	}
	eventually(t, "the command's end", func() bool { return !process.Alive(pid) })
}

// armed reports whether a process holds an open file that signals by itself (O_ASYNC).
func armed(pid int) bool {
	infos, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	for _, info := range infos {
		data, _ := os.ReadFile(info)
		for line := range strings.Lines(string(data)) {
			if octal, ok := strings.CutPrefix(line, "flags:"); ok {
				flags, err := strconv.ParseInt(strings.TrimSpace(octal), 8, 64)
				if err == nil && flags&syscall.O_ASYNC != 0 {
					return true
				}
			}
		}
	}
	return false
}
