package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

const (
	defaultTimeout = 120 * time.Second
	// outputGrace is how long the output is waited for after the shell's end: a process that left the group may hold the pipe.
	outputGrace = 200 * time.Millisecond
	reportLimit = 5 * time.Second
)

// job is one command to run.
type job struct {
	command       string
	cwd           string // absolute
	captureStderr bool
	timeout       time.Duration
}

func newJob(p *sdk.Project, params executeParams) (job, error) {
	j := job{command: params.Command, captureStderr: params.CaptureStderr, timeout: defaultTimeout}
	if strings.TrimSpace(j.command) == "" {
		return j, sdk.Errorf(sdk.KindValue, "the command is empty: give the command line to run")
	}
	if strings.ContainsRune(j.command, 0) {
		return j, sdk.Errorf(sdk.KindValue, "the command holds a NUL byte, which no command line can: remove it")
	}
	if params.Timeout != nil {
		if !(*params.Timeout > 0) {
			return j, sdk.Errorf(sdk.KindValue, "the timeout is %v: give a number of seconds above 0, or None for %d", *params.Timeout, int(defaultTimeout.Seconds()))
		}
		j.timeout = time.Duration(min(*params.Timeout*float64(time.Second), math.MaxInt64/2))
	}
	cwd := "."
	if params.Cwd != nil {
		cwd = *params.Cwd
	}
	var err error
	j.cwd, err = folder(p, cwd)
	return j, err
}

// folder checks that a folder is there and inside the project.
func folder(p *sdk.Project, named string) (string, error) {
	at, err := contain.Resolve(p.Root, named)
	var outside *contain.OutsideError
	if errors.As(err, &outside) {
		return "", sdk.Errorf(sdk.KindPermission, "cwd: %w", err)
	}
	var info fs.FileInfo
	if err == nil {
		info, err = os.Stat(at.Real)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", sdk.Errorf(sdk.KindFileNotFound, "cwd: there is no folder %q in the project: give one relative to %s", named, p.Root)
	case errors.Is(err, syscall.ENOTDIR) || err == nil && !info.IsDir():
		return "", sdk.Errorf(sdk.KindNotADirectory, "cwd: %q is not a folder: give the folder it is in", named)
	case err != nil:
		return "", sdk.Errorf(sdk.KindValue, "cwd: %q cannot be used: %w", named, err)
	}
	return at.Abs, nil
}

// run runs a command to its end, its timeout, or ctx's end, and leaves nothing of its group running.
func (s *shell) run(ctx context.Context, j job) (ShellCommandOutput, error) {
	if err := ctx.Err(); err != nil {
		return ShellCommandOutput{}, err
	}
	stdout, stderr := &capture{kept: keptBytes}, &capture{kept: keptBytes}
	cmd := commandFor(j.command)
	cmd.Dir = j.cwd
	cmd.Env = sdk.CommandEnvironment()
	cmd.Stdout = stdout
	if j.captureStderr {
		cmd.Stderr = stderr
	}
	child, err := process.Start(cmd, process.Options{ParentDeath: syscall.SIGKILL, GroupLifeline: s.lifeline, OutputGrace: outputGrace})
	if err != nil {
		return ShellCommandOutput{}, startError(j, err)
	}
	limit := time.NewTimer(j.timeout)
	defer limit.Stop()
	timedOut := false
	select {
	case <-child.Done():
	case <-limit.C:
		timedOut = true
	case <-ctx.Done():
	}
	state, err := child.Stop(ctx, 0) // the end is near, or it has come: bounded
	if ctx.Err() != nil {
		return ShellCommandOutput{}, ctx.Err()
	}
	if err != nil && !timedOut {
		return ShellCommandOutput{}, sdk.Errorf(sdk.KindRuntime, "the command does not end although it was killed: %w", err)
	}
	out := ShellCommandOutput{Stdout: stdout.text(), ReturnCode: returnCode(state, err), Cwd: j.cwd, TimedOut: timedOut}
	if j.captureStderr {
		text := stderr.text()
		out.Stderr = &text
	}
	return out, nil
}

func startError(j job, err error) error {
	if errors.Is(err, syscall.E2BIG) {
		return sdk.Errorf(sdk.KindValue, "the command has %d bytes, more than the system takes: write it to a script file and run that", len(j.command))
	}
	if errors.Is(err, exec.ErrNotFound) {
		return sdk.Errorf(sdk.KindFileNotFound, "the shell is missing: %w", err)
	}
	return sdk.Errorf(sdk.KindRuntime, "the command cannot be started in %s: %w", j.cwd, err)
}

// returnCode is as Python gives it: minus the number of a signal. A process that still hangs was sent SIGKILL.
func returnCode(state process.ExitState, err error) int {
	switch {
	case err != nil:
		return -int(syscall.SIGKILL)
	case state.Signal != 0:
		return -int(state.Signal)
	}
	return state.Code
}

// report has the project's files looked at anew, whatever became of the command and the call.
func report(ctx context.Context, call *sdk.Call) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportLimit)
	defer cancel()
	if err := call.ReportChanged(ctx); err != nil {
		call.Log().Warn("the host does not know that a command may have changed files", "error", fmt.Sprint(err))
	}
}
