package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/serena-go/serena/internal/filelock"
	"github.com/serena-go/serena/sdk"
)

// What is kept of a session.
const (
	MaxEdits = 200
	MaxBytes = 64 << 20
)

// Log is one session's journal in one project, owned by this process until Close.
type Log struct {
	dir  string
	lock *os.File

	mu      sync.Mutex // guards the fields below
	entries []*Entry   // that were made, the oldest first
	next    int        // number of the next entry
	group   int        // the open one; 0: none
	left    bool       // nobody is in it any more: see Leave
	groups  int        // the highest number so far
	session string
	dropped bool // something older was there and is not kept any more
	spoiled bool
}

// Edit is what is taken back at once: an entry, or a group's.
type Edit struct {
	Entries []*Entry // the oldest first
	Group   int      // 0: it is a single entry
	Open    bool     // of a group: more may come
}

// load reads a folder that was just taken over. Entries of which nobody said that they were made were never begun.
func load(dir string, lock *os.File) (*Log, error) {
	l := &Log{dir: dir, lock: lock}
	err := l.read()
	l.left = l.group != 0
	return l, err
}

// read reads the folder. l.mu is held, or l is not shared yet.
func (l *Log) read() error {
	names, err := os.ReadDir(l.dir) // sorted
	if err != nil {
		return err
	}
	l.entries, l.group = nil, 0
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), entrySuffix) {
			continue
		}
		path := filepath.Join(l.dir, n.Name())
		e, state, err := readEntry(path)
		switch {
		case errors.Is(err, errDamaged), err == nil && state != stateDone:
			if err := os.Remove(path); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			l.entries = append(l.entries, e)
			l.next = max(l.next, e.Number+1)
			l.groups = max(l.groups, e.Group)
		}
	}
	l.next = max(l.next, 1)
	return l.loadGroup()
}

// Gone reports that somebody removed the folder, and with it all that could be taken back.
func (l *Log) Gone() bool { return !filelock.StillThere(l.lock) }

// Dir is the session's folder.
func (l *Log) Dir() string { return l.dir }

// Spoil says that somebody may still settle an entry of which neither Done nor Abort was said: see Refresh.
func (l *Log) Spoil() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spoiled = true
}

// Refresh reads the folder anew, if it was spoiled. Everything must be settled.
func (l *Log) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.spoiled {
		return nil
	}
	if err := l.read(); err != nil {
		return err
	}
	l.spoiled = false
	return nil
}

// Begin writes down an edit that is about to be made, into the open group if there is one. A group that would become larger
// than what is kept is an error of kind RuntimeError, and nothing is to be done then.
func (l *Log) Begin(e *Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Number, e.Group, e.path = l.next, l.group, entryPath(l.dir, l.next)
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	header, err := e.header()
	if err != nil {
		return err
	}
	if e.Group != 0 {
		if err := l.checkRoom(e); err != nil {
			return err
		}
	}
	e.Lost = int64(len(header))+e.keptBytes() > MaxBytes
	if err := e.write(e.Group != 0); err != nil {
		return err
	}
	l.next++
	return nil
}

func (l *Log) checkRoom(e *Entry) error {
	count, bytes := 1, e.size
	for _, other := range l.entries {
		if other.Group == e.Group {
			count++
			bytes += other.size
		}
	}
	const advice = "nothing was changed; end the transaction (its edits stay), and make this one after it"
	switch {
	case count > MaxEdits:
		return sdk.Errorf(sdk.KindRuntime, "the transaction holds %d edits already, which is the most that can be taken back together: %s", MaxEdits, advice)
	case bytes > MaxBytes:
		return sdk.Errorf(sdk.KindRuntime, "with this edit the transaction would replace more than the %d MiB that can be taken back together: %s", MaxBytes>>20, advice)
	}
	return nil
}

// Done says that the edit was made, and drops the oldest ones that are too many.
func (l *Log) Done(e *Entry) error {
	if err := mark(e.path, stateDone, e.Group != 0); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, e)
	l.trim()
	return nil
}

// Abort says that the edit was not made.
func (l *Log) Abort(e *Entry) error { return Settle(e.path, false) }

// trim keeps the newest edits within the bounds. What cannot be removed now is, in the next session's time. l.mu is held.
func (l *Log) trim() {
	edits := l.edits()
	var bytes int64
	for i, edit := range slices.Backward(edits) {
		for _, e := range edit.Entries {
			bytes += e.size
		}
		lost := i+1 < len(edits) && edits[i+1].Entries[0].Lost
		if edit.Open || len(edits)-i <= MaxEdits && bytes <= MaxBytes && !lost {
			continue
		}
		for _, older := range edits[:i+1] {
			_ = l.forget(older.Entries)
		}
		l.dropped = true
		return
	}
}

// Edits lists what can be taken back, the oldest first. dropped tells that there were older ones.
func (l *Log) Edits() (edits []Edit, dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.edits(), l.dropped
}

func (l *Log) edits() []Edit {
	var all []Edit
	for _, e := range l.entries {
		if last := len(all) - 1; e.Group != 0 && last >= 0 && all[last].Group == e.Group {
			all[last].Entries = append(all[last].Entries, e)
			continue
		}
		all = append(all, Edit{Entries: []*Entry{e}, Group: e.Group, Open: e.Group != 0 && e.Group == l.group})
	}
	return all
}

// Forget drops edits that were taken back.
func (l *Log) Forget(entries []*Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forget(entries)
}

func (l *Log) forget(entries []*Entry) error {
	var faults []error
	for _, e := range entries {
		if err := os.Remove(e.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	l.entries = slices.DeleteFunc(l.entries, func(e *Entry) bool { return slices.Contains(entries, e) })
	return errors.Join(faults...)
}

// Kept reads what an entry kept, for each of its steps.
func (l *Log) Kept(e *Entry) ([][]byte, error) {
	if e.Lost {
		return nil, sdk.Errorf(sdk.KindRuntime, "what it replaced was more than the %d MiB that are kept", MaxBytes>>20)
	}
	file, err := os.Open(e.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	kept := make([][]byte, len(e.Steps))
	at := e.kept
	for i, st := range e.Steps {
		kept[i] = make([]byte, st.Length)
		if _, err := io.ReadFull(io.NewSectionReader(file, at, st.Length), kept[i]); err != nil {
			return nil, err
		}
		at += st.Length
	}
	return kept, nil
}

// Close gives the folder up.
func (l *Log) Close() { _ = l.lock.Close() } // the lock ends with the descriptor
