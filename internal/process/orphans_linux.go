package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// BecomeSubreaper makes this process the parent of every descendant whose own parent ends. Such orphans must then be reaped: run
// ReapOrphans for as long as the process lives. Descendants do not inherit the property. Elsewhere than on Linux it does nothing.
func BecomeSubreaper() error {
	settlePidfd()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the parent of orphans (PR_SET_CHILD_SUBREAPER): %w", err)
	}
	return nil
}

// settlePidfd makes package os try out pidfds now: it does so once, at a moment of its own choice, with a short-lived child that a sweep
// would take for an orphan.
func settlePidfd() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Release()
	}
}

// ReapOrphans reaps inherited processes that have ended, until ctx ends; it kills nothing. One per process.
func ReapOrphans(ctx context.Context) {
	// Exits come in bursts, and a known child's is its owner's affair: look a moment after the first.
	const settle = 50 * time.Millisecond
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	settlePidfd()

	timer := time.NewTimer(0) // for those that ended before
	defer timer.Stop()
	due := true
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			if !due {
				due = true
				timer.Reset(settle)
			}
		case <-timer.C:
			due = false
			if zombieWaits() {
				sweepPass(false)
			}
		}
	}
}

// zombieWaits reports whether any child, known or not, waits to be reaped. It spares the walk over /proc.
func zombieWaits() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

// SweepOrphans kills and reaps every direct child that was not started here (inherited after a plugin's death, say), each with its whole
// group, until none is left: what they leave behind is inherited and ended in turn. It returns the pids it killed. Members
// of a known child's group are spared, for they end with it. Known children are never touched, whatever Starts run meanwhile.
//
// Without a deadline in ctx it gives up after ten seconds. The error names those that are left, and why. Elsewhere than on Linux, where
// nothing is inherited, it does nothing.
func SweepOrphans(ctx context.Context) (killed []int, err error) {
	settlePidfd()
	left, err := untilNone(ctx, func() ([]int, error) {
		left, err := sweepPass(true)
		for _, pid := range left {
			if !slices.Contains(killed, pid) {
				killed = append(killed, pid)
			}
		}
		return left, err
	})
	return killed, leftError("orphans", left, err)
}

// sweepPass reaps the orphans that have ended and, with kill, signals the others, which it returns.
func sweepPass(kill bool) (left []int, err error) {
	known.mu.Lock()
	defer known.mu.Unlock()
	all, err := readAllStats()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range all {
		switch {
		case s.parent != os.Getpid() || known.has(s.pid):
		case s.ended():
			reapOne(s.pid)
		case kill && !known.has(s.group):
			left = append(left, s.pid)
			errs = append(errs, killOrphan(s))
		}
	}
	return left, errors.Join(errs...)
}

// killOrphan signals an unreaped child of ours and its group. While it is unreaped, neither number can mean anybody else.
func killOrphan(s stat) error {
	err := syscall.Kill(s.pid, syscall.SIGKILL)
	if s.group > 1 && s.group != syscall.Getpgrp() {
		syscall.Kill(-s.group, syscall.SIGKILL) // others' refusal does not matter: each comes to us as its parents end
	}
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("killing %d: %w", s.pid, err)
	}
	return nil
}

// reapOne reaps an unknown child that has ended. The caller holds the lock, which makes us its only reaper.
func reapOne(pid int) {
	for {
		if _, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err != unix.EINTR {
			return
		}
	}
}

// KillDescendants kills every process below this one, known children and those that left their groups or sessions included, and
// returns when none is left, not even a zombie. It is the last act of a process that started others: it makes this process a
// subreaper, so that none escapes upwards while its parents die, and also ends children that are started meanwhile.
//
// Without a deadline in ctx it gives up after ten seconds. The error names those that are left, and why. Elsewhere than on
// Linux, and with an error where /proc cannot be read, it kills the groups of the known children only.
func KillDescendants(ctx context.Context) error {
	if err := BecomeSubreaper(); err != nil {
		return err
	}
	left, err := untilNone(ctx, killPass)
	if len(left) == 0 && err != nil { // no process table: at least what we know of
		left, _ = untilNone(ctx, func() ([]int, error) { return killKnown(), nil })
	}
	return leftError("descendants", left, err)
}

func killPass() (left []int, err error) {
	known.mu.Lock()
	defer known.mu.Unlock()
	all, err := readAllStats()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range below(all, os.Getpid()) {
		if s.ended() && s.parent == os.Getpid() && !known.has(s.pid) {
			reapOne(s.pid)
			continue
		}
		left = append(left, s.pid) // a zombie too: its parent, or the owner of a known child, is about to reap it
		if !s.ended() {
			errs = append(errs, killExactly(s))
		}
	}
	return left, errors.Join(errs...)
}

// killExactly kills the process that s was read from, and no later one of that number: a descendant that is not our child can be reaped
// by its own parent at any time.
func killExactly(s stat) error {
	fd, err := unix.PidfdOpen(s.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	now, statErr := readStat(s.pid)
	if statErr != nil || now.start != s.start {
		return nil
	}
	switch {
	case err == nil:
		err = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	case errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM): // an old kernel, or a sandbox without pidfds
		err = unix.Kill(s.pid, unix.SIGKILL)
	}
	if err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("killing %d: %w", s.pid, err)
	}
	return nil
}

func leftError(what string, left []int, cause error) error {
	switch {
	case len(left) == 0 && cause == nil:
		return nil
	case len(left) == 0:
		return fmt.Errorf("looking for %s: %w", what, cause)
	case cause == nil:
		cause = ErrStillRunning
	}
	return fmt.Errorf("%s left %v: %w", what, left, cause)
}
