package plugin

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

// Options of a Manager. Home and Host are required.
type Options struct {
	Home         string           // the Serena home, absolute; plugins are told of it
	Host         sdk.HostServices // what plugins may ask of the host
	Log          hclog.Logger     // nil: nothing is logged. A plugin's own lines go to a sub-logger of its name
	StartTimeout time.Duration    // from the start to the end of the handshake; 0: 10 s
	// IdleAfter is how long a process may be without a call until it is stopped; 0: for ever. Plugins that declare themselves long-lived
	// are not stopped.
	IdleAfter time.Duration
}

// stopLimit bounds Stop as a whole.
const stopLimit = 5 * time.Second

// Manager owns all plugin processes. All methods may be called from any goroutine.
type Manager struct {
	options Options

	mu        sync.Mutex // guards the fields below
	instances []*instance
	sockets   *socketFolder // made with the first start
	stopped   bool

	bulletin atomic.Pointer[bulletin] // likewise
}

// New returns a Manager that has started nothing. Stop ends it.
func New(o Options) *Manager {
	if o.Log == nil {
		o.Log = hclog.NewNullLogger()
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 10 * time.Second
	}
	return &Manager{options: o}
}

// Provider returns the road to a plugin's methods, and makes the plugin known; it starts nothing. A spec whose name and command are known
// already replaces the older one from the next process on. Two programs may have one name, since projects add their own.
func (m *Manager) Provider(spec Spec) api.Provider {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range m.instances {
		i.mu.Lock()
		same := i.spec.Name == spec.Name && slices.Equal(i.spec.Command, spec.Command)
		if same {
			i.spec = spec
		}
		i.mu.Unlock()
		if same {
			return &provider{instance: i, name: spec.Name}
		}
	}
	i := &instance{options: &m.options, sockets: m.socketPath, changed: m.tell, now: time.Now, spec: spec, state: Idle}
	if m.stopped {
		i.state = Stopped
	}
	m.instances = append(m.instances, i)
	return &provider{instance: i, name: spec.Name}
}

// Start starts a plugin that Provider made known, unless it runs, and opens the projects for it: the first call will find it
// warm.
func (m *Manager) Start(ctx context.Context, name string, projects ...*project.Project) error {
	i, err := m.find(name)
	if err != nil {
		return err
	}
	i.enter()
	defer i.leave()
	if len(projects) == 0 {
		projects = []*project.Project{nil}
	}
	for _, p := range projects {
		_, leave, err := i.ready(ctx, p)
		if err != nil {
			return err
		}
		leave()
	}
	return nil
}

// Projects lists the ids of the projects that running plugins know, each once.
func (m *Manager) Projects() []string {
	var ids []string
	for _, i := range m.all() {
		i.mu.Lock()
		w := i.worker
		i.mu.Unlock()
		if w != nil {
			ids = append(ids, w.projects()...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// CloseProject tells every running plugin that knows the project that no session uses it any more: at once, or when its calls
// under way are over. The next call opens it again.
func (m *Manager) CloseProject(ctx context.Context, id string) {
	var all sync.WaitGroup
	for _, i := range m.all() {
		i.mu.Lock()
		w := i.worker
		i.mu.Unlock()
		if w == nil {
			continue
		}
		all.Go(func() {
			if err := w.close(ctx, id); err != nil {
				m.options.Log.Warn("project not closed", "plugin", w.spec.Name, "error", err)
			}
		})
	}
	all.Wait()
}

// Status is what is known of one plugin.
type Status struct {
	Name      string `json:"name"`
	Path      string `json:"path,omitempty"` // of a third party's executable
	State     State  `json:"state"`
	Pid       int    `json:"pid,omitempty"`        // of its process; 0 when none runs
	Starts    int    `json:"starts,omitempty"`     // processes started so far, failed starts included
	LastEnd   string `json:"last_end,omitempty"`   // how the last process ended, or why it did not start; empty when none did
	LastFault string `json:"last_fault,omitempty"` // why a project could not be opened last; empty when all could
}

// Status tells of every plugin that Provider made known, in that order.
func (m *Manager) Status() []Status {
	var all []Status
	for _, i := range m.all() {
		all = append(all, i.status())
	}
	return all
}

// Stop ends all plugins at once, the last one first, and removes what they left. It takes five seconds at most, and less when ctx ends:
// what has not ended by then is killed. Calls afterwards are ErrStopped.
func (m *Manager) Stop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	m.mu.Lock()
	m.stopped = true
	m.mu.Unlock()
	var all sync.WaitGroup
	for _, i := range slices.Backward(m.all()) {
		all.Go(func() { i.end(ctx) })
	}
	all.Wait()
	if b := m.bulletin.Load(); b != nil {
		b.close()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sockets == nil {
		return
	}
	if err := m.sockets.remove(); err != nil {
		m.options.Log.Warn("the folder of the plugins' sockets is left", "error", err)
	}
	m.sockets = nil
}

func (m *Manager) all() []*instance {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.instances)
}

func (m *Manager) find(name string) (*instance, error) {
	var names []string
	for _, i := range m.all() {
		if i.status().Name == name {
			return i, nil
		}
		names = append(names, i.status().Name)
	}
	hint := ""
	if best, ok := nearest.Best(name, names); ok {
		hint = "; did you mean " + best + "?"
	}
	return nil, sdk.Errorf(sdk.KindLookup, "no plugin is named %q%s (there are: %s)", name, hint, strings.Join(names, ", "))
}

// socketPath returns the folder for sockets, which it makes the first time.
func (m *Manager) socketPath() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return "", ErrStopped
	}
	if m.sockets == nil {
		folder, err := newSocketFolder()
		if err != nil {
			return "", err
		}
		m.sockets = folder
		m.bulletin.Store(newBulletin(m.options.Home, m.Status, m.options.Log))
	}
	return m.sockets.path, nil
}

// tell has the present status published.
func (m *Manager) tell() {
	if b := m.bulletin.Load(); b != nil {
		b.tell()
	}
}
