package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 7 8 9 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 6 0 123456789 1000 200 18446744073709551615\n"
	for _, name := range []string{"cat", "a) (b c", ")", "two\nlines", ""} {
		s, err := parseStat([]byte("42 (" + name + ")" + rest))
		if want := (stat{pid: 42, parent: 7, group: 8, state: 'S', threads: 6, start: 123456789}); s != want || err != nil {
			t.Errorf("%q: %+v, %v", name, s, err)
		}
	}
	for _, bad := range []string{"", "42 cat S 1", "42 (cat)", "42 (cat) S 7 8", "x (cat)" + rest, "42 )(" + rest} {
		if s, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("%q: %+v, no error", bad, s)
		}
	}
}

func TestStat_ended(t *testing.T) {
	t.Parallel()
	for s, want := range map[stat]bool{
		{state: 'S', threads: 1}: false,
		{state: 'T', threads: 1}: false,
		{state: 'Z', threads: 1}: true,
		{state: 'Z', threads: 0}: true,
		{state: 'Z', threads: 4}: false, // its main thread has ended, the others have not yet
		{state: 'X', threads: 0}: true,
	} {
		if s.ended() != want {
			t.Errorf("%+v: ended = %v", s, !want)
		}
	}
}

func TestStartTime_agrees_with_awk_and_survives_odd_names(t *testing.T) {
	t.Parallel()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(t.TempDir(), "a) S (b c")
	copyProgram(t, cat, odd)
	cmd := exec.Command(odd)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(cmd, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The fields are counted from the end, independently of the name.
	out, err := exec.Command("awk", "{print $(NF-30)}", fmt.Sprintf("/proc/%d/stat", c.Pid())).Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := StartTime(c.Pid())
	if want := strings.TrimSpace(string(out)); err != nil || strconv.FormatUint(got, 10) != want {
		t.Errorf("StartTime = %d, %v; awk says %s", got, err, want)
	}
	if !Alive(c.Pid()) {
		t.Error("not alive")
	}
	in.Close()
	wait(t, c)
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAlive_takes_a_zombie_for_dead(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("true")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	if err := awaitZombie(pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the zombie is gone already: %v", err)
	}
	if Alive(pid) {
		t.Error("a zombie is taken for alive")
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if Alive(pid) || !Alive(os.Getpid()) || Alive(0) || Alive(-1) {
		t.Error("Alive of: a reaped process, ourselves, 0, -1")
	}
}

func TestDescendants_parents_first(t *testing.T) {
	t.Parallel()
	top := cast(t, "chain", Options{}, "PROCESS_TEST_DEPTH=2")
	pids := mustNumbers(t, top, 2)
	for _, pid := range pids {
		killLater(t, pid)
	}
	got, err := Descendants(top.Pid())
	if err != nil || !slices.Equal(got, pids) {
		t.Errorf("Descendants = %v, %v; want %v", got, err, pids)
	}
	if got, err := Descendants(pids[1]); err != nil || len(got) != 0 {
		t.Errorf("Descendants of the last = %v, %v", got, err)
	}
}

func TestBelow_ends_on_a_cycle(t *testing.T) {
	t.Parallel()
	got := below([]stat{{pid: 2, parent: 1}, {pid: 3, parent: 2}, {pid: 4, parent: 5}, {pid: 5, parent: 4}}, 4)
	if want := []stat{{pid: 5, parent: 4}, {pid: 4, parent: 5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestParsePss(t *testing.T) {
	t.Parallel()
	const rollup = "55d0c0000000-7ffd2b3f7000 ---p 00000000 00:00 0   [rollup]\nRss:   1568 kB\nPss:    352 kB\nPss_Dirty:  88 kB\n"
	if n, err := parsePss(rollup); n != 360448 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, bad := range []string{"", "Rss: 1 kB\n", "Pss: many kB\n"} {
		if n, err := parsePss(bad); err == nil {
			t.Errorf("%q: %d, no error", bad, n)
		}
	}
}

func TestProportionalSetSize(t *testing.T) {
	t.Parallel()
	child := cast(t, "echo", Options{})
	if err := child.ping("here"); err != nil {
		t.Fatal(err)
	}
	got, err := ProportionalSetSize(child.Pid())
	if err != nil || got < 100<<10 || got > 1<<30 {
		t.Errorf("%d bytes, %v", got, err)
	}
	io.WriteString(child.in, "")
	child.KillGroup()
	wait(t, child.Child)
	if n, err := ProportionalSetSize(child.Pid()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a process that ended: %d, %v", n, err)
	}
}
