package process

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// KillCarrying kills every process that was started with the entry ("NAME=value") in its environment, except this one and,
// where spare is not empty, those that have a variable of that name: they end themselves. It returns when none is left; an
// empty entry is no process's. What was started with an environment of its own choice is not found. The killed are reaped
// by their parents: a subreaper that runs ReapOrphans, for orphans.
//
// Without a deadline in ctx it gives up after ten seconds. Elsewhere than on Linux it does nothing.
func KillCarrying(ctx context.Context, entry, spare string) error {
	if entry == "" {
		return nil
	}
	left, err := untilNone(ctx, func() ([]int, error) { return carryingPass(entry, spare) })
	return leftError("processes of "+entry, left, err)
}

func carryingPass(entry, spare string) (left []int, err error) {
	all, err := readAllStats()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, s := range all {
		if s.pid == os.Getpid() || s.ended() || !carries(s.pid, entry, spare) {
			continue
		}
		left = append(left, s.pid)
		errs = append(errs, killExactly(s))
	}
	return left, errors.Join(errs...)
}

// carries reads the environment that a process was started with; another user's cannot be read and is not ours.
func carries(pid int, entry, spare string) bool {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	found := false
	for e := range bytes.SplitSeq(data, []byte{0}) {
		if spare != "" && bytes.HasPrefix(e, []byte(spare+"=")) {
			return false
		}
		found = found || string(e) == entry
	}
	return found
}

// Family is what was below a process at one moment.
type Family []stat

// FamilyOf looks at what is below a process now, so that it can be ended when the process itself is gone: by then those that left its
// group belong to somebody else. Empty where it cannot be known.
func FamilyOf(pid int) Family {
	all, err := readAllStats()
	if err != nil {
		return nil
	}
	return below(all, pid)
}

// Kill kills those of the family that are still there, and nobody who has come by one of their numbers since.
func (f Family) Kill() error {
	var errs []error
	for _, s := range f {
		errs = append(errs, killExactly(s))
	}
	return errors.Join(errs...)
}

// Carrying lists the processes that were started with the entry ("NAME=value") in their environment, except this one and those that
// have ended. Elsewhere than on Linux it finds none.
func Carrying(entry string) ([]int, error) {
	all, err := readAllStats()
	if err != nil {
		return nil, err
	}
	var found []int
	for _, s := range all {
		if s.pid != os.Getpid() && !s.ended() && carries(s.pid, entry, "") {
			found = append(found, s.pid)
		}
	}
	return found, nil
}
