package plugin

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/internal/filelock"
)

// HostState is what a running host tells other processes of its plugins.
type HostState struct {
	Pid     int      `json:"pid"` // of the host
	Plugins []Status `json:"plugins"`
}

// The files of a bulletin: its owner holds the lock of the first for as long as it lives, so that a dead host's can be told and removed.
const (
	bulletinFolder = "hosts" // in the Serena home
	lockSuffix     = ".lock"
	stateSuffix    = ".json"
)

// bulletin publishes the status of one Manager's plugins in a file below the Serena home. Nothing depends on it: where it cannot be written,
// there is none.
type bulletin struct {
	base   string // path without a suffix
	lock   *os.File
	status func() []Status
	log    hclog.Logger

	changed chan struct{} // holds a token when there is something to tell
	stop    sync.Once
	stopped chan struct{}
	ended   chan struct{} // closed when nothing is written any more
}

func newBulletin(home string, status func() []Status, log hclog.Logger) *bulletin {
	b := &bulletin{
		base:   filepath.Join(home, bulletinFolder, fmt.Sprintf("%d-%s", os.Getpid(), strings.ToLower(rand.Text()[:8]))),
		status: status, log: log, changed: make(chan struct{}, 1), stopped: make(chan struct{}), ended: make(chan struct{}),
	}
	go b.run()
	return b
}

// tell has the present status written soon. It does not block.
func (b *bulletin) tell() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// close removes the bulletin.
func (b *bulletin) close() {
	b.stop.Do(func() { close(b.stopped) })
	<-b.ended
}

// run owns the files; it ends with close.
func (b *bulletin) run() {
	defer close(b.ended)
	if err := b.open(); err != nil {
		b.log.Debug("the state of the plugins is not published", "error", err)
		return
	}
	defer b.remove()
	for {
		select {
		case <-b.changed:
			if err := b.write(); err != nil {
				b.log.Debug("the state of the plugins is not published", "error", err)
			}
		case <-b.stopped:
			return
		}
	}
}

func (b *bulletin) open() error {
	if err := os.MkdirAll(filepath.Dir(b.base), 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(b.base+lockSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	// A reader that looks whether the owner lives may hold it for a moment.
	for err = filelock.Try(lock); errors.Is(err, filelock.ErrHeld); err = filelock.Try(lock) {
		select {
		case <-time.After(time.Millisecond):
		case <-b.stopped:
			lock.Close()
			return errors.Join(err, os.Remove(b.base+lockSuffix))
		}
	}
	b.lock = lock
	return err
}

func (b *bulletin) write() error {
	data, err := json.Marshal(HostState{Pid: os.Getpid(), Plugins: b.status()})
	if err != nil {
		return err
	}
	temp := b.base + ".new"
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, b.base+stateSuffix)
}

func (b *bulletin) remove() {
	for _, suffix := range []string{".new", stateSuffix, lockSuffix} {
		_ = os.Remove(b.base + suffix) // what stays is removed by a reader, since its lock is free
	}
	_ = b.lock.Close()
}

// Hosts tells of the plugins of the hosts that run now and use this home, and removes what dead ones left.
func Hosts(home string) []HostState {
	var all []HostState
	folder := filepath.Join(home, bulletinFolder)
	entries, _ := os.ReadDir(folder) // one that cannot be read has nothing to tell
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), lockSuffix)
		base := filepath.Join(folder, name)
		if !isLock || removeIfDead(base+lockSuffix, base) {
			continue
		}
		var state HostState
		if data, err := os.ReadFile(base + stateSuffix); err == nil && json.Unmarshal(data, &state) == nil {
			all = append(all, state)
		}
	}
	return all
}

// removeIfDead reports whether the owner of a bulletin is dead, and removes its files. One that is young may have an owner that is about to
// take the lock.
func removeIfDead(lock, base string) bool {
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		return true
	}
	defer f.Close()
	if filelock.Try(f) != nil {
		return false
	}
	if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) > settleTime {
		for _, suffix := range []string{".new", stateSuffix, lockSuffix} {
			_ = os.Remove(base + suffix) // another reader may have done it
		}
	}
	return true
}
