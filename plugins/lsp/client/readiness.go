package client

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// startGrace is how long the first report of loading may take after initialize; a server that then reports none is taken as loaded.
const startGrace = 3 * time.Second

// readiness follows the progress of a server's loading of the project.
type readiness struct {
	title, success string

	mu      sync.Mutex // guards the fields below
	started bool       // some progress of that title began
	running map[string]bool
	failure string        // message of the last end that was none of success
	changed chan struct{} // closed and replaced at each change
}

func newReadiness(title, success string) *readiness {
	return &readiness{title: title, success: success, running: map[string]bool{}, changed: make(chan struct{})}
}

func (r *readiness) hear(params []byte) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind    string `json:"kind"`
			Title   string `json:"title"`
			Message string `json:"message"`
		} `json:"value"`
	}
	if r.title == "" || json.Unmarshal(params, &p) != nil {
		return
	}
	token := string(p.Token)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case p.Value.Kind == "begin" && p.Value.Title == r.title:
		r.started, r.running[token] = true, true
		r.failure = ""
	case p.Value.Kind == "end" && r.running[token]:
		delete(r.running, token)
		if p.Value.Message != r.success {
			r.failure = p.Value.Message
		}
	default:
		return
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// wait returns when nothing is loading, with false after limit. The server's end is ErrGone's affair: the next request meets it.
func (r *readiness) wait(ctx context.Context, limit time.Duration, dead <-chan struct{}) (ready bool, note string, err error) {
	if r.title == "" {
		return true, "", nil
	}
	last := time.NewTimer(limit)
	defer last.Stop()
	grace := time.NewTimer(startGrace)
	defer grace.Stop()
	for {
		r.mu.Lock()
		done, failure, changed := r.started && len(r.running) == 0, r.failure, r.changed
		r.mu.Unlock()
		if done {
			return true, failure, nil
		}
		select {
		case <-changed:
		case <-grace.C:
			r.mu.Lock()
			none := !r.started
			r.started = r.started || none // later callers need not wait again
			r.mu.Unlock()
			if none {
				return true, "", nil
			}
		case <-last.C:
			return false, "", nil
		case <-dead:
			return true, "", nil
		case <-ctx.Done():
			return false, "", ctx.Err()
		}
	}
}
