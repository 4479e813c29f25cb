package session

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"
)

// Limits of a registry. A session beyond them is closed: its variables are gone, its id may be used again.
const (
	MaxSessions = 100
	MaxIdle     = time.Hour
)

// Registry holds the sessions of one connection and the place where those work that have not chosen their own.
type Registry struct {
	services *Services
	now      func() time.Time

	mu       sync.Mutex // guards the fields below
	place    Place
	sessions map[string]*Session
	closing  sync.WaitGroup
}

// NewRegistry makes a registry whose sessions start at place.
func NewRegistry(services *Services, place Place) *Registry {
	return &Registry{services: services, now: time.Now, place: place, sessions: map[string]*Session{}}
}

// Create makes a session with a fresh id.
func (r *Registry) Create() *Session {
	return r.Get("s-" + strings.ToLower(rand.Text()[:8]))
}

// Get returns the session of that id, a new one if it is not known.
func (r *Registry) Get(id string) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sessions[id]
	if !ok {
		r.evict()
		s = newSession(id, r.services, r.Place)
		r.sessions[id] = s
	}
	return s
}

// Place is where sessions work that have not chosen their own place.
func (r *Registry) Place() Place {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.place
}

// Move changes that place.
func (r *Registry) Move(p Place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.place = p
}

// evict makes room for one more session: idle ones go first, then the least recently used. r.mu is held.
func (r *Registry) evict() {
	var oldest *Session
	var oldestUsed time.Time
	for id, s := range r.sessions {
		s.mu.Lock()
		used, busy := s.used, s.busy > 0
		s.mu.Unlock()
		if busy {
			continue
		}
		if r.now().Sub(used) > MaxIdle {
			r.drop(id)
		} else if oldest == nil || used.Before(oldestUsed) {
			oldest, oldestUsed = s, used
		}
	}
	if len(r.sessions) >= MaxSessions && oldest != nil {
		r.drop(oldest.ID)
	}
}

// closeLimit bounds the end of one session's runtime.
const closeLimit = 5 * time.Second

func (r *Registry) drop(id string) {
	s := r.sessions[id]
	delete(r.sessions, id)
	r.closing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit) // detached: nobody waits for an evicted session
		defer cancel()
		s.close(ctx)
	})
}

// Close ends all sessions and waits until they are closed or ctx is done.
func (r *Registry) Close(ctx context.Context) {
	r.mu.Lock()
	for id := range r.sessions {
		r.drop(id)
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
