package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// marking starts what carries its mark, what is to be spared and what carries none, each in a session of its own, prints their
// pids, and kills by the mark.
func marking() error {
	if err := Mark(); err != nil {
		return err
	}
	without := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, MarkVariable+"=") })
	for _, env := range [][]string{os.Environ(), append(os.Environ(), "SPARE_ME=1"), without} {
		cmd := exec.Command("sleep", "300")
		cmd.Env, cmd.SysProcAttr = env, &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		fmt.Println(cmd.Process.Pid)
		go cmd.Wait() // reaps; how it ended does not matter
	}
	return KillCarrying(context.Background(), MarkEntry(), "SPARE_ME")
}

func TestKillCarrying_finds_what_left_group_session_and_parent(t *testing.T) {
	t.Parallel()
	host := cast(t, "marking", Options{})
	marked, spared, unmarked := host.mustNumber(t), host.mustNumber(t), host.mustNumber(t)
	killLater(t, spared)
	killLater(t, unmarked)
	mustSucceed(t, host)
	if Alive(marked) || !Alive(spared) || !Alive(unmarked) {
		t.Errorf("alive: marked %t, spared %t, unmarked %t; want false, true, true", Alive(marked), Alive(spared), Alive(unmarked))
	}
}

func TestFamily_ends_what_left_group_and_session(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "env -i setsid sleep 300 & echo $!; exec sleep 300")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child, err := Start(cmd, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	out.Close()
	killLater(t, pid)
	family := FamilyOf(child.Pid())
	if _, err := child.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := family.Kill(); err != nil {
		t.Error(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for Alive(pid) && t.Context().Err() == nil {
			runtime.Gosched()
		}
	}()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Errorf("%d lives", pid)
	}
}
