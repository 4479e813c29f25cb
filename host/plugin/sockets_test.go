//go:build unix

package plugin

import (
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/serena-go/serena/internal/process"
)

const nobodysID = 65534 // of the user and the group that own nothing

// sockets lists those in a Manager's folder, and fails where others may enter a folder above them.
func sockets(t *testing.T, m *Manager) []string {
	t.Helper()
	folder, err := m.socketPath()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm() != 0o700 || info.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()) {
		t.Errorf("the folder of the sockets is %v, %v", info, err)
	}
	var all []string
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type() == fs.ModeSocket {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) < 2 { // the plugin's and the host's
		t.Fatalf("sockets %q, %v", all, err)
	}
	return all
}

// TestSockets_ofThisUserAlone needs to be root for becoming another user; without, only the modes are looked at.
func TestSockets_ofThisUserAlone(t *testing.T) {
	t.Parallel()
	p := newTrial(t, rolePlugin)
	get[string](t, p, request("echo", "text", "x"))
	all := sockets(t, p.Manager)
	for _, path := range all { // the test's own premise: this user can connect
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	if os.Getuid() != 0 {
		return
	}
	dir, err := os.MkdirTemp("", "nobody-") // t.TempDir's parents are closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if out, err := exec.CommandContext(t.Context(), "cp", exe, program).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd := exec.Command(program, slices.Concat([]string{roleConnect}, all)...)
	cmd.Dir, cmd.Stdout = dir, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodysID, Gid: nobodysID}}
	child, err := process.Start(cmd, process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if state, err := child.Wait(t.Context()); err != nil || state.Code != 0 {
		t.Fatal(state, err)
	}
	if got := strings.Count(out.String(), "true "); got != len(all) || strings.Count(out.String(), "\n") != len(all) {
		t.Errorf("another user connecting to %d sockets:\n%s", len(all), out.String())
	}
	get[string](t, p, request("echo", "text", "x"))
}
