package plugin

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/hostside"
)

// launch starts a plugin's process and returns it ready for calls, or kills what it started. ctx bounds the start, not the
// process's life.
func launch(ctx context.Context, spec Spec, o *Options, sockets string) (*worker, error) {
	log := newPluginLog(o.Log.Named(spec.Name), time.Now)
	r := newRunner(spec, o.Home, log)
	client := goplugin.NewClient(clientConfig(r, sockets, o.StartTimeout))
	c, err := connect(ctx, client)
	if err != nil {
		discard(client, r)
		return nil, startError(ctx, spec, r, log, o.StartTimeout, err)
	}
	child, _ := r.running()
	w := &worker{spec: spec, client: client, runner: r, child: child, conn: c.Conn, rpc: wire.NewPluginClient(c.Conn), host: hostside.NewServer(o.Host), log: log,
		opened: map[string]*opened{}, left: make(chan struct{}), cleared: make(chan struct{})}
	if err := w.attach(ctx, c, o); err != nil {
		w.host.Stop()
		discard(client, r)
		return nil, startError(ctx, spec, r, log, o.StartTimeout, err)
	}
	return w, nil
}

func clientConfig(r *pluginRunner, sockets string, limit time.Duration) *goplugin.ClientConfig {
	return &goplugin.ClientConfig{
		HandshakeConfig:  hostside.Handshake(),
		VersionedPlugins: hostside.Plugins(),
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.extra = cmd.Env
			return r, nil
		},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		SkipHostEnv:      true,
		StartTimeout:     2 * limit, // the start's context ends it first
		Logger:           hclog.NewNullLogger(),
		// What the plugin prints once it serves; without a place for it, it would be dropped.
		SyncStdout:       r.log.stream(),
		SyncStderr:       r.log.stream(),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: sockets},
		GRPCDialOptions: []grpc.DialOption{
			hostside.MessageBounds(),
			// A process that stands still answers no ping: its connection is lost then, and it is killed. One that works does.
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: wire.PingEvery, Timeout: wire.PingLimit}),
		},
	}
}

// connect waits for the handshake and opens the way back to the host. go-plugin takes no context: the process's end is what makes it
// return, so the caller kills the process after an error.
func connect(ctx context.Context, client *goplugin.Client) (hostside.Connection, error) {
	type result struct {
		c   hostside.Connection
		err error
	}
	results := make(chan result)
	go func() { // ends with the handshake or the process
		var res result
		res.c, res.err = hostside.Dial(client)
		select {
		case results <- res:
		case <-ctx.Done():
			if res.err == nil {
				res.c.Close()
			}
		}
	}()
	select {
	case res := <-results:
		return res.c, res.err
	case <-ctx.Done():
		return hostside.Connection{}, ctx.Err()
	}
}

// discard ends a process that did not become ready, with whatever it had started.
func discard(client *goplugin.Client, r *pluginRunner) {
	ctx, cancel := context.WithTimeout(context.Background(), killLimit) // clearing up is nobody's request
	defer cancel()
	_ = r.Kill(ctx) // an error means that it cannot be killed: nothing more can be done
	killClient(ctx, client)
	sweep(ctx, r.owner)
}

// killClient runs go-plugin's Kill, which closes the connection and removes the sockets, but waits for it until ctx ends at most.
func killClient(ctx context.Context, client *goplugin.Client) {
	done := make(chan struct{})
	go func() { // ends with the process
		defer close(done)
		client.Kill()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// startError words why a start failed: what was tried, what came, what to do.
func startError(ctx context.Context, spec Spec, r *pluginRunner, log *pluginLog, limit time.Duration, err error) error {
	program := strings.Join(spec.Command, " ")
	child, killed := r.running()
	var own *sdk.Error
	switch {
	case errors.As(err, &own):
		return err
	case child == nil:
		return sdk.Errorf(sdk.KindRuntime, "plugin %s cannot be started as %s: %w; check that the program exists and may be run", spec.Name, program, err)
	case errors.Is(context.Cause(ctx), ErrStopped):
		return ErrStopped
	}
	said := ""
	if lines := log.lastLines(); lines != "" {
		said = "; it said:\n" + lines
	}
	first := r.stdout.text()
	switch {
	case first != "" && !strings.HasPrefix(first, fmt.Sprintf("%d|", goplugin.CoreProtocolVersion)):
		return sdk.Errorf(sdk.KindRuntime, "plugin %s did not answer as a plugin: %s printed %q first, where the handshake belongs; a plugin prints nothing to stdout before it serves%s", spec.Name, program, shorten(first, 200), said)
	case otherProtocol(first) != "":
		return sdk.Errorf(sdk.KindRuntime, "plugin %s answered in version %s of the protocol, and this serena speaks %v: build the plugin with sdk %s (go get github.com/serena-go/serena@latest)%s",
			spec.Name, otherProtocol(first), wire.ProtocolVersions, sdk.Version, said)
	case !killed:
		state, _ := child.Wait(ctx)
		return sdk.Errorf(sdk.KindRuntime, "plugin %s ended before it was ready: %s, %s; run \"%s manifest\" to see whether the program is a plugin%s", spec.Name, program, state, spec.Command[0], said)
	case errors.Is(err, context.DeadlineExceeded):
		return sdk.Errorf(sdk.KindTimeout, "plugin %s was not ready within %s and was killed: %s; is the program a plugin, and does it serve without waiting for anything?%s", spec.Name, limit, program, said)
	}
	return sdk.Errorf(sdk.KindRuntime, "plugin %s cannot be used: %w%s", spec.Name, err, said)
}

// otherProtocol is the version in a handshake, if the host does not speak it.
func otherProtocol(handshake string) string {
	fields := strings.Split(handshake, "|")
	if len(fields) < 2 {
		return ""
	}
	version, err := strconv.Atoi(fields[1])
	if err == nil && slices.Contains(wire.ProtocolVersions[:], version) {
		return ""
	}
	return fields[1]
}
