package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/host/session/snapshots"
	"github.com/serena-go/serena/sdk"
)

// Place is where a session works: a project, or the reason why there is none.
type Place struct {
	Project *project.Project
	Fault   error
}

// Progress is told how far a call of the running cell has come. It must be quick.
type Progress func(done, total float64, message string)

// Limits of a registry's sessions.
type Limits struct {
	Sessions int           // at once, > 0
	Idle     time.Duration // without a cell, > 0
	// SnapshotAfter is how long a session must have been idle after a cell until its variables are kept; > 0.
	SnapshotAfter time.Duration
}

// Services is what sessions need of the host.
type Services struct {
	Dispatcher *api.Dispatcher
	// Scope tells what is allowed in a project (nil: without one), by the configuration and plugins of this moment.
	Scope func(p *project.Project) *api.Scope
	// StartRuntime starts a Python runtime that works for the session.
	StartRuntime func(ctx context.Context, p *project.Project, backend repl.Backend) (*repl.Runtime, error)
	// CellTimeout is the longest time of a cell in a project.
	CellTimeout func(p *project.Project) time.Duration
	Limits      Limits
	// PlacesChanged is told when a project may no longer be in use, see Registry.Projects. It must be quick; nil: nobody is told.
	PlacesChanged func()
	// Snapshots keeps the variables of sessions that end; nil: they are lost.
	Snapshots *snapshots.Store
	Log       hclog.Logger
}

func (s *Services) placesChanged() {
	if s.PlacesChanged != nil {
		s.PlacesChanged()
	}
}

// Session is one conversation. Its methods may be called concurrently; cells run one after the other.
type Session struct {
	ID       string
	services *Services
	place    func() Place    // the connection's, while the session has not chosen its own
	earlier  <-chan struct{} // closed when an earlier session of that id is gone; nil: there is none
	saving   chan struct{}   // holds a token for each session that keeps its variables at its end

	mu        sync.Mutex // guards the fields below; no other lock is taken under it
	own       *Place
	described map[string]bool
	used      time.Time
	pinned    *Place // where the running cell works, whatever is activated meanwhile
	busy      int    // calls under way: a busy session is neither evicted nor kept
	progress  Progress
	asked     int                // characters, see repl.Result.AskedChars
	stopCell  context.CancelFunc // of the cell that runs
	stopKeep  context.CancelFunc // of the snapshot that is taken in the background
	keepLater *time.Timer
	closed    bool
	worked    []*project.Project // in which cells ran: there may be journals of the session
	left      []string           // what became of a transaction that was left open, to be told

	waiting atomic.Int32
	turn    chan struct{} // holds one token: taken by the cell or the snapshot under way
	runtime *repl.Runtime // only touched by the holder of the token, like what follows
	settled chan struct{} // closed when what the runtime left open was taken back
	slot    *snapshots.Slot
	changed bool // cells have run since the last snapshot
	ran     bool // cells have run at all: tasks of theirs may still change something
	untold  []string
}

func newSession(id string, s *Services, place func() Place, earlier <-chan struct{}, saving chan struct{}) *Session {
	out := &Session{
		ID: id, services: s, place: place, earlier: earlier, saving: saving,
		described: map[string]bool{}, used: time.Now(), turn: make(chan struct{}, 1),
	}
	out.turn <- struct{}{}
	return out
}

// Place tells where the session works.
func (s *Session) Place() Place {
	s.mu.Lock()
	own := s.own
	s.mu.Unlock()
	if own != nil {
		return *own
	}
	return s.place() // takes the registry's lock, which is taken before a session's
}

// chosen is the session's own place, nil while it follows the connection.
func (s *Session) chosen() *Place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own
}

// at is where the running cell works; between cells, where the next one would.
func (s *Session) at() Place {
	s.mu.Lock()
	pinned := s.pinned
	s.mu.Unlock()
	if pinned != nil {
		return *pinned
	}
	return s.Place()
}

// Move gives the session a place of its own. The registry remembers it for as long as the server lives; a session that is revived in
// another server begins at the connection's.
func (s *Session) Move(p Place) {
	s.mu.Lock()
	s.own = &p
	s.mu.Unlock()
	s.services.placesChanged()
}

// Execute runs a cell and waits for its end; progress may be nil. An error means that no cell ran, or that the runtime ended: it says what
// was lost and the next cell runs on a fresh runtime. Cancelling ctx interrupts the cell. The result's Notes tell what of the session could not be
// revived.
func (s *Session) Execute(ctx context.Context, code string, progress Progress) (repl.Result, error) {
	s.enter(1)
	defer s.enter(-1)
	if err := s.takeTurn(ctx); err != nil {
		return repl.Result{}, err
	}
	defer func() { s.turn <- struct{}{} }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	place := s.Place()
	if err := s.beginCell(place, cancel, progress); err != nil {
		return repl.Result{}, err
	}
	defer s.endCell()

	p := place.Project
	notes, err := s.ensureRuntime(ctx, p)
	if err != nil {
		return repl.Result{Notes: notes}, err
	}
	s.changed, s.ran = true, true
	notes = append(notes, append(s.untold, s.takeLeft()...)...)
	s.untold = nil
	result, err := s.runtime.Execute(ctx, code, s.services.CellTimeout(p))
	if errors.Is(err, repl.ErrGone) {
		err = fmt.Errorf("%w. %s", err, s.fate())
		s.dropRuntime(ctx)
		for _, left := range s.takeLeft() {
			err = fmt.Errorf("%w. Besides, %s", err, left)
		}
	}
	result.Notes, result.AskedChars = slices.Concat(notes, result.Notes, s.openNote(p)), s.askedChars()
	return result, err
}

// maxWaiting bounds the cells that wait for one session: each holds a place that other sessions' cells could have.
const maxWaiting = 32

func (s *Session) takeTurn(ctx context.Context) error {
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return sdk.Errorf(sdk.KindRuntime, "the session %s is busy: %d cells wait for their turn already; wait for their answers, or use another session", s.ID, maxWaiting)
	}
	select { // a free turn counts more than an end that came as early
	case <-s.turn:
		return nil
	default:
	}
	select {
	case <-s.turn:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cancelled while an earlier cell of the session was still running: %w", ctx.Err())
	}
}

func (s *Session) beginCell(place Place, cancel context.CancelFunc, progress Progress) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.pinned, s.stopCell, s.progress, s.asked = &place, cancel, progress, 0
	if p := place.Project; p != nil && p.Files != nil && !slices.Contains(s.worked, p) {
		s.worked = append(s.worked, p)
	}
	return nil
}

func (s *Session) endCell() {
	place := s.Place()
	s.mu.Lock()
	moved := s.pinned != nil && s.pinned.Project != place.Project
	defer func() {
		s.mu.Unlock()
		if moved {
			s.services.placesChanged()
		}
	}()
	s.pinned, s.stopCell, s.progress = nil, nil, nil
	s.armKeep()
}

// enter counts a call under way; one that begins stops a snapshot that nobody waits for.
func (s *Session) enter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy += n
	s.used = time.Now()
	if n > 0 && s.stopKeep != nil {
		s.stopKeep()
	}
}

func (s *Session) usage() (used time.Time, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.busy > 0
}

// close interrupts what is under way, keeps the variables and ends the runtime.
func (s *Session) close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	if s.keepLater != nil {
		s.keepLater.Stop()
	}
	for _, stop := range []context.CancelFunc{s.stopCell, s.stopKeep} {
		if stop != nil {
			stop()
		}
	}
	s.mu.Unlock()
	select {
	case <-s.turn:
	case <-ctx.Done():
		return // the cell was cancelled: its own call ends the runtime
	}
	if s.runtime != nil {
		if (s.changed || s.ran) && !ended(s.runtime) {
			s.keepLast(ctx)
		}
		s.dropRuntime(ctx)
	}
	s.leaveSlot()
	s.leaveEdits()
	s.turn <- struct{}{}
}
