package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary is also every process that the tests start: the variable names a function of roles.
const (
	roleVar     = "PROCESS_TEST_ROLE"
	lifelineVar = "PROCESS_TEST_LIFELINE"
	pongVar     = "PROCESS_TEST_PONG" // file that a blocking role creates on SIGUSR1
	patience    = 30 * time.Second    // for facts; the tests need milliseconds
)

func init() {
	if os.Getenv(roleVar) != "" {
		// Keeps the main thread, which cannot end before the process, from being taken for a goroutine's thread.
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		time.AfterFunc(2*patience, func() { os.Exit(99) }) // a failed test leaves nothing behind for long
		if err := roles[role](); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		if left, err := Descendants(os.Getpid()); err != nil || len(left) > 0 {
			fmt.Fprintln(os.Stderr, "processes left by the tests:", left, err)
			code = 1
		}
	}
	os.Exit(code)
}

// actor is a child that plays a role.
type actor struct {
	*Child
	in  io.WriteCloser
	out *os.File
	rd  *bufio.Reader
}

func roleCommand(role string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), append(env, roleVar+"="+role)...)
	return cmd
}

// play starts a role with pipes for stdin and stdout.
func play(role string, opts Options, env ...string) (*actor, error) {
	cmd := roleCommand(role, env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c, err := Start(cmd, opts)
	if err != nil {
		return nil, err
	}
	return &actor{Child: c, in: in, out: out.(*os.File), rd: bufio.NewReader(out)}, nil
}

// line reads the role's next line of output.
func (a *actor) line() (string, error) {
	a.out.SetReadDeadline(time.Now().Add(patience))
	s, err := a.rd.ReadString('\n')
	s = strings.TrimSuffix(s, "\n")
	if err == nil && strings.HasPrefix(s, "error:") {
		err = fmt.Errorf("role: %s", s)
	}
	return s, err
}

func (a *actor) number() (int, error) {
	s, err := a.line()
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(s)
}

func (a *actor) expect(want string) error {
	if got, err := a.line(); err != nil || got != want {
		return fmt.Errorf("line %q, error %v; want %q", got, err, want)
	}
	return nil
}

// ping proves that an "echo" role runs.
func (a *actor) ping(text string) error {
	if _, err := io.WriteString(a.in, text+"\n"); err != nil {
		return err
	}
	return a.expect(text)
}

func (a *actor) close() {
	a.in.Close()
	a.out.Close()
}

// cast plays a role for a test, which ends it.
func cast(t *testing.T, role string, opts Options, env ...string) *actor {
	t.Helper()
	a, err := play(role, opts, env...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.KillGroup()
		wait(t, a.Child)
		a.close()
	})
	return a
}

func (a *actor) mustLine(t *testing.T) string {
	t.Helper()
	s, err := a.line()
	if err != nil {
		t.Fatal(s, err)
	}
	return s
}

func (a *actor) mustNumber(t *testing.T) int {
	t.Helper()
	n, err := a.number()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (a *actor) mustExpect(t *testing.T, want string) {
	t.Helper()
	if err := a.expect(want); err != nil {
		t.Fatal(err)
	}
}

func wait(t *testing.T, c *Child) ExitState {
	t.Helper()
	select {
	case <-c.Done():
		s, err := c.Wait(t.Context())
		if err != nil {
			t.Fatal("Wait after Done:", err)
		}
		return s
	case <-time.After(patience):
		t.Fatalf("process %d does not end", c.Pid())
		panic("unreachable")
	}
}

// eventually waits for a fact.
func eventually(what string, fact func() bool) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !fact() {
		select {
		case <-tick.C:
		case <-limit.C:
			return fmt.Errorf("not seen in %v: %s", patience, what)
		}
	}
	return nil
}

func mustSee(t *testing.T, what string, fact func() bool) {
	t.Helper()
	if err := eventually(what, fact); err != nil {
		t.Fatal(err)
	}
}

func mustDie(t *testing.T, pid int) {
	t.Helper()
	mustSee(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !Alive(pid) })
}

// killLater makes sure that a process which is not the test's child is gone after the test.
func killLater(t *testing.T, pid int) {
	t.Helper()
	start, err := StartTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if now, err := StartTime(pid); err == nil && now == start {
			syscall.Kill(pid, syscall.SIGKILL)
			mustDie(t, pid)
		}
	})
}

// mustPong proves that a "block" role runs: a process with a pending SIGKILL does not answer.
func mustPong(t *testing.T, pid int, file string) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	mustSee(t, fmt.Sprintf("a sign of life of process %d", pid), func() bool {
		_, err := os.Stat(file)
		return err == nil
	})
}
