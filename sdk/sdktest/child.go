package sdktest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/hostside"
)

// startLimit is the longest time until a plugin is ready for calls.
const startLimit = 20 * time.Second

// child is the plugin in a process of its own, with this test as its host.
type child struct {
	*childRunner
	client *goplugin.Client
	rpc    wire.PluginClient
	host   *grpc.Server
	folder string // of the sockets
	printed
}

// printed is what came on stdout beyond the handshake: before the plugin serves it is the process's own, then go-plugin's.
type printed struct{ raw, synced *output }

// startChild starts the test binary for this test alone, as the plugin, and attaches to it.
func (s *suite) startChild(host sdk.HostServices) (*child, error) {
	folder, err := os.MkdirTemp("", "plugin") // not the test's, whose name may be too long for a socket's
	if err != nil {
		return nil, err
	}
	r := newChildRunner(s.t.Name(), s.options.Environment)
	synced := &output{}
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  hostside.Handshake(),
		VersionedPlugins: hostside.Plugins(),
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			r.extra = cmd.Env
			return r, nil
		},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		SkipHostEnv:      true,
		StartTimeout:     startLimit,
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       synced,
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: folder},
		GRPCDialOptions:  []grpc.DialOption{hostside.MessageBounds()},
	})
	c := &child{childRunner: r, client: client, host: hostside.NewServer(host), folder: folder, printed: printed{r.out, synced}}
	connection, err := hostside.Dial(client)
	if err != nil {
		c.discard()
		return nil, fmt.Errorf("the process did not become a plugin: %w; it printed %q and said:\n%s", err, r.out.String(), r.err.String())
	}
	c.rpc = wire.NewPluginClient(connection.Conn)
	go connection.Serve(c.host) // ends with host.Stop
	ctx, cancel := context.WithTimeout(s.t.Context(), startLimit)
	defer cancel()
	reply, err := c.rpc.Attach(ctx, &wire.AttachRequest{HostServiceId: connection.HostID, SerenaHome: s.t.TempDir(), ManifestDigest: s.manifest.Digest()})
	if err != nil {
		c.discard()
		return nil, fmt.Errorf("attaching: %w", err)
	}
	declared, err := sdk.ParseManifest(reply.Manifest)
	if err == nil && declared.Digest() != s.manifest.Digest() {
		err = fmt.Errorf("the process declares something else than this one: a declaration must not depend on the process")
	}
	if err != nil {
		c.discard()
		return nil, err
	}
	return c, nil
}

// open announces a project.
func (c *child) open(ctx context.Context, p *sdk.Project) error {
	reply, err := c.rpc.Open(ctx, &wire.OpenRequest{Project: &wire.Project{Id: p.ID, Root: p.Root, Name: p.Name, DataFolder: p.DataFolder,
		Encoding: p.Encoding, Settings: p.Settings, PluginSettings: p.OwnSettings}})
	if err == nil && reply.Failure != nil {
		err = fmt.Errorf("%s: %s", reply.Failure.Kind, reply.Failure.Message)
	}
	return err
}

// call makes one call and waits for its outcome. args is a JSON object.
func (c *child) call(ctx context.Context, projectID, facade, method string, args []byte) (*wire.Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := c.rpc.Call(ctx, &wire.CallRequest{ProjectId: projectID, Facade: facade, Method: method, Arguments: args, Render: true, CallerToken: "token"})
	if err != nil {
		return nil, err
	}
	for {
		event, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		if o := event.GetOutcome(); o != nil {
			return o, nil
		}
	}
}

// stop asks the process politely to end, as a host does.
func (c *child) stop(ctx context.Context) error {
	_, err := c.rpc.Stop(ctx, &wire.StopRequest{})
	c.client.Kill()
	return err
}

// discard ends it with all that it has started.
func (c *child) discard() {
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	_ = c.Kill(ctx)
	c.client.Kill()
	c.host.Stop()
	_ = process.KillCarrying(ctx, c.owner, "")
	_ = os.RemoveAll(c.folder)
}

// childRunner starts the process for go-plugin and keeps all that it prints.
type childRunner struct {
	command []string
	env     []string
	owner   string   // the entry in the environment of the process and all that it starts
	extra   []string // what go-plugin adds to it
	out     *output
	err     *output

	stdout, stderr             *io.PipeReader
	stdoutWriter, stderrWriter *io.PipeWriter
	process                    *process.Child
}

var _ runner.Runner = (*childRunner)(nil)

func newChildRunner(test string, env []string) *childRunner {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	r := &childRunner{command: []string{os.Args[0], "-test.run=" + strings.Join(parts, "/"), "-test.count=1"},
		env: append(os.Environ(), env...), owner: process.NewOwnerEntry(), out: &output{}, err: &output{}}
	r.env = append(r.env, serving+"="+test, r.owner)
	r.stdout, r.stdoutWriter = io.Pipe()
	r.stderr, r.stderrWriter = io.Pipe() // carries nothing: its end says that the process has ended
	return r
}

func (r *childRunner) Start(context.Context) error {
	cmd := exec.Command(r.command[0], r.command[1:]...)
	cmd.Env = append(r.env, r.extra...)
	cmd.Stdout, cmd.Stderr = io.MultiWriter(r.out, r.stdoutWriter), r.err
	child, err := process.Start(cmd, process.Options{Lifeline: sdk.LifelineVariable, ParentDeath: syscall.SIGTERM})
	if err != nil {
		return err
	}
	r.process = child
	go func() { // ends with the process
		<-child.Done()
		r.stdoutWriter.Close()
		r.stderrWriter.Close()
	}()
	return nil
}

func (r *childRunner) Kill(ctx context.Context) error {
	if r.process == nil {
		return nil
	}
	_, err := r.process.Stop(ctx, 0)
	return err
}

func (r *childRunner) Wait(ctx context.Context) error {
	_, err := r.process.Wait(ctx)
	return err
}

func (r *childRunner) ID() string                      { return strconv.Itoa(r.process.Pid()) }
func (r *childRunner) Name() string                    { return r.command[0] }
func (r *childRunner) Stdout() io.ReadCloser           { return r.stdout }
func (r *childRunner) Stderr() io.ReadCloser           { return r.stderr }
func (r *childRunner) Diagnose(context.Context) string { return "" }

func (r *childRunner) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

func (r *childRunner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// output keeps what is written.
type output struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.String()
}

// onStdout is what was printed where nothing may be: the handshake's line is not counted.
func (p printed) onStdout() string {
	_, rest, _ := strings.Cut(p.raw.String(), "\n")
	return rest + p.synced.String()
}
