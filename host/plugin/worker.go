package plugin

import (
	"context"
	"sync"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
	"github.com/serena-go/serena/sdk/hostside"
)

// Bounds of what has no caller to bound it.
const (
	killLimit  = 5 * time.Second // ending and clearing up one process
	politeness = 2 * time.Second // for a plugin to release what it holds
)

// worker is one running process of a plugin. launch makes it, own ends it.
type worker struct {
	spec   Spec
	client *goplugin.Client
	runner *pluginRunner
	child  *process.Child
	conn   *grpc.ClientConn
	rpc    wire.PluginClient
	host   *grpc.Server // serves this process's calls to the host
	log    *pluginLog

	mu       sync.Mutex         // guards the fields below
	opened   map[string]*opened // by the project's id
	stopping bool               // it was asked to end

	left    chan struct{} // closed when the process has ended and the instance knows it
	cleared chan struct{} // closed when nothing of it is left
}

// attach serves the host to the process and makes the first call, which names the connection to it.
func (w *worker) attach(ctx context.Context, c hostside.Connection, o *Options) error {
	go c.Serve(w.host) // ends with host.Stop
	reply, err := w.rpc.Attach(ctx, &wire.AttachRequest{HostServiceId: c.HostID, SerenaHome: o.Home, ManifestDigest: w.spec.Manifest.Digest()})
	if err != nil {
		return translate(ctx, err, "plugin "+w.spec.Name+": attaching", w)
	}
	manifest, err := sdk.ParseManifest(reply.Manifest)
	if err != nil {
		return sdk.Errorf(sdk.KindRuntime, "plugin %s: %w", w.spec.Name, err)
	}
	if manifest.Digest() != w.spec.Manifest.Digest() {
		err := sdk.Errorf(sdk.KindRuntime, "plugin %s was changed since its declaration was read: restart serena to use it as it is now", w.spec.Name)
		if w.spec.Path == "" {
			return err
		}
		if forgotten := forget(o.Home, w.spec.Path); forgotten != nil { // a restart would read the same again
			return sdk.Errorf(sdk.KindRuntime, "%w; what is remembered of it cannot be removed: %w", err, forgotten)
		}
		return err
	}
	return nil
}

// own waits for the process's end, tells it by onEnd, and clears up. It runs once.
func (w *worker) own(onEnd func(how string, asked bool)) {
	<-w.child.Done()
	state, _ := w.child.Wait(context.Background()) // it has ended: this does not wait
	w.mu.Lock()
	asked := w.stopping
	w.mu.Unlock()
	onEnd(ending(state, w.log.lastLines()), asked)
	close(w.left)

	ctx, cancel := context.WithTimeout(context.Background(), killLimit) // clearing up is nobody's request
	defer cancel()
	w.host.Stop()
	killClient(ctx, w.client)
	if !asked || state.Code != 0 {
		sweep(ctx, w.runner.owner)
	}
	close(w.cleared)
}

// sweep ends what a plugin that was killed or crashed had started; owner is the entry in their environment.
func sweep(ctx context.Context, owner string) {
	_ = process.KillCarrying(ctx, owner, "") // what cannot be killed stays, and nobody here can help it
}

// stop ends the process: politely at first, by SIGKILL of its group when it takes too long or ctx ends. It returns when nothing of it is
// left, or a few seconds after ctx's end.
func (w *worker) stop(ctx context.Context) {
	w.mu.Lock()
	w.stopping = true
	w.mu.Unlock()
	polite, cancel := context.WithTimeout(ctx, politeness)
	defer cancel()
	if _, err := w.rpc.Stop(polite, &wire.StopRequest{}); err == nil { // one that does not answer is killed
		killClient(ctx, w.client)
	}
	w.kill()
	select {
	case <-w.cleared:
	case <-time.After(killLimit):
	}
}

// kill kills the process's group and waits for its end, a few seconds at most.
func (w *worker) kill() {
	ctx, cancel := context.WithTimeout(context.Background(), killLimit)
	defer cancel()
	_ = w.runner.Kill(ctx) // an error means that it hangs in the kernel
}

var _ peer = (*worker)(nil)

func (w *worker) awaitEnd(limit time.Duration) (string, bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.child.Done():
	case <-timer.C:
		select {
		case <-w.child.Done():
		default:
			return "", false
		}
	}
	state, _ := w.child.Wait(context.Background()) // it has ended: this does not wait
	return ending(state, w.log.lastLines()), true
}

func (w *worker) connected() bool { return w.conn.GetState() == connectivity.Ready }
func (w *worker) abandon()        { w.kill() }

// alive reports whether the process can be given a call. It sees an end before the owner does.
func (w *worker) alive() bool {
	select {
	case <-w.child.Done():
		return false
	default:
		return process.Alive(w.child.Pid())
	}
}
