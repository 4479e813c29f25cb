package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// A host, its plugin, and the plugin's server, each in a group of its own.
func armedTrio(t *testing.T, role string) (host *actor, plugin, server int, pong string) {
	t.Helper()
	pong = filepath.Join(t.TempDir(), "pong")
	host = cast(t, "arm host", Options{}, "PROCESS_TEST_PLUGIN="+role, pongVar+"="+pong)
	plugin, server = host.mustNumber(t), host.mustNumber(t)
	killLater(t, plugin)
	killLater(t, server)
	return host, plugin, server, pong
}

func TestArmed_group_dies_with_the_host_although_the_plugin_does_nothing(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"arming plugin", "lone arm plugin"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			host, plugin, server, _ := armedTrio(t, role) // neither plugin reads its lifeline
			host.Signal(syscall.SIGKILL)
			wait(t, host.Child)
			mustDie(t, server)
			if !Alive(plugin) {
				t.Error("the plugin ended, so it was not the kernel alone")
			}
		})
	}
}

func TestArmed_group_dies_with_the_plugin_as_soon_as_the_host_reaps_it(t *testing.T) {
	t.Parallel()
	host, plugin, server, _ := armedTrio(t, "arming plugin")
	syscall.Kill(plugin, syscall.SIGKILL)
	mustDie(t, plugin)
	mustDie(t, server)
	if !Alive(host.Pid()) {
		t.Error("the host ended, so it was not the reaping alone")
	}
}

func TestArmed_group_carries_its_guard_when_the_plugin_was_killed_first(t *testing.T) {
	t.Parallel()
	host, plugin, server, pong := armedTrio(t, "arming plugin")
	mustStop(t, host.Pid()) // or it would reap the plugin
	syscall.Kill(plugin, syscall.SIGKILL)
	mustDie(t, plugin)
	mustPong(t, server, pong)

	host.Signal(syscall.SIGKILL)
	wait(t, host.Child)
	mustDie(t, server)
}

// mustStop stops every thread of a process.
func mustStop(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	mustSee(t, "the stop of all threads", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, path := range threads {
			data, _ := os.ReadFile(path)
			if s, err := parseStat(data); err != nil || s.state != 'T' {
				return false
			}
		}
		return err == nil && len(threads) > 0
	})
}

// Documents the limit of ArmLifeline that Options.GroupLifeline exists for.
func TestArmLifeline_alone_is_void_once_the_arming_process_is_killed(t *testing.T) {
	t.Parallel()
	host, plugin, server, pong := armedTrio(t, "lone arm plugin")
	syscall.Kill(plugin, syscall.SIGKILL)
	mustDie(t, plugin)

	host.Signal(syscall.SIGKILL)
	wait(t, host.Child) // its descriptors are closed before it can be reaped
	mustPong(t, server, pong)
}

func TestArmLifeline_means_the_group(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	leader := roleCommand("member") // started by os/exec, for a Child would kill its group by itself
	leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := leader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	var member int
	_, scanErr := fmt.Fscanln(out, &member)
	_, armErr := ArmLifeline(int(r.Fd()), leader.Process.Pid)
	runtime.GC() // a forgotten result does not disarm
	runtime.GC()
	w.Close()
	if scanErr != nil || armErr != nil {
		leader.Process.Kill()
		t.Error(scanErr, armErr)
	}
	if err := leader.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("leader: %v", err)
	}
	mustDie(t, member)
}

func TestArmLifeline_disarmed(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	child := cast(t, "echo", Options{})
	armed, err := ArmLifeline(int(r.Fd()), child.Pid())
	if err != nil {
		t.Fatal(err)
	}
	if err := armed.Close(); err != nil {
		t.Error(err)
	}
	if err := armed.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	w.Close()
	if err := child.ping("spared"); err != nil {
		t.Error(err)
	}
}

func TestArmLifeline_of_a_parent_that_is_gone(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	w.Close()
	child := cast(t, "echo", Options{})
	if _, err := ArmLifeline(int(r.Fd()), child.Pid()); !errors.Is(err, ErrLifelineLost) {
		t.Errorf("ArmLifeline: %v, want ErrLifelineLost", err)
	}
	if err := child.ping("spared"); err != nil {
		t.Error(err)
	}
	if c, err := Start(roleCommand("block"), Options{GroupLifeline: int(r.Fd())}); c != nil || !errors.Is(err, ErrLifelineLost) {
		t.Errorf("Start = %v, %v; want ErrLifelineLost", c, err)
	}
}

func TestArmLifeline_refuses(t *testing.T) {
	t.Parallel()
	r, _ := pipe(t)
	for _, pgid := range []int{-1, 0, 1} {
		if _, err := ArmLifeline(int(r.Fd()), pgid); err == nil {
			t.Errorf("ArmLifeline for group %d: no error", pgid)
		}
	}
	if _, err := ArmLifeline(1<<20, 12345); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ArmLifeline of a closed descriptor: %v", err)
	}
}

func TestStart_without_the_armed_guard_says_so(t *testing.T) {
	t.Parallel()
	child := cast(t, "echo", Options{GroupLifeline: 1 << 20})
	if err := child.Armed(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Armed: %v", err)
	}
	if err := child.ping("works"); err != nil {
		t.Error(err)
	}
	if err := cast(t, "echo", Options{}).Armed(); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Armed when not asked for: %v", err)
	}
}
