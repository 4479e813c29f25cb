//go:build unix

package plugin

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/serena-go/serena/sdk"
)

// The test binary is also the programs that the tests start: a role is its first argument, or its own name where a program
// gets no arguments of ours.
const (
	rolePlugin      = "role-plugin"       // serves testPlugin
	roleOther       = "role-other-plugin" // serves something else than its spec says
	roleHost        = "role-host"         // a host that the tests kill; see host_linux_test.go
	roleLongLived   = "role-long-lived"   // serves testPlugin as one that is not stopped when it is idle
	roleBad         = "role-bad"          // a plugin with the fault that the second argument names
	roleConnect     = "role-connect"      // connects to the sockets that the further arguments name, and prints what comes of it
	roleNoHandshake = "role-no-handshake"
	roleGarbage     = "role-garbage"
	roleProtocol    = "role-other-protocol"
	roleExits       = "role-exits"
	linkedPlugin    = "linkedplugin" // name of a link to the test binary: a third party's plugin
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == linkedPlugin {
		sdk.Serve(testPlugin())
	}
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case rolePlugin:
			sdk.ServeProcess(testPlugin())
		case roleOther:
			p := testPlugin()
			p.Version = "other"
			sdk.ServeProcess(p)
		case roleLongLived:
			p := testPlugin()
			p.LongLived = true
			sdk.ServeProcess(p)
		case roleBad:
			serveBad(os.Args[2])
		case roleConnect:
			for _, path := range os.Args[2:] {
				conn, err := net.Dial("unix", path)
				if err == nil {
					conn.Close()
				}
				fmt.Println(errors.Is(err, syscall.EACCES), err)
			}
			os.Exit(0)
		case roleHost:
			killedHost(os.Args[2], os.Args[3])
		case roleNoHandshake:
			os.Stderr.WriteString("thinking about it\n")
			select {}
		case roleGarbage:
			os.Stdout.WriteString("hello, I am no plugin\n")
			select {}
		case roleProtocol:
			os.Stdout.WriteString("1|99|unix|/nowhere|grpc\n")
			select {}
		case roleExits:
			os.Stderr.WriteString("no licence found\n")
			os.Exit(3)
		}
	}
	goleak.VerifyTestMain(m)
}
