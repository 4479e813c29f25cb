package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/sdk"
)

// Registry holds the sessions of one connection and the place where those work that have not chosen their own. A session that has been
// idle for too long, or the one that was used least recently when there are too many, is closed: its variables are kept on disk, and its
// id's return revives them.
type Registry struct {
	services *Services
	saving   chan struct{} // bounds how many take their last snapshot at once: all together, none would be done in time

	mu       sync.Mutex // guards the fields below
	place    Place
	sessions map[string]*Session
	places   map[string]Place         // those that closed sessions had chosen, by id
	leaving  map[string]chan struct{} // by id: closed when a session that was dropped is gone
	sweeping *time.Timer              // runs while there are sessions
	closed   bool
	closing  sync.WaitGroup
}

// NewRegistry makes a registry whose sessions start at place.
func NewRegistry(services *Services, place Place) *Registry {
	return &Registry{services: services, saving: make(chan struct{}, runtime.NumCPU()), place: place, sessions: map[string]*Session{}, places: map[string]Place{}, leaving: map[string]chan struct{}{}}
}

// Create makes a session with a fresh id.
func (r *Registry) Create() *Session {
	return r.Get("s-" + strings.ToLower(rand.Text()[:8]))
}

// Get returns the session of that id, a new one if it is not known.
func (r *Registry) Get(id string) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.get(id)
}

func (r *Registry) get(id string) *Session {
	s, ok := r.sessions[id]
	if !ok {
		r.evict()
		s = newSession(id, r.services, r.Place, r.leaving[id], r.saving)
		if own, ok := r.places[id]; ok {
			delete(r.places, id)
			s.own = &own
		}
		r.sessions[id] = s
		r.sweepLater()
	}
	return s
}

// Execute runs a cell in the session of that id, see Session.Execute.
func (r *Registry) Execute(ctx context.Context, id, code string, progress Progress) (repl.Result, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return repl.Result{}, errClosed
	}
	s := r.get(id)
	s.enter(1) // under the lock, so that it is not evicted before it begins
	r.mu.Unlock()
	defer s.enter(-1)
	return s.Execute(ctx, code, progress)
}

var errClosed = sdk.Errorf(sdk.KindConnection, "serena is ending and runs no cell any more")

// Place is where sessions work that have not chosen their own place.
func (r *Registry) Place() Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.place
}

// Move changes that place.
func (r *Registry) Move(p Place) {
	r.mu.Lock()
	r.place = p
	r.mu.Unlock()
	r.services.placesChanged()
}

// Projects lists the projects that are in use: the connection's, and those where sessions work. What closed sessions had chosen is
// not.
func (r *Registry) Projects() []*project.Project {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*project.Project
	add := func(p *Place) {
		if p != nil && p.Project != nil && !slices.Contains(all, p.Project) {
			all = append(all, p.Project)
		}
	}
	add(&r.place)
	for _, s := range r.sessions {
		s.mu.Lock()
		add(s.own)
		add(s.pinned)
		s.mu.Unlock()
	}
	return all
}

// evict makes room for one more session: idle ones go first, then the least recently used. r.mu is held.
func (r *Registry) evict() {
	r.dropIdle()
	if len(r.sessions) < r.services.Limits.Sessions {
		return
	}
	if idle := r.idleFirst(); len(idle) > 0 {
		r.drop(idle[0].ID)
	}
}

// idleFirst lists the sessions without a call under way, the least recently used first. r.mu is held.
func (r *Registry) idleFirst() []*Session {
	var idle []*Session
	used := map[*Session]time.Time{}
	for _, s := range r.sessions {
		if at, busy := s.usage(); !busy {
			idle, used[s] = append(idle, s), at
		}
	}
	slices.SortFunc(idle, func(a, b *Session) int { return cmp.Or(used[a].Compare(used[b]), strings.Compare(a.ID, b.ID)) })
	return idle
}

// dropIdle closes the sessions that have been idle for too long. r.mu is held.
func (r *Registry) dropIdle() {
	for id, s := range r.sessions {
		if at, busy := s.usage(); !busy && time.Since(at) >= r.services.Limits.Idle {
			r.drop(id)
		}
	}
}

// sweepLater looks for idle sessions again when the first of them can have become too old. r.mu is held.
func (r *Registry) sweepLater() {
	if r.sweeping != nil || r.closed || len(r.sessions) == 0 {
		return
	}
	next := r.services.Limits.Idle
	for _, s := range r.sessions {
		if at, busy := s.usage(); !busy {
			next = min(next, r.services.Limits.Idle-time.Since(at))
		}
	}
	r.sweeping = time.AfterFunc(max(next, time.Second), func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sweeping = nil
		if !r.closed {
			r.dropIdle()
			r.sweepLater()
		}
	})
}

// maxPlaces bounds what is remembered of closed sessions.
const maxPlaces = 10_000

// closeLimit bounds the end of one session, its last snapshot included.
const closeLimit = time.Minute

// drop closes a session in the background. r.mu is held.
func (r *Registry) drop(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit) // detached: nobody waits for an evicted session
	r.close(ctx, r.sessions[id], cancel)
}

// close takes a session out and closes it on a goroutine of its own, which calls done at its end. r.mu is held.
func (r *Registry) close(ctx context.Context, s *Session, done func()) {
	delete(r.sessions, s.ID)
	if own := s.chosen(); own != nil && len(r.places) < maxPlaces {
		r.places[s.ID] = *own
	}
	gone := make(chan struct{})
	r.leaving[s.ID] = gone
	r.closing.Go(func() {
		defer done()
		s.close(ctx)
		r.services.placesChanged()
		r.mu.Lock()
		defer r.mu.Unlock()
		close(gone)
		if r.leaving[s.ID] == gone {
			delete(r.leaving, s.ID)
		}
	})
}

// Close ends all sessions, side by side, and waits until they are closed or ctx is done. No cell runs afterwards. What of the variables
// could not be kept within ctx's deadline is lost.
func (r *Registry) Close(ctx context.Context) {
	r.mu.Lock()
	r.closed = true
	if r.sweeping != nil {
		r.sweeping.Stop()
	}
	for _, s := range slices.Backward(r.idleFirst()) { // the most recent first: time may not suffice for all
		r.close(ctx, s, func() {})
	}
	for _, s := range r.sessions { // those that are busy
		r.close(ctx, s, func() {})
	}
	r.mu.Unlock()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		r.closing.Wait()
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}
