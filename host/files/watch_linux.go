package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// notifier is an inotify queue. The package does not use fsnotify, whose goroutine reads the queue when it likes, so that a query could not
// know whether it has all events, and which keeps paths by watch that are wrong after a folder was moved.
type notifier struct {
	fd     int
	buffer []byte
}

// event says that something happened to a name in a watched folder.
type event struct {
	watch  int32
	name   string // "": the folder itself
	folder bool   // the name is, or was, a folder
	moved  bool   // the name came or went; else what it stands for was changed
	ended  bool   // the watch is over: its folder is gone
	lost   bool   // events are missing here
}

const (
	movedEvents = unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	watchEvents = movedEvents | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK
)

func newNotifier() (*notifier, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if errors.Is(err, unix.EMFILE) {
		return nil, fmt.Errorf("because all inotify instances or open files of this user are taken (fs.inotify.max_user_instances): %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("because the system has no inotify: %w", err)
	}
	return &notifier{fd: fd, buffer: make([]byte, 64<<10)}, nil
}

func (n *notifier) close() { _ = unix.Close(n.fd) }

// add watches a folder and returns the watch, which is the same for the same folder, by whatever path.
func (n *notifier) add(root, rel string) (int32, error) {
	id, err := unix.InotifyAddWatch(n.fd, filepath.Join(root, filepath.FromSlash(rel)), watchEvents)
	switch {
	case errors.Is(err, unix.ENOSPC):
		return 0, fmt.Errorf("because this user's inotify watches are used up (fs.inotify.max_user_watches): %w", err)
	case err != nil:
		return 0, fmt.Errorf("because %s cannot be watched: %w", rel, err)
	}
	return int32(id), nil
}

func (n *notifier) remove(watch int32) { _, _ = unix.InotifyRmWatch(n.fd, uint32(watch)) }

// drain reads the events that are in the queue now.
func (n *notifier) drain(each func(event)) error {
	queued, err := unix.IoctlGetInt(n.fd, unix.TIOCINQ)
	for err == nil && queued > 0 {
		var size int
		if size, err = unix.Read(n.fd, n.buffer); errors.Is(err, unix.EINTR) {
			err = nil
			continue
		}
		if errors.Is(err, unix.EAGAIN) || err == nil && size <= 0 {
			return nil
		}
		if err == nil {
			queued -= size
			parseEvents(n.buffer[:size], each)
		}
	}
	if err != nil {
		return fmt.Errorf("because its events cannot be read: %w", err)
	}
	return nil
}

func parseEvents(data []byte, each func(event)) {
	for len(data) >= unix.SizeofInotifyEvent {
		mask := binary.NativeEndian.Uint32(data[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(data[12:]))
		name, _, _ := bytes.Cut(data[unix.SizeofInotifyEvent:end], []byte{0})
		each(event{
			watch: int32(binary.NativeEndian.Uint32(data)), name: string(name), folder: mask&unix.IN_ISDIR != 0, moved: mask&movedEvents != 0,
			ended: mask&unix.IN_IGNORED != 0, lost: mask&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT) != 0,
		})
		data = data[end:]
	}
}

// maxWatches is how many folders this user's programs may watch together.
func maxWatches() int {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return n
		}
	}
	return 8192 // the system's default, for long
}
