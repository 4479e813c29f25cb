//go:build !windows

package files

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/serena-go/serena/sdk"
)

// childVariable holds an order for the test's own program, which then is a host that writes a project.
const childVariable = "SERENA_FILES_TEST_CHILD"

// order is what a child does: it applies changes and prints "<kind>|<message>" of the error, or "ok".
type order struct {
	Root, Home string
	Changes    []sdk.Change
	StopAt     string // print "stopped" at this point and wait to be killed
	FileLimit  uint64 // no file may be larger, in bytes; 0: no limit

	Session string            // whose changes they are
	Open    bool              // a transaction is opened first
	Earlier [][]sdk.Change    // are applied first
	Undo    int               // instead of applying changes: so many steps
	Chmod   map[string]uint32 // then
	Endless bool              // edits and transactions of endlessFiles without end, a line after each
	Commit  bool              // the transaction is ended

	Mutation *mutation // do this instead
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		var o order
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			panic(err)
		}
		o.run()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func (o order) run() {
	if o.Mutation != nil {
		o.Mutation.run()
		return
	}
	if o.FileLimit > 0 {
		signal.Ignore(syscall.SIGXFSZ) // then the system answers EFBIG
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: o.FileLimit, Max: o.FileLimit}); err != nil {
			panic(err)
		}
	}
	s, err := Open(o.Root, Options{Home: o.Home})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	number := 0
	if o.Open {
		if number, err = s.Begin(context.Background(), o.Session); err != nil {
			panic(err)
		}
	}
	for _, changes := range o.Earlier {
		if _, err := s.Apply(context.Background(), Author{Session: o.Session, Method: "edit.test"}, changes); err != nil {
			panic(err)
		}
	}
	for name, mode := range o.Chmod {
		if err := syscall.Chmod(filepath.Join(o.Root, name), mode); err != nil {
			panic(err)
		}
	}
	s.fault = func(point string, i int) error {
		if fmt.Sprint(point, " ", i) == o.StopAt || point == "end" {
			fmt.Println("stopped")
			_, _ = bufio.NewReader(os.Stdin).ReadByte() // until it is killed, or its parent is
		}
		return nil
	}
	switch {
	case o.Endless:
		endlessly(s, o.Session)
	case o.Undo > 0:
		_, err = s.Undo(context.Background(), o.Session, o.Undo)
	case o.Commit:
		err = s.Commit(o.Session, number)
	default:
		_, err = s.Apply(context.Background(), Author{Session: o.Session, Method: "edit.test"}, o.Changes)
	}
	switch {
	case err != nil:
		fmt.Printf("%s|%v\n", sdk.AsError(err).Kind, err)
	case o.StopAt == "end":
		_ = s.fault("end", 0)
	default:
		fmt.Println("ok")
	}
}

// command is a child with its order. /proc/self/exe lets it start as a user who may not enter the program's folder.
func (o order) command(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	program := "/proc/self/exe"
	if !exists(program) {
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// startStopped starts a child and returns when it stands at its point. kill ends it as kill -9 does.
func (o order) startStopped(t *testing.T) (kill func()) {
	t.Helper()
	cmd := o.command(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "stopped\n" {
		t.Errorf("the child says %q", line)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = in.Close()
	}
}
