// Package host is the composition root: it wires the configuration, the projects, the plugins, the one road of calls and
// the sessions to each other, and reads top to bottom what is wired to what. It knows no plugin by name.
package host

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/host/session"
	"github.com/serena-go/serena/host/session/snapshots"
	"github.com/serena-go/serena/sdk"
)

// snapshotAfter is how long a session must have been idle until its variables are kept.
const snapshotAfter = 5 * time.Second

// Builtin is a plugin that is linked in: its manifest is known without starting it.
type Builtin struct {
	Plugin sdk.Plugin
	OwnEnv bool // it starts the user's programs, so it gets the user's environment
}

// Options of a Host.
type Options struct {
	Config   *config.Config
	Builtins []Builtin
	Self     string // this executable; a built-in plugin runs as `Self plugin serve NAME`
	Project  string // path or name of the project to start with; empty: none
	Log      hclog.Logger
	Notes    []string // faults of the start that users shall be told
	// Passing says that nobody is told the ids of the sessions, so that nothing of them is kept on disk.
	Passing bool
	// InterfaceChosen says that the command line chose the agent interface, so that the project of the start does not.
	InterfaceChosen bool
}

// Host owns everything that the plugins must not: sessions, the Python runtimes, what is allowed, the projects and every
// write to their files.
type Host struct {
	Config     *config.Config
	Projects   *project.Registry
	Plugins    *plugin.Manager
	Dispatcher *api.Dispatcher
	Sessions   *session.Registry
	log        hclog.Logger
	python     interpreters
	spare      spare
	snapshots  *snapshots.Store // nil: sessions end with the process
	offers     *offers
	classic    bool // the agent interface
	guarding   sync.Once
	linger     time.Duration
	releasing  atomic.Bool    // projects that nobody uses are about to be released
	awake      atomic.Bool    // Probe was called: the first answer is given
	work       sync.WaitGroup // what runs in the background
	stopWork   context.CancelFunc
	background context.Context // of that work; ends with Close
}

// guardLimit bounds the start of a plugin that nobody waits for.
const guardLimit = 20 * time.Second

// New wires a host. No process is started, and a project or plugin that is at fault is told about, not fatal.
func New(ctx context.Context, o Options) *Host {
	h := &Host{Config: o.Config, log: o.Log, linger: linger}
	h.background, h.stopWork = context.WithCancel(context.WithoutCancel(ctx))
	h.Projects = project.NewRegistry(o.Config)
	h.Dispatcher = api.NewDispatcher(o.Config.MaxAnswerChars, o.Log.Named("call"))
	h.Plugins = plugin.New(plugin.Options{Home: o.Config.Home, Log: o.Log, IdleAfter: o.Config.PluginIdle, Host: api.Services{Dispatcher: h.Dispatcher, Projects: h.Projects}})
	h.python = interpreters{home: o.Config.Home, starts: make(chan struct{}, runtime.NumCPU()+1), found: map[string]repl.Interpreter{}}
	h.spare = spare{start: h.launchRuntime, log: o.Log.Named("spare")}
	if o.Config.SessionKeep > 0 && !o.Passing {
		h.snapshots = snapshots.New(o.Config.Home, o.Config.SessionKeep)
	}
	h.offers = newOffers(o, h.Plugins)
	h.Sessions = session.NewRegistry(&session.Services{
		Dispatcher: h.Dispatcher, Scope: h.offers.scope, StartRuntime: h.startRuntime, CellTimeout: h.cellTimeout,
		Limits:        session.Limits{Sessions: o.Config.MaxSessions, Idle: o.Config.SessionIdle, SnapshotAfter: snapshotAfter},
		PlacesChanged: h.releaseUnused,
		Snapshots:     h.snapshots, Log: o.Log.Named("session"),
	}, h.Open(ctx, o.Project))
	agentInterface := o.Config.AgentInterface
	if p := h.Sessions.Place().Project; p != nil {
		h.offers.single = o.Config.Context.SingleProject
		if !o.InterfaceChosen {
			agentInterface = p.AgentInterface
		}
	}
	h.classic = agentInterface == config.InterfaceTools
	h.report()
	return h
}

// Classic tells whether agents are given one tool a method, rather than cells. It is fixed at the start.
func (h *Host) Classic() bool { return h.classic }

// Open finds a project; the fault of one that cannot be opened answers every call.
func (h *Host) Open(ctx context.Context, pathOrName string) session.Place {
	if pathOrName == "" {
		return session.Place{}
	}
	p, err := h.Projects.Open(ctx, pathOrName)
	if err == nil && h.awake.Load() {
		h.offers.probe(ctx, p) // what it adds is known when it is opened; at the start Probe does it, nobody shall wait for it then
	}
	return session.Place{Project: p, Fault: err}
}

// Close ends the sessions, which have two thirds of the time that ctx leaves, then the plugins.
func (h *Host) Close(ctx context.Context) {
	sessions := ctx
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		sessions, cancel = context.WithTimeout(ctx, time.Until(deadline)*2/3)
		defer cancel()
	}
	var ending sync.WaitGroup
	ending.Go(func() { h.spare.close(sessions) })
	h.Sessions.Close(sessions)
	ending.Wait()
	h.stopWork()
	h.work.Wait()
	h.python.close()
	h.Plugins.Stop(ctx)
	h.Projects.Close()
}

func (h *Host) cellTimeout(p *project.Project) time.Duration {
	if p != nil {
		return p.CellTimeout
	}
	return h.Config.CellTimeout
}
