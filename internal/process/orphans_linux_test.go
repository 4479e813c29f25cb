package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// mustSucceed waits for a role that judges itself, and passes its complaint on.
func mustSucceed(t *testing.T, a *actor) {
	t.Helper()
	if s := wait(t, a.Child); s != (ExitState{}) {
		rest, _ := a.line()
		t.Fatal(s, rest)
	}
}

func mustNumbers(t *testing.T, a *actor, want int) []int {
	t.Helper()
	pids, err := a.numbers()
	if err != nil || len(pids) != want {
		t.Fatalf("pids %v, error %v; want %d of them", pids, err, want)
	}
	return pids
}

func TestKillDescendants_finds_what_left_its_session(t *testing.T) {
	t.Parallel()
	a := cast(t, "kill descendants", Options{})
	pids := mustNumbers(t, a, 3)
	mustSucceed(t, a)
	for _, pid := range pids {
		if Alive(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

func TestSweepOrphans_ends_what_a_killed_plugin_left(t *testing.T) {
	t.Parallel()
	host := cast(t, "sweeping host", Options{})
	pids := mustNumbers(t, host, 3)
	mustSucceed(t, host)
	for _, pid := range pids {
		if Alive(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

func TestReapOrphans_reaps_and_kills_not(t *testing.T) {
	t.Parallel()
	pong := filepath.Join(t.TempDir(), "pong")
	host := cast(t, "reaping host", Options{}, pongVar+"="+pong)
	first, second := host.mustNumber(t), host.mustNumber(t)
	killLater(t, first)
	killLater(t, second)
	if err := syscall.Kill(first, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	host.mustExpect(t, "reaped <nil>")
	mustPong(t, second, pong)
	host.in.Close()
	mustSucceed(t, host)
}

func TestSweepOrphans_never_kills_a_known_child(t *testing.T) {
	t.Parallel()
	mustSucceed(t, cast(t, "stress host", Options{}))
}

func TestUntilNone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	refused := errors.New("killing 7: operation not permitted")

	passes := 0
	left, err := untilNone(ctx, func() ([]int, error) {
		if passes++; passes < 3 {
			return []int{7}, refused
		}
		return nil, nil
	})
	if left != nil || err != nil || passes != 3 {
		t.Errorf("left %v, %v after %d passes", left, err, passes)
	}

	left, err = untilNone(ctx, func() ([]int, error) { return nil, refused }) // nothing to wait for
	if left != nil || !errors.Is(err, refused) {
		t.Errorf("left %v, %v", left, err)
	}

	cancel()
	left, err = untilNone(ctx, func() ([]int, error) { return []int{7, 8}, refused })
	if err = leftError("orphans", left, err); err == nil || err.Error() != "orphans left [7 8]: killing 7: operation not permitted" {
		t.Error(err)
	}
}

func TestLeftError(t *testing.T) {
	t.Parallel()
	if err := leftError("orphans", nil, nil); err != nil {
		t.Error(err)
	}
	if err := leftError("orphans", []int{7}, nil); !errors.Is(err, ErrStillRunning) {
		t.Error(err)
	}
	if err := leftError("orphans", nil, os.ErrPermission); err == nil || err.Error() != "looking for orphans: permission denied" {
		t.Error(err)
	}
}
