package journal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/serena-go/serena/internal/fsync"
	"github.com/serena-go/serena/sdk"
)

// openName is a file that is there while a group is open: removing it closes the group.
const openName = "open"

type openGroup struct {
	Group   int  `json:"group"`
	Session Name `json:"session"` // its id, to tell the user
}

func (l *Log) loadGroup() error {
	data, err := os.ReadFile(filepath.Join(l.dir, openName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var open openGroup
	if json.Unmarshal(data, &open) != nil { // it was not yet written when the machine ended, so nothing belongs to it
		return os.Remove(filepath.Join(l.dir, openName))
	}
	l.group, l.session = open.Group, string(open.Session)
	l.groups = max(l.groups, open.Group)
	return nil
}

// OpenGroup begins a group: all edits until CloseGroup belong to it. There can be one at a time.
func (l *Log) OpenGroup() (group int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.group != 0 {
		return 0, sdk.Errorf(sdk.KindRuntime, "a transaction is open in this session already: they cannot be nested, its block must end first")
	}
	data, err := json.Marshal(openGroup{Group: l.groups + 1, Session: Name(l.session)})
	if err != nil {
		return 0, err
	}
	path := filepath.Join(l.dir, openName)
	if err := writeDurably(path, data); err != nil {
		return 0, errors.Join(err, os.RemoveAll(path))
	}
	l.groups++
	l.group, l.left = l.groups, false
	return l.group, nil
}

// Group is the number of the open group; 0 if there is none.
func (l *Log) Group() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.group
}

// Leave says that the open group has nobody any more who could close it: it is to be taken back or closed before anything else is begun.
// A journal that was taken over with an open group is left.
func (l *Log) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = l.group != 0
}

// Left reports whether a group is open that has nobody any more.
func (l *Log) Left() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}

// Session is the id of the session that the open group belongs to.
func (l *Log) Session() string { return l.session }

// CloseGroup ends the open group; the edits that are left in it are one from now on. Without an open group it does nothing.
func (l *Log) CloseGroup() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.group == 0 {
		return nil
	}
	if err := os.Remove(filepath.Join(l.dir, openName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.group, l.left = 0, false
	l.trim()
	return fsync.Folder(l.dir)
}

func writeDurably(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return fsync.Folder(filepath.Dir(path))
}
