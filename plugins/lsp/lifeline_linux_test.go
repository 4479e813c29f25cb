package lsp

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
	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/sdktest"
)

func init() { others[roleStuck] = serveStuck }

// roleStuck makes the test binary the plugin's process: it starts a fake server, writes that one's number to the file pid of the folder it
// runs in, and waits.
const roleStuck = "role-stuck"

func serveStuck() int {
	self, err1 := os.Executable()
	root, err2 := os.Getwd()
	if err1 != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, err1, err2)
		return 1
	}
	d := servers.Description{Key: "fake", Server: "fakels", LanguageID: "fake", Extensions: []string{".fake"},
		Find: func(context.Context, *servers.Installer, servers.Settings) (servers.Command, error) {
			return servers.Command{Path: self, Env: []string{fakeRole + "=" + fakeserver.Stubborn}}, nil
		}}
	p := newPlugin([]servers.Description{d})
	project := &sdk.Project{ID: "test", Root: root, Settings: json.RawMessage(`{}`)}
	if err := p.open(context.Background(), project); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s, err := p.workspaces["test"].slots[0].get(context.Background(), sdk.NewCall(project, 0, &sdktest.Host{}, nil, nil))
	if err == nil {
		err = os.WriteFile("pid.new", []byte(strconv.Itoa(s.client.Pid())), 0o644)
	}
	if err == nil {
		err = os.Rename("pid.new", "pid")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	select {}
}

// The server heeds no end of its input: only the kernel can end it.
func TestServer_endsWithTheHostThoughThePluginIsStuck(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	cmd := exec.Command(self)
	cmd.Dir = root
	plugin, err := process.Start(cmd, process.Options{Lifeline: sdk.LifelineVariable, Env: []string{fakeRole + "=" + roleStuck}})
	if err != nil {
		t.Fatal(err)
	}
	defer plugin.Stop(context.WithoutCancel(t.Context()), 0)
	pid := 0
	eventually(t, "the server", func() bool {
		data, err := os.ReadFile(filepath.Join(root, "pid"))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	if err := plugin.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if !process.Alive(pid) {
		t.Fatal("the server ended by itself")
	}
	if err := plugin.Close(); err != nil { // as the host's death does
		t.Fatal(err)
	}
	eventually(t, "the server's end", func() bool { return !process.Alive(pid) })
}
