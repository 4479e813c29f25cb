package plugin

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/process"
)

// What a killedHost does once its plugin has started children.
const (
	hostWaits       = "waits"        // for its end
	hostKillsPlugin = "kills-plugin" // by SIGKILL, which leaves the plugin no time for its children
	hostStops       = "stops"        // its Manager, while the plugin is stuck
)

// killedHost is the main of a host with the test plugin: it prints the folder of its sockets, then the pids of the plugin and of
// its children as JSON, does what mode says, prints a line, and reads stdin, which the plugin must have left alone, to its end.
func killedHost(mode, home string) {
	err := func() error {
		if err := process.BecomeSubreaper(); err != nil {
			return err
		}
		ctx := context.Background()
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		m := New(Options{Home: home, Host: &fakeHost{}})
		p := m.Provider(Spec{Name: "trial", Manifest: testPlugin().Manifest(), Command: []string{exe, rolePlugin}})
		if _, err := p.Call(ctx, request("stdin")); err != nil {
			return err
		}
		out, err := p.Call(ctx, request("spawn"))
		if err != nil {
			return err
		}
		sockets, err := m.socketPath()
		if err != nil {
			return err
		}
		fmt.Println(sockets)
		pid := m.Status()[0].Pid
		fmt.Printf("[%d,%s]\n", pid, string(out.Value[1:len(out.Value)-1]))
		if err := act(ctx, mode, m, p, pid); err != nil {
			return err
		}
		fmt.Println("done")
		data, err := io.ReadAll(os.Stdin)
		fmt.Printf("stdin %s\n", data)
		return err
	}()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}

func act(ctx context.Context, mode string, m *Manager, p api.Provider, pid int) error {
	self, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	switch mode {
	case hostKillsPlugin:
		if err := self.Kill(); err != nil {
			return err
		}
		for process.Alive(pid) { // a moment; the test's patience bounds it
			runtime.Gosched()
		}
		_, err := p.Call(ctx, request("pid")) // a fresh process: the old one was cleared away before
		return err
	case hostStops:
		if err := self.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		m.Stop(ctx)
	}
	return nil
}

// startHost starts a killedHost and returns it, its stdin, the lines it prints, and the pids of plugin and children.
func startHost(t *testing.T, mode string) (*process.Child, io.WriteCloser, *bufio.Scanner, []int) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, roleHost, mode, t.TempDir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w := io.Pipe()
	cmd.Stdout = w
	host, err := process.Start(cmd, process.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		host.KillGroup()
		<-host.Done()
		w.Close()
		in.Close()
	})
	go func() { // the scanner must not wait for ever
		select {
		case <-host.Done():
		case <-time.After(patience):
		}
		w.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the host printed nothing")
	}
	sockets := lines.Text()
	t.Cleanup(func() { os.RemoveAll(sockets) }) // of a host that was killed; the next one would do it in a minute
	if !lines.Scan() {
		t.Fatalf("the host printed only %q", sockets)
	}
	var pids []int
	if err := json.Unmarshal(lines.Bytes(), &pids); err != nil || len(pids) != 3 {
		t.Fatalf("%v: %s", err, lines.Text())
	}
	return host, in, lines, pids
}

func TestHost_killed(t *testing.T) {
	t.Parallel()
	host, _, _, pids := startHost(t, hostWaits)
	for _, pid := range pids {
		if !process.Alive(pid) {
			t.Errorf("%d does not live", pid)
		}
	}
	if err := host.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		eventually(t, 3*time.Second, fmt.Sprint("the end of ", pid), func() bool { return !process.Alive(pid) })
	}
}

func TestHost_stdinIsItsOwn(t *testing.T) {
	t.Parallel()
	host, in, lines, _ := startHost(t, hostWaits)
	if _, err := io.WriteString(in, "for the host alone"); err != nil {
		t.Fatal(err)
	}
	in.Close()
	lines.Scan()
	if first := lines.Text(); !lines.Scan() || lines.Text() != "stdin for the host alone" {
		t.Errorf("%q, then %q", first, lines.Text())
	}
	if state, err := host.Wait(t.Context()); err != nil || state.Code != 0 {
		t.Errorf("%v %v", state, err)
	}
}

func TestHost_killedPluginLeavesNoChildren(t *testing.T) {
	t.Parallel()
	_, _, lines, pids := startHost(t, hostKillsPlugin)
	if !lines.Scan() || lines.Text() != "done" {
		t.Fatalf("%q", lines.Text())
	}
	for _, pid := range pids {
		if process.Alive(pid) {
			t.Errorf("%d lives", pid)
		}
	}
}

func TestHost_stopsAStuckPlugin(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	_, _, lines, pids := startHost(t, hostStops)
	if !lines.Scan() || lines.Text() != "done" {
		t.Fatalf("%q", lines.Text())
	}
	if took := time.Since(begin); took > 2*stopLimit {
		t.Errorf("took %s", took)
	}
	for _, pid := range pids {
		if process.Alive(pid) {
			t.Errorf("%d lives", pid)
		}
	}
}
