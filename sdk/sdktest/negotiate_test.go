package sdktest

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// TestNegotiation_thePluginTakesTheHighestVersionThatBothSpeak, and names its own where there is none, for the host to refuse.
func TestNegotiation_thePluginTakesTheHighestVersionThatBothSpeak(t *testing.T) {
	t.Parallel()
	for offered, want := range map[string]string{"1": "1", "1,2,3": "1", "7": "1"} {
		t.Run(offered, func(t *testing.T) {
			t.Parallel()
			if os.Getenv(serving) == t.Name() {
				sdk.ServeProcess(pluginOf(goodMethods()...))
			}
			sockets, err := os.MkdirTemp("", "plugin")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(sockets)
			r := newChildRunner(t.Name(), nil)
			cmd := exec.Command(r.command[0], r.command[1:]...)
			cmd.Env = append(r.env, wire.MagicCookieKey+"="+wire.MagicCookieValue, "PLUGIN_PROTOCOL_VERSIONS="+offered, "PLUGIN_UNIX_SOCKET_DIR="+sockets)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			cmd.Process.Kill()
			cmd.Wait()
			if fields := strings.Split(line, "|"); err != nil || len(fields) < 5 || fields[0] != "1" || fields[1] != want || fields[2] != "unix" || strings.TrimSpace(fields[4]) != "grpc" {
				t.Errorf("offered %s, the handshake is %q, %v", offered, line, err)
			}
		})
	}
}
