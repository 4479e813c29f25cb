package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
)

// Roles that sweep play their own process: what they kill and inherit must not be another test's.

func killDescendantsRole() error {
	top, err := play("chain", Options{}, "PROCESS_TEST_DEPTH=3")
	if err != nil {
		return err
	}
	pids, err := top.numbers()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		fmt.Println(pid)
	}
	fmt.Println("end")
	below, err := Descendants(os.Getpid())
	if want := append([]int{top.Pid()}, pids...); err != nil || !slices.Equal(below, want) {
		return fmt.Errorf("Descendants = %v, %v; want %v", below, err, want)
	}
	if err := KillDescendants(context.Background()); err != nil {
		return err
	}
	return none()
}

// none checks that nothing is below this process, zombies included.
func none(expected ...int) error {
	left, err := Descendants(os.Getpid())
	if err != nil || !slices.Equal(left, expected) {
		return fmt.Errorf("processes left: %v, error %v; want %v", left, err, expected)
	}
	return nil
}

func sweepingHost() error {
	if err := BecomeSubreaper(); err != nil {
		return err
	}
	bystander, err := play("echo", Options{})
	if err != nil {
		return err
	}
	// A helper whose own parent has ended, in the group of a living child: ours by descent, not ours to end.
	keeper, helper, err := playWithHelper()
	if err != nil {
		return err
	}
	plugin, err := play("chain", Options{}, "PROCESS_TEST_DEPTH=3")
	if err != nil {
		return err
	}
	orphans, err := plugin.numbers()
	if err != nil {
		return err
	}
	for _, pid := range orphans {
		fmt.Println(pid)
	}
	fmt.Println("end")
	if err := plugin.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-plugin.Done()

	killed, err := SweepOrphans(context.Background())
	slices.Sort(killed)
	if want := slices.Sorted(slices.Values(orphans)); err != nil || !slices.Equal(killed, want) {
		return fmt.Errorf("SweepOrphans = %v, %v; want %v", killed, err, want)
	}
	if err := bystander.ping("unharmed"); err != nil {
		return err
	}
	if again, err := SweepOrphans(context.Background()); err != nil || len(again) != 0 {
		return fmt.Errorf("second SweepOrphans = %v, %v", again, err)
	}
	if s, err := readStat(helper); err != nil || s.parent != os.Getpid() || s.ended() {
		return fmt.Errorf("the helper of a living child: %+v, %v", s, err)
	}
	_, keeperErr := keeper.Stop(context.Background(), 0)
	_, sweepErr := SweepOrphans(context.Background())
	if err := errors.Join(keeperErr, sweepErr, none(bystander.Pid())); err != nil {
		return err
	}
	_, err = bystander.Stop(context.Background(), 0)
	return errors.Join(err, none())
}

func playWithHelper() (keeper *Child, helper int, err error) {
	cmd := exec.Command("sh", "-c", "sh -c 'sleep 60 & echo $!'; exec sleep 60")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if keeper, err = Start(cmd, Options{}); err != nil {
		return nil, 0, err
	}
	if _, err := fmt.Fscanln(out, &helper); err != nil {
		return nil, 0, err
	}
	err = eventually("the helper's adoption", func() bool {
		s, err := readStat(helper)
		return err == nil && s.parent == os.Getpid()
	})
	return keeper, helper, err
}

// reapingHost inherits two orphans that live on, prints their pids, reaps the first when somebody else ends it, and says so.
func reapingHost() error {
	if err := BecomeSubreaper(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() { defer close(ended); ReapOrphans(ctx) }()

	var orphans []int
	for range 2 {
		starter, err := play("daemonize", Options{})
		if err != nil {
			return err
		}
		orphan, err := starter.number()
		if err != nil {
			return err
		}
		<-starter.Done()
		fmt.Println(orphan)
		orphans = append(orphans, orphan)
	}
	err := eventually("the orphan's reaping", func() bool {
		_, err := StartTime(orphans[0])
		return errors.Is(err, os.ErrNotExist)
	})
	fmt.Println("reaped", err)
	io.Copy(io.Discard, os.Stdin)
	cancel()
	<-ended
	_, sweepErr := SweepOrphans(context.Background())
	return errors.Join(err, sweepErr, none())
}

// stressHost sweeps while many children start and end, some of which leave orphans.
func stressHost() error {
	if err := BecomeSubreaper(); err != nil {
		return err
	}
	var (
		starts, sweeps sync.WaitGroup
		stop           = make(chan struct{})
		count          atomic.Int64
		errs           = make(chan error, 1000)
	)
	sweeps.Go(func() {
		for {
			if _, err := SweepOrphans(context.Background()); err != nil {
				errs <- err
			}
			count.Add(1)
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	for i := range 8 {
		starts.Go(func() {
			for range 15 {
				if err := oneStart(i); err != nil {
					errs <- err
				}
			}
		})
	}
	starts.Wait()
	close(stop)
	sweeps.Wait()
	if _, err := SweepOrphans(context.Background()); err != nil {
		errs <- err
	}
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	if count.Load() == 0 {
		all = append(all, errors.New("no sweep ran"))
	}
	return errors.Join(append(all, none())...)
}

// oneStart runs a command that nobody may kill: one in four is started by plain os/exec, and one leaves an orphan.
func oneStart(kind int) error {
	cmd := exec.Command("sh", "-c", "exit 7")
	switch kind % 4 {
	case 0:
		release, err := Adopt(func() (int, error) {
			if err := cmd.Start(); err != nil {
				return 0, err
			}
			return cmd.Process.Pid, nil
		})
		if err != nil {
			return err
		}
		defer release()
		if err := cmd.Wait(); err == nil || err.Error() != "exit status 7" {
			return fmt.Errorf("adopted child: %v", err)
		}
		return nil
	case 1:
		cmd = exec.Command("sh", "-c", "setsid sleep 60 & exit 7")
	}
	c, err := Start(cmd, Options{ParentDeath: syscall.SIGKILL})
	if err != nil {
		return err
	}
	s, err := c.Wait(context.Background())
	if err != nil || s.Code != 7 {
		return fmt.Errorf("child: %v, %v", s, err)
	}
	return nil
}
