package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

var roles map[string]func() error

func init() {
	roles = map[string]func() error{
		"block":          block,
		"echo":           func() error { _, err := io.Copy(os.Stdout, os.Stdin); return err },
		"ignore SIGTERM": func() error { signal.Ignore(syscall.SIGTERM); return block() },
		"report streams": reportStreams,
		"print":          printMuch,
		"member":         func() error { return parentOf(nil, func(pid int) error { return stay(pid) }) },
		"member, exit 3": func() error { return parentOf(nil, func(pid int) error { fmt.Println(pid); os.Exit(3); return nil }) },
		"chain":          chain,
		"daemonize": func() error {
			return parentOf(&syscall.SysProcAttr{Setsid: true}, func(pid int) error { fmt.Println(pid); return nil })
		},
		"watch lifeline":   watchLifeline,
		"lifeline parent":  lifelineParent,
		"thread parent":    threadParent,
		"arming plugin":    func() error { return armingPlugin(true) },
		"lone arm plugin":  func() error { return armingPlugin(false) },
		"arm host":         armHost,
		"kill descendants": killDescendantsRole,
		"marking":          marking,
		"sweeping host":    sweepingHost,
		"reaping host":     reapingHost,
		"stress host":      stressHost,
	}
}

// block says "ready" and stays until it is killed.
func block() error { return stay("ready") }

// stay answers SIGUSR1 by making a file, until it is killed. It prints last before: its reader may be gone at any time afterwards.
func stay(last any) error {
	pings := make(chan os.Signal, 1)
	signal.Notify(pings, syscall.SIGUSR1)
	fmt.Println(last)
	for range pings {
		if err := os.WriteFile(os.Getenv(pongVar), nil, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func reportStreams() error {
	n, err := io.Copy(io.Discard, os.Stdin)
	var b strings.Builder
	fmt.Fprintln(&b, "stdin:", n, err)
	for fd := range 3 {
		target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		fmt.Fprintln(&b, fd, target, err)
	}
	fmt.Fprintln(&b, "own group:", syscall.Getpgrp() == os.Getpid())
	fmt.Fprintln(&b, "variable:", os.Getenv("PROCESS_TEST_EXTRA"))
	return os.WriteFile(os.Getenv(pongVar), []byte(b.String()), 0o600)
}

// printMuch writes 100 lines of 10 KiB to stdout and a short one to stderr after each.
func printMuch() error {
	for i := range 100 {
		fmt.Println(strings.Repeat("x", 10<<10-1))
		fmt.Fprintln(os.Stderr, i)
	}
	return nil
}

// parentOf starts a blocking process by plain os/exec and goes on with its pid when it is ready. The process inherits stderr, which
// is the pipe that the output tests watch.
func parentOf(attr *syscall.SysProcAttr, then func(pid int) error) error {
	cmd := roleCommand("block")
	cmd.SysProcAttr = attr
	cmd.Stderr = os.Stderr
	if err := startReady(cmd, "ready"); err != nil {
		return err
	}
	return then(cmd.Process.Pid)
}

func startReady(cmd *exec.Cmd, want string) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	got, err := bufio.NewReader(out).ReadString('\n')
	if got != want+"\n" {
		return fmt.Errorf("child said %q, error %v; want %q", got, err, want)
	}
	return nil
}

// chain starts a chain of processes, each in a session of its own, prints their pids from the top, and blocks.
func chain() error {
	depth, err := strconv.Atoi(os.Getenv("PROCESS_TEST_DEPTH"))
	if err != nil || depth == 0 {
		return errors.Join(err, stay("end"))
	}
	cmd := roleCommand("chain", fmt.Sprintf("PROCESS_TEST_DEPTH=%d", depth-1))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	fmt.Println(cmd.Process.Pid)
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "end" {
		fmt.Println(lines.Text())
	}
	return stay("end")
}

// numbers reads the pids that a chain prints.
func (a *actor) numbers() (pids []int, err error) {
	for {
		s, err := a.line()
		if err != nil || s == "end" {
			return pids, err
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			return pids, err
		}
		pids = append(pids, n)
	}
}

func watchLifeline() error {
	fd, found, err := LifelineFromEnv(lifelineVar)
	if err != nil || !found {
		return fmt.Errorf("no lifeline: %v, %w", found, err)
	}
	lost := make(chan struct{})
	if _, err := WatchLifeline(fd, func() { close(lost) }); err != nil {
		return err
	}
	fmt.Println("ready")
	<-lost
	return nil
}

// lifelineParent prints the pids of two children: one that watches its lifeline and one that has none.
func lifelineParent() error {
	var pids []any
	for _, role := range []string{"watch lifeline", "block"} {
		a, err := play(role, Options{Lifeline: lifelineVar})
		if err != nil {
			return err
		}
		if err := a.expect("ready"); err != nil {
			return err
		}
		pids = append(pids, a.Pid())
	}
	fmt.Println(pids[0])
	return stay(pids[1])
}

// threadParent starts two children with a death signal from a thread that ends, one through Start and one by plain os/exec.
func threadParent() error {
	var (
		kept  *actor
		plain = roleCommand("block")
		tid   int
		errs  = make(chan error)
	)
	plain.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	go func() {
		runtime.LockOSThread() // not unlocked: the thread ends with the goroutine
		tid = syscall.Gettid()
		var err error
		if kept, err = play("echo", Options{ParentDeath: syscall.SIGKILL}); err == nil {
			err = startReady(plain, "ready")
		}
		errs <- err
	}()
	if err := <-errs; err != nil {
		return err
	}
	err := eventually("the thread's end", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid))
		return errors.Is(err, os.ErrNotExist)
	})
	if err != nil {
		return err
	}
	fmt.Println("plain:", plain.Wait())
	if err := kept.ping("still here"); err != nil {
		return err
	}
	return stay(kept.Pid())
}

// armingPlugin has one server below it, armed by its parent's lifeline, and reports the server's pid.
func armingPlugin(inherit bool) error {
	fd, _, err := LifelineFromEnv(lifelineVar)
	if err != nil {
		return err
	}
	opts := Options{}
	if inherit {
		opts.GroupLifeline = fd
	}
	server, err := play("block", opts)
	if err != nil {
		return err
	}
	if inherit {
		err = server.Armed()
	} else {
		_, err = ArmLifeline(fd, server.Pid())
	}
	if err != nil {
		return err
	}
	if err := server.expect("ready"); err != nil {
		return err
	}
	return stay(server.Pid())
}

// armHost starts the plugin named by a variable and prints its pid and its server's.
func armHost() error {
	plugin, err := play(os.Getenv("PROCESS_TEST_PLUGIN"), Options{Lifeline: lifelineVar})
	if err != nil {
		return err
	}
	server, err := plugin.number()
	if err != nil {
		return err
	}
	fmt.Println(plugin.Pid())
	return stay(server)
}
