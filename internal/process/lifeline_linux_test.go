package process

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestLifeline_ends_the_child_of_a_killed_parent(t *testing.T) {
	t.Parallel()
	pong := filepath.Join(t.TempDir(), "pong")
	parent := cast(t, "lifeline parent", Options{}, pongVar+"="+pong)
	watching, blind := parent.mustNumber(t), parent.mustNumber(t)
	killLater(t, watching)
	killLater(t, blind)

	parent.Signal(syscall.SIGKILL)
	wait(t, parent.Child)
	mustDie(t, watching)
	mustPong(t, blind, pong) // the lifeline did it, nothing else
}

func TestLifeline_is_cut_by_Close_and_by_nobody_else(t *testing.T) {
	t.Parallel()
	first := cast(t, "watch lifeline", Options{Lifeline: lifelineVar})
	second := cast(t, "watch lifeline", Options{Lifeline: lifelineVar}) // must not hold the first one's write end
	first.mustExpect(t, "ready")
	second.mustExpect(t, "ready")
	if fd := first.LifelineFD(); fd != 3 {
		t.Errorf("LifelineFD = %d, want 3", fd)
	}
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if s := wait(t, first.Child); s != (ExitState{}) {
		t.Errorf("state %v, want exit code 0", s)
	}
	if !Alive(second.Pid()) {
		t.Error("the other child ended as well")
	}
}

func TestParentDeath_means_the_process_and_not_the_thread(t *testing.T) {
	t.Parallel()
	parent := cast(t, "thread parent", Options{})
	parent.mustExpect(t, "plain: signal: killed") // so the thread's end does send the signal
	child := parent.mustNumber(t)                 // it answered after the thread's end
	killLater(t, child)

	parent.Signal(syscall.SIGKILL)
	wait(t, parent.Child)
	mustDie(t, child)
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func TestLifelineFromEnv(t *testing.T) {
	t.Parallel()
	r, _ := pipe(t)
	inherited, err := unix.Dup(int(r.Fd())) // without close-on-exec, as a child gets it
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inherited)
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cases := map[string]struct {
		value  string
		fd     int
		failed bool
	}{
		"PROCESS_TEST_LL_PIPE":   {value: strconv.Itoa(inherited), fd: inherited},
		"PROCESS_TEST_LL_FILE":   {value: strconv.Itoa(int(file.Fd())), failed: true},
		"PROCESS_TEST_LL_CLOSED": {value: "1048576", failed: true},
		"PROCESS_TEST_LL_STDIN":  {value: "0", failed: true},
		"PROCESS_TEST_LL_WORD":   {value: "three", failed: true},
		"PROCESS_TEST_LL_EMPTY":  {value: "", failed: true},
	}
	for name, c := range cases {
		os.Setenv(name, c.value)
		fd, found, err := LifelineFromEnv(name)
		if fd != c.fd || !found || (err != nil) != c.failed {
			t.Errorf("%s=%q: %d, %v, %v", name, c.value, fd, found, err)
		}
		if _, still := os.LookupEnv(name); still {
			t.Errorf("%s is still set", name)
		}
	}
	if flags, err := unix.FcntlInt(uintptr(inherited), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("our own children would inherit the lifeline: flags %#x, %v", flags, err)
	}
	if fd, found, err := LifelineFromEnv("PROCESS_TEST_LL_UNSET"); fd != 0 || found || err != nil {
		t.Errorf("unset: %d, %v, %v", fd, found, err)
	}
}

func TestWatchLifeline_calls_once(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	fd, err := unix.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	lost := make(chan struct{})
	watch, err := WatchLifeline(fd, func() { close(lost) }) // a second call would panic
	if err != nil {
		t.Fatal(err)
	}
	w.WriteString("a parent that writes is a parent that lives")
	select {
	case <-lost:
		t.Error("lost before the end")
	default:
	}
	w.Close()
	select {
	case <-lost:
	case <-time.After(patience):
		t.Error("the loss was not seen")
	}
	if err := watch.Close(); err != nil {
		t.Error(err)
	}
	if _, err := WatchLifeline(1<<20, func() {}); !errors.Is(err, syscall.EBADF) {
		t.Errorf("closed descriptor: %v", err)
	}
}
