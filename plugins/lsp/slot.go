package lsp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

// A server that ends maxEnds times within endsWindow is not started again before the window has passed.
const (
	maxEnds    = 5
	endsWindow = time.Minute
)

// stopLimit bounds the end of a server that is replaced.
const stopLimit = 5 * time.Second

// slot is the place of one server of one project: at any time at most one life of it.
type slot struct {
	workspace *workspace
	desc      servers.Description
	installer *servers.Installer
	stopping  chan struct{} // closed by stop

	mu      sync.Mutex // guards the fields below
	stopped error      // why there is no further start; nil: there may be one
	current *start
	ends    []time.Time // starts that failed and sessions that ended
}

// start is one start of the server, shared by all who wait for it. session and err may be read when done is closed.
type start struct {
	done    chan struct{}
	session *session
	err     error
	counted bool // its end is in slot.ends
}

func newSlot(w *workspace, d servers.Description, in *servers.Installer) *slot {
	return &slot{workspace: w, desc: d, installer: in, stopping: make(chan struct{})}
}

// get returns the running session, which it starts if there is none. ctx bounds the wait only: a start goes on for others.
func (s *slot) get(ctx context.Context, call *sdk.Call) (*session, error) {
	st, err := s.start(ctx, call)
	if err != nil {
		return nil, err
	}
	select {
	case <-st.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if st.err != nil {
		if why := s.closed(); why != nil { // what the start says of its end is not the cause
			return nil, why
		}
	}
	return st.session, st.err
}

// closed tells why there is no further start; nil when there may be one.
func (s *slot) closed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

func (s *slot) start(ctx context.Context, call *sdk.Call) (*start, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped != nil {
		return nil, s.stopped
	}
	if s.current != nil && !s.current.over() {
		return s.current, nil
	}
	if err := s.mayStart(); err != nil {
		return nil, err
	}
	st := &start{done: make(chan struct{})}
	s.current = st
	// The server outlives the call that happens to be the first to need it.
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		select {
		case <-s.stopping:
			cancel()
		case <-st.done:
		}
	}()
	go func() {
		defer cancel()
		st.session, st.err = s.launch(background, call)
		close(st.done)
	}()
	return st, nil
}

// over reports whether the start failed or its session has ended.
func (st *start) over() bool {
	select {
	case <-st.done:
	default:
		return false
	}
	return st.err != nil || st.session.ended()
}

// mayStart counts the end of the present start and refuses a new one when there were too many. s.mu is held.
func (s *slot) mayStart() error {
	now := time.Now()
	if st := s.current; st != nil && !st.counted && (st.session != nil || isGone(st.err)) {
		st.counted = true
		s.ends = append(s.ends, now)
	}
	for len(s.ends) > 0 && now.Sub(s.ends[0]) > endsWindow {
		s.ends = s.ends[1:]
	}
	if len(s.ends) < maxEnds {
		return nil
	}
	last := s.current.err
	if last == nil {
		last = s.current.session.client.Death()
	}
	wait := endsWindow - now.Sub(s.ends[0])
	return fmt.Errorf("%s ended %d times within a minute and is not started for another %d s: %w", s.desc.Server, len(s.ends), int(wait.Seconds())+1, last)
}

func (s *slot) launch(ctx context.Context, call *sdk.Call) (*session, error) {
	w := s.workspace
	began := time.Now()
	seen, err := call.Changes(ctx, 0) // before the server reads anything: what comes later is told to it
	if err != nil {
		return nil, err
	}
	command, err := s.desc.Find(ctx, s.installer, w.serverSettings(s.desc))
	if err != nil {
		return nil, err
	}
	c, err := client.Start(ctx, client.Config{
		Name: s.desc.Server, Command: append([]string{command.Path}, command.Args...), Env: command.Env, Options: command.Options,
		Root: w.project.Root, RequestTimeout: w.requestTimeout(), Lifeline: s.installer.Lifeline(),
		ReadyTitle: s.desc.ReadyTitle, ReadyMessage: s.desc.ReadyMessage, Log: call.Log(),
	})
	if err != nil {
		return nil, err
	}
	call.Log().Info("the language server runs", "server", s.desc.Server, "pid", c.Pid(), "project", w.project.Name, "seconds", time.Since(began).Seconds())
	return newSession(w, s.desc, s.installer, c, seen.Last, began), nil
}

// discard ends a session whose picture of the project cannot be brought up to date.
func (s *slot) discard(ctx context.Context, old *session) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	old.client.Stop(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.current.over() && s.current.session == old {
		s.current.counted = true // no fault of the server's
	}
}

// stop ends the server, also one that is being started. why is told to the calls that still want it.
func (s *slot) stop(ctx context.Context, why error) {
	s.mu.Lock()
	if s.stopped == nil {
		s.stopped = why
		close(s.stopping)
	}
	st := s.current
	s.mu.Unlock()
	if st == nil {
		return
	}
	select {
	case <-st.done:
	case <-ctx.Done():
		return
	}
	if st.session != nil {
		st.session.client.Stop(ctx)
	}
}
