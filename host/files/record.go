package files

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/serena-go/serena/internal/fsync"
	"github.com/serena-go/serena/internal/staged"
	"github.com/serena-go/serena/sdk"
)

// The intent is the record of a write that is under way. It is there before anything else is written, and gone when nothing is left
// to take back or to clean up, so that a process that finds one while it holds the project's lock knows that the writer died.

const intentVersion = 1

type intent struct {
	Version int      `json:"version"`
	Root    string   `json:"root"`
	Steps   []record `json:"steps"`
	Folders []string `json:"folders,omitempty"` // that are made, parents first
	Leave   []string `json:"leave,omitempty"`   // that go when all is done, if they are empty; children first

	// What becomes of the session's journal when all is done: an entry counts, or entries were taken back. Paths of their files.
	Entry string   `json:"entry,omitempty"`
	Drops []string `json:"drops,omitempty"`
}

// Kinds of steps.
const (
	kindWrite  = "write"
	kindRemove = "remove"
	kindMove   = "move"
)

// record is one step as the intent has it. Paths are absolute and real.
//
// Its life, by which recovery tells how far it came: a write is staged as Temp; then Path is linked (or copied) to Kept, and
// Temp renamed to Path. A removal renames Path to Kept. A move renames Path to To. Kept is removed when all steps are done.
type record struct {
	Kind string   `json:"kind"`
	Path string   `json:"path"`
	Base sdk.Base `json:"base"`           // what was there
	Next sdk.Base `json:"next,omitempty"` // what a write puts there
	To   string   `json:"to"`
	Temp string   `json:"temp"`
	Kept string   `json:"kept"`
}

// stagedName is a new name beside a path.
func stagedName(path string) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	return filepath.Join(filepath.Dir(path), staged.Prefix+hex.EncodeToString(random[:])+staged.Suffix)
}

// quoted returns a copy in which names are in ASCII: they need not be UTF-8, and JSON must.
func (j *intent) quoted() *intent {
	c := *j
	c.Root, c.Steps = strconv.QuoteToASCII(j.Root), slices.Clone(j.Steps)
	c.Folders, c.Leave, c.Drops = slices.Clone(j.Folders), slices.Clone(j.Leave), slices.Clone(j.Drops)
	for _, name := range c.names() {
		*name = strconv.QuoteToASCII(*name)
	}
	return &c
}

// unquote undoes it in place.
func (j *intent) unquote() (err error) {
	for _, name := range append(j.names(), &j.Root) {
		if *name, err = strconv.Unquote(*name); err != nil {
			return err
		}
	}
	return nil
}

// names are the places of all names but Root.
func (j *intent) names() []*string {
	var all []*string
	for i := range j.Steps {
		r := &j.Steps[i]
		all = append(all, &r.Path, &r.To, &r.Temp, &r.Kept, (*string)(&r.Base))
	}
	for _, names := range [][]string{j.Folders, j.Leave, j.Drops} {
		for i := range names {
			all = append(all, &names[i])
		}
	}
	if j.Entry != "" {
		all = append(all, &j.Entry)
	}
	return all
}

// writeIntent writes the record. durable also makes it survive the machine's end.
func (s *Store) writeIntent(j *intent, durable bool) error {
	data, err := json.Marshal(j.quoted())
	if err != nil {
		return err
	}
	dir := filepath.Dir(s.recordPath)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(s.recordPath, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && durable {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil && durable {
		err = fsync.Folder(dir)
	}
	if err != nil {
		_ = os.Remove(s.recordPath)
	}
	return err
}

// readIntent returns the record that a writer left, or nil. One that is cut off was never acted on, because nothing is
// written before it is complete.
func (s *Store) readIntent() (*intent, error) {
	data, err := os.ReadFile(s.recordPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var j intent
	if json.Unmarshal(data, &j) != nil {
		return nil, os.Remove(s.recordPath)
	}
	if err := j.unquote(); err != nil || j.Version != intentVersion || j.Root != s.root {
		return nil, fmt.Errorf("%s was written by another version of serena: end that one, or let it open the project first", s.recordPath)
	}
	for _, r := range j.Steps {
		for _, name := range []string{r.Temp, r.Kept} {
			if name != "" && !staged.Is(filepath.Base(name)) {
				return nil, fmt.Errorf("%s names %s, which no writer stages: remove the record", s.recordPath, name)
			}
		}
	}
	for _, name := range append(slices.Clone(j.Drops), j.Entry) {
		if name != "" && !s.journals.Holds(name) {
			return nil, fmt.Errorf("%s names %s, which is no entry of this project's journals: remove the record", s.recordPath, name)
		}
	}
	return &j, nil
}
