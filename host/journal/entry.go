package journal

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/fsync"
)

// Name is a path or another string of bytes that need not be UTF-8, as JSON must.
type Name string

// MarshalText quotes the name in ASCII.
func (n Name) MarshalText() ([]byte, error) { return []byte(strconv.QuoteToASCII(string(n))), nil }

// UnmarshalText undoes it.
func (n *Name) UnmarshalText(text []byte) error {
	plain, err := strconv.Unquote(string(text))
	*n = Name(plain)
	return err
}

// Step is what an entry says of one file. What its kinds and states are called is the caller's matter.
type Step struct {
	Kind   string `json:"kind"`
	Path   Name   `json:"path"`         // absolute
	To     Name   `json:"to,omitempty"` // absolute, of a move
	Before Name   `json:"before"`       // the state of Path that the step found
	After  Name   `json:"after,omitempty"`

	// Owner and mode of what the step removed.
	Mode uint32 `json:"mode,omitempty"`
	UID  uint32 `json:"uid,omitempty"`
	GID  uint32 `json:"gid,omitempty"`

	// The content before was what is kept in the entry, with the first Prefix and the last Suffix bytes of the content after around it.
	Prefix int64  `json:"prefix,omitempty"`
	Suffix int64  `json:"suffix,omitempty"`
	Length int64  `json:"length,omitempty"` // of what is kept
	Kept   []byte `json:"-"`                // to be kept; nil in an entry that was read, see Log.Kept
}

// Entry is one write of files, all of them or none.
type Entry struct {
	Number  int       `json:"-"`
	Group   int       `json:"group,omitempty"`  // the transaction that it belongs to; 0: none
	Method  string    `json:"method,omitempty"` // facade.method that wrote
	Time    time.Time `json:"time"`
	Steps   []Step    `json:"steps"`
	Folders []Name    `json:"folders,omitempty"` // that were made, parents first
	Lost    bool      `json:"lost,omitempty"`    // too large to be kept: it cannot be taken back

	path string
	size int64 // of the file
	kept int64 // where in the file the kept bytes begin
}

// The first byte of an entry's file.
const (
	statePending = 'p' // may have been made: the record of the write tells
	stateDone    = 'd'
)

const entrySuffix = ".edit"

func entryPath(dir string, number int) string {
	return filepath.Join(dir, fmt.Sprintf("%08d%s", number, entrySuffix))
}

// keptBytes is how much the steps want to keep.
func (e *Entry) keptBytes() int64 {
	var n int64
	for _, st := range e.Steps {
		n += int64(len(st.Kept))
	}
	return n
}

// write makes the file, pending. durable: it shall survive the machine's end.
func (e *Entry) write(durable bool) (err error) {
	header, err := e.header()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(e.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	_, _ = out.Write(header) // the writer keeps the first error for Flush
	if !e.Lost {
		for i := range e.Steps {
			_, _ = out.Write(e.Steps[i].Kept)
			e.Steps[i].Kept = nil
		}
	}
	err = out.Flush()
	if err == nil && durable {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && durable {
		err = fsync.Folder(filepath.Dir(e.path))
	}
	if err != nil {
		return errors.Join(err, os.Remove(e.path))
	}
	return nil
}

// header is the file's beginning; it sets the sizes.
func (e *Entry) header() ([]byte, error) {
	var kept int64
	for i := range e.Steps {
		e.Steps[i].Length = int64(len(e.Steps[i].Kept))
		kept += e.Steps[i].Length
	}
	if e.Lost {
		kept = 0
	}
	data, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	data = append([]byte{statePending, '\n'}, append(data, '\n')...)
	e.kept, e.size = int64(len(data)), int64(len(data))+kept
	return data, nil
}

// readEntry reads a file without what it keeps. An error that is errDamaged means that it is of no use.
func readEntry(path string) (e *Entry, state byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	in := bufio.NewReader(file)
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || head[1] != '\n' {
		return nil, 0, errDamaged
	}
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil, 0, errDamaged
	}
	number, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(path), entrySuffix))
	e = &Entry{Number: number, path: path, size: info.Size(), kept: int64(len(line)) + 2}
	if err != nil || json.Unmarshal(line, e) != nil {
		return nil, 0, errDamaged
	}
	want := e.kept
	for _, st := range e.Steps {
		if !e.Lost {
			want += st.Length
		}
	}
	if want != e.size { // the machine ended before all of it was on the disk
		return nil, 0, errDamaged
	}
	return e, head[0], nil
}

var errDamaged = errors.New("it is damaged")

// Path is the entry's file, for Settle.
func (e *Entry) Path() string { return e.path }

// mark sets the state in place, which needs no room on the disk.
func mark(path string, state byte, durable bool) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt([]byte{state}, 0)
	if err == nil && durable {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Settle says of an entry that a dead process left whether its write was made. It may be said again.
func Settle(path string, made bool) error {
	var err error
	if made {
		err = mark(path, stateDone, true)
	} else {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was settled, or the folder is gone with all that could be taken back
	}
	return err
}
