package plugin

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/serena-go/serena/internal/process"
)

// outputGrace bounds the wait for a plugin's last words: a grandchild that left the group may hold its stderr for ever.
const outputGrace = 200 * time.Millisecond

// pluginRunner starts a plugin's process for go-plugin. go-plugin's own runner would give the plugin the host's stdin, and could
// wait without end for a pipe that a grandchild holds.
type pluginRunner struct {
	spec  Spec
	env   []string // of the plugin, without what go-plugin adds
	owner string   // the entry in it that marks the process and all that it starts
	log   *pluginLog

	stdout       *firstLine
	stdoutReader *io.PipeReader
	stderrReader *io.PipeReader // carries nothing: the log is fed directly; its end says that the process ended
	stderrWriter *io.PipeWriter

	mu     sync.Mutex // guards the fields below
	extra  []string   // what go-plugin adds to the environment
	child  *process.Child
	killed bool // by us, while it ran
}

var _ runner.Runner = (*pluginRunner)(nil)

func newRunner(spec Spec, home string, log *pluginLog) *pluginRunner {
	r := &pluginRunner{spec: spec, env: environment(os.Environ(), spec.OwnEnv, home), owner: process.NewOwnerEntry(), log: log}
	r.env = append(r.env, r.owner)
	r.stdout, r.stdoutReader = newFirstLine()
	r.stderrReader, r.stderrWriter = io.Pipe()
	return r
}

// Start starts the process. ctx only concerns the start, which does not wait for anything.
func (r *pluginRunner) Start(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	var verified identity
	if r.spec.SHA256 != "" {
		var err error
		if verified, err = verify(r.spec.Name, r.spec.Path, r.spec.SHA256); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	stderr := r.log.stream()
	cmd := exec.Command(r.spec.Command[0], r.spec.Command[1:]...)
	cmd.Env = append(r.env, r.extra...)
	cmd.Stdout, cmd.Stderr = r.stdout, stderr
	child, err := process.Start(cmd, process.Options{
		Lifeline: lifelineVariable,
		// Not SIGKILL: the plugin has to end its own children first. One that is not ours to teach ends by the signal itself.
		ParentDeath: syscall.SIGTERM,
		OutputGrace: outputGrace,
	})
	if err != nil {
		return err
	}
	if r.spec.SHA256 != "" {
		if err := stillIs(r.spec.Name, verified); err != nil {
			child.KillGroup()
			<-child.Done()
			return err
		}
	}
	r.child = child
	go func() { // ends with the process
		<-child.Done()
		stderr.flush()
		r.stdout.close()
		r.stderrWriter.Close()
	}()
	return nil
}

// running returns the process, nil before it was started, and whether it was killed by us.
func (r *pluginRunner) running() (child *process.Child, killed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.child, r.killed
}

// Kill kills the group and waits for the process's end, a few seconds at most.
func (r *pluginRunner) Kill(ctx context.Context) error {
	r.mu.Lock()
	child := r.child
	if child != nil {
		select {
		case <-child.Done():
		default:
			r.killed = true
		}
	}
	r.mu.Unlock()
	if child == nil {
		return nil
	}
	_, err := child.Stop(ctx, 0)
	return err
}

// Wait waits for the process's end. How it ended is told by the process itself, not here.
func (r *pluginRunner) Wait(ctx context.Context) error {
	child, _ := r.running()
	if child == nil {
		return nil
	}
	_, err := child.Wait(ctx)
	return err
}

// ID is the pid; empty before the start.
func (r *pluginRunner) ID() string {
	child, _ := r.running()
	if child == nil {
		return ""
	}
	return strconv.Itoa(child.Pid())
}

func (r *pluginRunner) Name() string                    { return r.spec.Name }
func (r *pluginRunner) Stdout() io.ReadCloser           { return r.stdoutReader }
func (r *pluginRunner) Stderr() io.ReadCloser           { return r.stderrReader }
func (r *pluginRunner) Diagnose(context.Context) string { return "" }

// PluginToHost is given the address of each of the plugin's listeners. One that everybody on this machine could reach is refused.
func (r *pluginRunner) PluginToHost(network, addr string) (string, string, error) {
	return network, addr, checkPrivate(r.spec.Name, network, addr, r.socketDir())
}

// HostToPlugin: both sides see the same sockets.
func (r *pluginRunner) HostToPlugin(network, addr string) (string, string, error) {
	return network, addr, nil
}

// socketDir is the folder that go-plugin has made for this process's sockets.
func (r *pluginRunner) socketDir() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, entry := range r.extra {
		if dir, ok := strings.CutPrefix(entry, goplugin.EnvUnixSocketDir+"="); ok {
			return dir
		}
	}
	return ""
}
