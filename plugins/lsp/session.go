package lsp

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

// errReset reports that the host cannot tell what changed since the server was last told.
var errReset = errors.New("what changed in the project is not known")

// clockSlack is by how much a file system's clock may be behind ours.
const clockSlack = 2 * time.Second

// session is one life of a server, with what it was told of the project's files.
type session struct {
	workspace *workspace
	desc      servers.Description
	installer *servers.Installer
	client    *client.Client

	// turn holds a token while the server is told of changes. Who waits for it heeds a context, for the host is asked meanwhile. It guards:
	turn   chan struct{}
	seen   uint64    // number of the last change it was told of
	synced time.Time // when that was

	mu    sync.Mutex // guards the fields below
	dirty map[string]bool
	build servers.LeftOut // see leftOut; nil: not asked for yet
}

func newSession(w *workspace, d servers.Description, in *servers.Installer, c *client.Client, seen uint64, began time.Time) *session {
	return &session{workspace: w, desc: d, installer: in, client: c, turn: make(chan struct{}, 1), seen: seen, synced: began, dirty: map[string]bool{}}
}

func isGone(err error) bool { return errors.Is(err, client.ErrGone) }

func (s *session) ended() bool {
	select {
	case <-s.client.Dead():
		return true
	default:
		return false
	}
}

// sync tells the server what changed in the project since it was last told. errReset: it must be started afresh.
func (s *session) sync(ctx context.Context, call *sdk.Call) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	now := time.Now()
	changes, err := call.Changes(ctx, s.seen)
	if err != nil {
		return err
	}
	// Since 0 only the number is told, not the files.
	if changes.Reset || s.seen == 0 && changes.Last > 0 && len(changes.Files) == 0 {
		return errReset
	}
	if err := s.tell(changes.Files); err != nil {
		return err
	}
	s.seen, s.synced = changes.Last, now
	return nil
}

// tell passes changes on. It is s's turn.
func (s *session) tell(files []sdk.FileChange) error {
	if len(files) == 0 {
		return nil
	}
	events := make([]protocol.FileEvent, 0, len(files))
	for _, f := range files {
		uri := s.workspace.uri(f.Path)
		event := map[sdk.ChangeKind]int{sdk.Created: protocol.FileCreated, sdk.Changed: protocol.FileChanged, sdk.Deleted: protocol.FileDeleted}[f.Kind]
		events = append(events, protocol.FileEvent{URI: uri, Type: event})
		if !s.desc.Handles(f.Path) {
			continue
		}
		s.markDirty(f.Path)
		if _, open := s.client.Shown(uri); open || f.Kind == sdk.Changed && s.backdated(f.Path) {
			if err := s.refresh(f.Path); err != nil {
				return err
			}
		}
	}
	return s.client.Notify("workspace/didChangeWatchedFiles", protocol.DidChangeWatchedFiles{Changes: events})
}

// backdated reports whether a changed file's time is that of an earlier moment: a server that goes by the time of a file would
// not read it again. It is s's turn.
func (s *session) backdated(rel string) bool {
	info, err := os.Stat(s.workspace.abs(rel))
	return err == nil && info.ModTime().Before(s.synced.Add(-clockSlack))
}

// refresh makes an open document what the file is now; a file that is gone or no text is closed.
func (s *session) refresh(rel string) error {
	uri := s.workspace.uri(rel)
	data, err := os.ReadFile(s.workspace.abs(rel))
	if err != nil || !utf8.Valid(data) {
		return s.client.Hide(uri)
	}
	return s.client.Show(uri, s.desc.LanguageID, string(data))
}

// refreshOpen brings all open documents up to date: an answer that crosses files is drawn from them.
func (s *session) refreshOpen() error {
	for _, uri := range s.client.Opened() {
		if rel, inside := s.workspace.rel(uri); inside {
			if err := s.refresh(rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// isDirty reports whether the file changed in the server's life: what the server holds of it may be older than what we read.
func (s *session) isDirty(rel string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dirty[rel]
}

func (s *session) markDirty(rel string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirty[rel] = true
}
