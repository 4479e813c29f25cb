package repl

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/serena-go/serena/sdk"
)

// askGrace is the time from the interrupt of a request that is no cell to the end of the process. It is longer than a cell's: nobody
// asked for these requests, so that they should not cost the variables.
const askGrace = 10 * time.Second

// ErrRefused reports that the runtime answered a request with a failure; the session is as it was.
var ErrRefused = errors.New("the runtime could not do it")

// NameReason is a variable and why it was left out.
type NameReason struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// SnapshotOptions say where a snapshot goes and what it may hold.
type SnapshotOptions struct {
	Path             string // of the variables; replaced at once and whole
	ManifestPath     string // of what is in it, as JSON
	MaxBytes         int64  // of all variables together; 0: no limit
	MaxVariableBytes int64  // of one; 0: no limit
	// Grace is how long the snapshot may go on when ctx has ended and it was interrupted; then the process is killed. 0: 10 s.
	Grace time.Duration
}

// Snapshot is what a snapshot came to.
type Snapshot struct {
	Saved   []string
	Skipped []NameReason // they are in the session still
	Bytes   int64
}

// Snapshot writes the variables to a file. It waits for its turn among the cells; ctx's end interrupts it, and the files stay as they
// were. A snapshot that fails is ErrRefused.
func (r *Runtime) Snapshot(ctx context.Context, o SnapshotOptions) (Snapshot, error) {
	frame := map[string]any{"type": "snapshot", "path": o.Path, "manifest_path": o.ManifestPath}
	if o.MaxBytes > 0 {
		frame["max_bytes"] = o.MaxBytes
	}
	if o.MaxVariableBytes > 0 {
		frame["max_variable_bytes"] = o.MaxVariableBytes
	}
	e, err := r.request(ctx, frame, "snapshot", o.Grace)
	return Snapshot{Saved: e.Saved, Skipped: e.Skipped, Bytes: e.Bytes}, err
}

// Restored is what a restore came to.
type Restored struct {
	Names  []string
	Failed []NameReason // they are not bound
}

// Restore binds the variables of a snapshot; those that are there already are replaced. A file that is not there has no variables; one
// that cannot be read is ErrRefused. Unpickling runs code: restore only what this user's sessions have saved. After ctx's end the
// variables are there in part: close the runtime then.
func (r *Runtime) Restore(ctx context.Context, path string) (Restored, error) {
	e, err := r.request(ctx, map[string]any{"type": "restore", "path": path, "serena": r.place()}, "restore", interruptGrace)
	return Restored{Names: e.Restored, Failed: e.Failed}, err
}

// place is where the runtime works; empty before Attach.
func (r *Runtime) place() map[string]string {
	r.mu.Lock()
	b := r.backend
	r.mu.Unlock()
	if b == nil {
		return nil
	}
	return placeOf(b)
}

// Names lists the variables, sorted.
func (r *Runtime) Names(ctx context.Context) ([]string, error) {
	e, err := r.request(ctx, map[string]any{"type": "list_names"}, "list_names", 0)
	return e.Names, err
}

// LastNames are the variables there were when the last cell had ended, as far as the runtime has told. It also answers when the
// process has ended.
func (r *Runtime) LastNames() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.names
}

// request sends a frame on the turn of cells and waits for its done. When ctx ends it is interrupted and, after grace (0: askGrace), the
// process killed.
func (r *Runtime) request(ctx context.Context, frame map[string]any, kind string, grace time.Duration) (event, error) {
	if err := r.takeTurn(ctx); err != nil {
		return event{}, err
	}
	defer func() { <-r.turn }()
	a := r.beginAsk(frame, kind)
	defer r.endAsk()
	select {
	case e := <-a.done:
		return e, a.outcome(e)
	case <-r.dead:
		return r.lastAnswer(a)
	case <-ctx.Done():
	}
	r.sendInterrupt(a.id)
	if grace == 0 {
		grace = askGrace
	}
	limit := time.NewTimer(grace)
	defer limit.Stop()
	select {
	case e := <-a.done:
		if err := a.outcome(e); err != nil {
			return e, fmt.Errorf("the %s was interrupted: %w", kind, ctx.Err())
		}
		return e, nil // it was done anyway
	case <-r.dead:
		return r.lastAnswer(a)
	case <-limit.C:
	}
	if err := r.kill(); err != nil {
		r.log.Error("Python cannot be ended", "request", kind, "error", err)
	}
	return event{}, sdk.Errorf(sdk.KindConnection, "the %s did not stop within %v of its interrupt, and the session's Python was ended; %w", kind, grace, ErrGone)
}

// lastAnswer is what came before the process ended, or that it did.
func (r *Runtime) lastAnswer(a *ask) (event, error) {
	select {
	case e := <-a.done:
		return e, a.outcome(e)
	default:
		return event{}, r.Err()
	}
}

func (r *Runtime) beginAsk(frame map[string]any, kind string) *ask {
	r.mu.Lock()
	r.cells++
	a := &ask{id: "r" + strconv.Itoa(r.cells), kind: kind, done: make(chan event, 1)}
	r.ask = a
	r.mu.Unlock()
	frame["id"] = a.id
	r.send(frame)
	return a
}

func (r *Runtime) endAsk() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ask = nil
}

// outcome is the error of a done that tells a failure. The failure was set before done was sent.
func (a *ask) outcome(e event) error {
	if e.Status == "ok" {
		return nil
	}
	reason := e.Reason
	if reason == "" {
		reason = a.failure
	}
	return fmt.Errorf("%s: %w: %s", a.kind, ErrRefused, reason)
}
