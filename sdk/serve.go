package sdk

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/internal/wire"
)

// LifelineVariable names the environment variable that holds the number of an inherited pipe: its end means that the
// host is gone and the plugin must end.
const LifelineVariable = "SERENA_LIFELINE_FD"

// How long a plugin may take to stop, and then the killing of what is left. Together they stay under the three seconds after
// which nothing of a killed host may be left.
const (
	callsLimit = 300 * time.Millisecond // for calls under way, if the host lives
	stopLimit  = 1500 * time.Millisecond
	sweepLimit = time.Second
	aloneLimit = 50 * time.Millisecond // for the signs that the host is gone
)

// Serve is a plugin's main: with the argument "manifest" it prints the declaration as JSON, started by a host it serves.
// It ends the process.
func Serve(p Plugin) {
	if len(os.Args) == 2 && os.Args[1] == "manifest" {
		if err := p.Validate(); err != nil {
			fmt.Fprintf(os.Stderr, "plugin %s is not valid:\n%v\n", p.Name, err)
			os.Exit(1)
		}
		fmt.Println(string(p.Manifest().JSON()))
		os.Exit(0)
	}
	ServeProcess(p)
}

// ServeProcess serves the plugin to the host that started this process and ends the process when the host says so, when
// the host is gone, or on SIGTERM. Children that the plugin leaves behind are killed.
func ServeProcess(p Plugin) {
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Debug, Output: os.Stderr, JSONFormat: true})
	if os.Getenv(wire.MagicCookieKey) != wire.MagicCookieValue {
		fmt.Fprintf(os.Stderr, "this is the serena plugin %q: serena starts it; \"manifest\" prints its declaration\n", p.Name)
		os.Exit(1)
	}
	if p.StartsPrograms {
		if err := process.BecomeSubreaper(); err != nil {
			logger.Warn("children of killed children cannot be inherited", "error", err)
		}
		go process.ReapOrphans(context.Background()) // for as long as the process lives
	}
	end := &ending{plugin: p, host: os.Getppid()}
	if fd := Lifeline(); fd != 0 {
		if _, err := process.WatchLifeline(fd, end.hostGone); err != nil {
			logger.Error("the host's end will not be noticed by its pipe", "error", err)
		}
	}
	// A host that was killed leaves a broken stderr: a line written there must not end the process before its children.
	// Not signal.Ignore, which programs started from here would inherit.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		<-signals
		end.now() // the kernel's word of the host's end, or somebody's wish that this process ends
	}()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  plugin.HandshakeConfig{MagicCookieKey: wire.MagicCookieKey, MagicCookieValue: wire.MagicCookieValue},
		VersionedPlugins: versions(&served{plugin: p, log: slog.New(&logHandler{to: logger}), end: end}),
		GRPCServer: func(opts []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(opts, grpc.MaxRecvMsgSize(wire.MaxMessageBytes), grpc.MaxSendMsgSize(wire.MaxMessageBytes), grpc.UnaryInterceptor(recovered(logger)),
				grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: wire.PingEvery / 2}))...)
		},
		Logger: logger,
	})
	end.now()
}

// versions offers the plugin in each version of the protocol; go-plugin takes the highest that the host knows, too.
func versions(p plugin.Plugin) map[int]plugin.PluginSet {
	sets := map[int]plugin.PluginSet{}
	for _, v := range ProtocolVersions() {
		sets[v] = plugin.PluginSet{wire.PluginName: p}
	}
	return sets
}

// ending ends the process once, whoever asks first.
type ending struct {
	plugin   Plugin
	once     sync.Once
	host     int          // its pid
	begun    atomic.Bool  // calls that come now are refused
	calls    atomic.Int64 // under way
	orphaned atomic.Bool  // the lifeline has ended
}

// hostGone ends the process, and all that the host has left: nobody else may be there to do it.
func (e *ending) hostGone() {
	e.orphaned.Store(true)
	e.now()
}

// alone reports whether the host is gone. The kernel's signal comes when the host's first thread ends, a moment before the
// end of the lifeline and of parenthood show it.
func (e *ending) alone(patience time.Duration) bool {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !e.orphaned.Load() && os.Getppid() == e.host {
		select {
		case <-tick.C:
		case <-limit.C:
			return false
		}
	}
	return true
}

func (e *ending) now() {
	e.begun.Store(true)
	e.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
		defer cancel()
		if !e.alone(0) {
			e.finishCalls()
		}
		if e.plugin.Stop != nil {
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				e.plugin.Stop(ctx)
			}()
			select {
			case <-stopped:
			case <-ctx.Done():
			}
		}
		sweep, cancelSweep := context.WithTimeout(context.Background(), sweepLimit)
		defer cancelSweep()
		_ = process.KillDescendants(sweep) // what resists has lost everybody who could be told
		if e.alone(aloneLimit) {
			_ = process.KillCarrying(sweep, process.MarkEntry(), wire.MagicCookieKey)
		}
		os.Exit(0)
	})
	select {} // another goroutine is ending the process
}

// served adapts a Plugin to go-plugin.
type served struct {
	plugin.NetRPCUnsupportedPlugin
	plugin Plugin
	log    *slog.Logger
	end    *ending
}

func (s *served) GRPCServer(broker *plugin.GRPCBroker, srv *grpc.Server) error {
	wire.RegisterPluginServer(srv, newServer(s.plugin, s.log, broker, s.end))
	return nil
}

func (s *served) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("a plugin is no host")
}

var _ plugin.GRPCPlugin = (*served)(nil)

// finishCalls lets calls that are nearly done give their answers.
func (e *ending) finishCalls() {
	limit := time.NewTimer(callsLimit)
	defer limit.Stop()
	tick := time.NewTicker(callsLimit / 100)
	defer tick.Stop()
	for e.calls.Load() > 0 {
		select {
		case <-tick.C:
		case <-limit.C:
			return
		}
	}
}

// recovered turns a panic of Open, Close, Stop or Render into that call's error: it must not end the calls of others.
func recovered(log hclog.Logger) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (reply any, err error) {
		defer func() {
			if r := recover(); r != nil {
				log.Error("panic", "in", info.FullMethod, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
				err = status.Errorf(codes.Internal, "%s failed by a fault of the plugin's own (%v): the log has the details", info.FullMethod, r)
			}
		}()
		return handle(ctx, req)
	}
}
