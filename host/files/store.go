package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/sdk"
)

// Options says how a project's files are handled.
type Options struct {
	Home         string        // the Serena home; required, need not exist
	DataFolder   string        // the project's data folder, absolute; may lie elsewhere and need not exist; "": none
	Further      []string      // further folders, absolute, in which absolute paths may be written; they need not exist
	KeepSessions time.Duration // how long the journals of sessions are kept that nobody uses; 0: 7 days
	IgnoredPaths []string      // gitignore syntax; such files can be written, but what others do to them is not noticed

	// Protect says why the file at an absolute, real path must not be changed, or nil. What was changed before can be taken back
	// all the same. nil: nothing is protected.
	Protect func(ctx context.Context, real string) error
}

// Store is one project's files. It is safe for concurrent use; other processes may have a Store of the same root.
type Store struct {
	root         string // absolute, real
	bounds       *contain.Root
	dataFolder   string // real where it exists; "" for none
	ignoredPaths []string
	protect      func(ctx context.Context, real string) error
	lockPath     string
	recordPath   string

	writing chan struct{} // holds one token: who has it writes
	closed  chan struct{}
	closing sync.Once
	scans   scanner

	tree     sync.Mutex // held while files are renamed, and while what was seen of them is taken into the snapshot
	snapshot snapshot   // guarded by tree
	watch    watcher    // of the pass
	verified verification

	history *history

	journals *journal.Store
	owning   sync.Mutex              // guards the fields below
	logs     map[string]*journal.Log // by session; changed by who has the token of writing
	forsaken map[string]string       // by session: what became of a transaction, to be told

	noting sync.Mutex
	notes  []string // guarded by noting

	fault func(point string, index int) error // tests only: called at the named points of a commit and of a pass
}

// Open prepares the store of a project root, an existing folder. If a process was killed while it wrote the project, what it
// left half-done is taken back now; see Notes.
func Open(root string, opts Options) (*Store, error) {
	if opts.Home == "" {
		return nil, sdk.Errorf(sdk.KindValue, "files of %s: the Serena home is not given", root)
	}
	var also []contain.Option
	for _, dir := range append([]string{opts.DataFolder}, opts.Further...) {
		if dir != "" {
			also = append(also, contain.AlsoAllowed(dir))
		}
	}
	bounds, err := contain.NewRoot(root, also...)
	if err != nil {
		return nil, osError("open", root, err)
	}
	sum := sha256.Sum256([]byte(bounds.Real()))
	id := hex.EncodeToString(sum[:16])
	s := &Store{
		root: bounds.Real(), bounds: bounds, ignoredPaths: opts.IgnoredPaths, protect: opts.Protect,
		lockPath:   filepath.Join(opts.Home, "locks", id+".lock"),
		recordPath: filepath.Join(opts.Home, "journal", id+".json"),
		writing:    make(chan struct{}, 1), closed: make(chan struct{}),
		history:  newHistory(),
		journals: journal.New(opts.Home, id, cmp.Or(opts.KeepSessions, defaultKeep)), logs: map[string]*journal.Log{}, forsaken: map[string]string{},
	}
	s.watch = watcher{root: s.root, note: s.note}
	if opts.DataFolder != "" {
		s.dataFolder = opts.DataFolder
		if p, err := bounds.Resolve(opts.DataFolder); err == nil {
			s.dataFolder = p.Real
		}
	}
	if err := s.recoverLeft(); err != nil {
		s.note(err.Error())
	}
	s.openOrphans()
	return s, nil
}

// Notes tells the user what was found and could not be put right about a write that was interrupted, and why files are not watched, if
// they cannot be. It is empty as a rule.
func (s *Store) Notes() []string {
	s.noting.Lock()
	defer s.noting.Unlock()
	return slices.Clone(s.notes)
}

func (s *Store) note(text string) {
	s.noting.Lock()
	defer s.noting.Unlock()
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// Last returns the number of the project's last change. Numbers begin with 1 and are this process's own.
func (s *Store) Last() uint64 { return s.history.lastNumber() }

// Close ends what runs for the store and waits for it: a write that has begun is finished, one that waits for its turn gives
// up. Calls that come later fail.
func (s *Store) Close() {
	s.closing.Do(func() {
		s.scans.stop(s.closed)
		s.writing <- struct{}{} // never given back
		s.closeLogs()
	})
	s.scans.group.Wait()
	s.watch.close()
}

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
