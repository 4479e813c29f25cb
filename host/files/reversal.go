package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serena-go/serena/host/journal"
	"github.com/serena-go/serena/sdk"
)

// reversal works out the steps that take entries back. It goes back through them, the newest first, in its own picture of the
// files, and compares that with the disk in the end. It changes nothing.
type reversal struct {
	store   *Store
	log     *journal.Log
	found   map[string]*item // what is on the disk, by path
	items   map[string]*item // what shall be there
	foreign []string         // what somebody else changed since, as the user knows it; sorted
	leaving map[string]bool  // folders that the entries made
	nested  bool             // one of those stands where a file shall be
}

// item is what is, or shall be, at a path.
type item struct {
	base    sdk.Base // as baseAt tells it
	path    string   // where it is on the disk with this very content; "": nowhere
	content []byte   // of a file that is not on the disk
	like    stamp    // its owner and mode; for what is on the disk, its stamp
	lost    bool     // it is not known what it should be
}

const linkBase = "link to "

// errNested reports that a path is a folder at one time and a file at another.
var errNested = errors.New("a file and a folder of the same name")

func newReversal(s *Store, l *journal.Log) *reversal {
	return &reversal{store: s, log: l, found: map[string]*item{}, items: map[string]*item{}, leaving: map[string]bool{}}
}

// at is what the picture has at a path; at first what is on the disk.
func (r *reversal) at(path string) (*item, error) {
	if it, ok := r.items[path]; ok {
		return it, nil
	}
	it, err := r.look(path)
	if err != nil {
		return nil, osError("read", r.store.name(path), err)
	}
	r.found[path], r.items[path] = it, it
	return it, nil
}

// look finds what is on the disk. What cannot be reached under this name any more has changed: "" is no entry's base.
func (r *reversal) look(path string) (*item, error) {
	place, err := r.store.place(path)
	if err == nil {
		var real string
		if real, err = r.store.entry(place); err == nil && real != path {
			return &item{}, nil
		}
	}
	if err != nil && !isAbsent(err) {
		return nil, err
	}
	st, err := lstamp(path)
	if isAbsent(err) {
		return &item{base: sdk.Absent}, nil
	}
	if err != nil {
		return nil, err
	}
	base, err := baseAt(path)
	return &item{base: base, path: path, like: st}, err
}

// take goes back behind an entry.
func (r *reversal) take(e *journal.Entry) error {
	kept, err := r.log.Kept(e)
	if err != nil {
		return osError("read", e.Path(), err)
	}
	for _, dir := range e.Folders {
		r.leaving[string(dir)] = true
	}
	for i, st := range slices.Backward(e.Steps) {
		if err := r.takeStep(&st, kept[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reversal) takeStep(st *journal.Step, kept []byte) error {
	path, to := string(st.Path), string(st.To)
	now, err := r.at(path)
	if err != nil {
		return err
	}
	before := sdk.Base(st.Before)
	switch st.Kind {
	case kindWrite:
		if !r.expect(path, now, sdk.Base(st.After)) {
			return nil
		}
		r.items[path], err = r.written(st, now, kept)
		return err
	case kindRemove:
		if !r.expect(path, now, sdk.Absent) {
			return nil
		}
		r.items[path] = &item{base: before, content: kept, like: stampWith(st.Mode, st.UID, st.GID)}
		return nil
	case kindMove:
		moved, err := r.at(to)
		if err != nil {
			return err
		}
		there := r.expect(to, moved, before)
		if !onlyCaseDiffers(path, to) && !r.expect(path, now, sdk.Absent) || !there {
			return nil
		}
		r.items[path], r.items[to] = moved, &item{base: sdk.Absent}
		return nil
	}
	return fmt.Errorf("the journal has a step of the kind %q, which this serena does not know", st.Kind)
}

// expect checks that the picture is as an edit left it; if not, somebody else wrote in between.
func (r *reversal) expect(path string, now *item, base sdk.Base) bool {
	if now.base == base && !now.lost {
		return true
	}
	if base == sdk.Absent && r.leaves(path) {
		r.nested = true
		return true
	}
	if name := r.store.name(path); !now.lost && !slices.Contains(r.foreign, name) {
		r.foreign = append(r.foreign, name)
		slices.Sort(r.foreign)
	}
	r.items[path] = &item{lost: true}
	return false
}

// leaves reports whether at a path is a folder that goes with what is taken back, because nothing else is in it.
func (r *reversal) leaves(path string) bool {
	if !r.leaving[path] {
		return false
	}
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		it := r.items[name]
		if err == nil && !(d.IsDir() && r.leaving[name]) && (it == nil || it.base != sdk.Absent) {
			err = errNested
		}
		return err
	})
	return err == nil
}

// written is the file before a write.
func (r *reversal) written(st *journal.Step, now *item, kept []byte) (*item, error) {
	if sdk.Base(st.Before) == sdk.Absent {
		return &item{base: sdk.Absent}, nil
	}
	after, err := r.content(now)
	if err != nil {
		return nil, err
	}
	if st.Prefix < 0 || st.Suffix < 0 || st.Prefix+st.Suffix > int64(len(after)) {
		return nil, errDamagedJournal(r.log)
	}
	content := slices.Concat(after[:st.Prefix], kept, after[int64(len(after))-st.Suffix:])
	if sdk.BaseOf(content) != sdk.Base(st.Before) {
		return nil, errDamagedJournal(r.log)
	}
	return &item{base: sdk.Base(st.Before), content: content, like: now.like}, nil
}

func errDamagedJournal(l *journal.Log) error {
	return sdk.Errorf(sdk.KindRuntime, "the journal in %s is damaged: nothing was taken back", l.Dir())
}

// content reads what an item holds. A file that was changed since it was looked at is a StaleError.
func (r *reversal) content(it *item) ([]byte, error) {
	if it.path == "" {
		return it.content, nil
	}
	now, err := readRegular(it.path, r.store.name(it.path))
	if err != nil {
		return nil, osError("read", r.store.name(it.path), err)
	}
	if now.base != it.base {
		return nil, stale(r.store.name(it.path))
	}
	return now.content, nil
}

// steps are what makes the disk like the picture.
func (r *reversal) steps() ([]*step, error) {
	var changed []string
	paths := map[string]struct{}{}
	for path, it := range r.items {
		if it != r.found[path] {
			changed = append(changed, path)
			paths[path] = struct{}{}
		}
	}
	if _, _, nested := nesting(paths); nested || r.nested {
		return nil, errNested
	}
	slices.Sort(changed)
	var steps []*step
	moved := map[string]bool{} // from there
	for _, path := range changed {
		it := r.items[path]
		if r.base(path) != sdk.Absent || it.path == "" || moved[it.path] || r.items[it.path].base != sdk.Absent {
			continue
		}
		moved[path], moved[it.path] = true, true
		steps = append(steps, r.step(record{Kind: kindMove, Path: it.path, To: path, Base: it.base}, it.like))
	}
	for _, path := range changed {
		if moved[path] {
			continue
		}
		st, err := r.toBe(path)
		if err != nil {
			return nil, err
		}
		if st != nil {
			steps = append(steps, st)
		}
	}
	return steps, nil
}

// base is what is on the disk now.
func (r *reversal) base(path string) sdk.Base { return r.found[path].base }

// toBe is the step that makes one path what it shall be, nil if there is nothing to do.
func (r *reversal) toBe(path string) (*step, error) {
	now, it := r.found[path], r.items[path]
	if now.base == it.base && (it.base == sdk.Absent || sameAttributes(now.like, it.like)) {
		return nil, nil
	}
	if it.base == sdk.Absent {
		return r.step(record{Kind: kindRemove, Path: path, Base: now.base}, now.like), nil
	}
	if now.like.isRegular() {
		if err := checkWritable(path); err != nil {
			return nil, osError("write", r.store.name(path), err)
		}
	}
	st := r.step(record{Kind: kindWrite, Path: path, Base: now.base, Next: it.base}, now.like)
	if target, isLink := strings.CutPrefix(string(it.base), linkBase); isLink {
		st.link = target
		return st, nil
	}
	var err error
	st.content, err = r.content(it)
	st.like = it.like
	return st, err
}

func sameAttributes(a, b stamp) bool {
	aMode, aUID, aGID := a.attributes()
	bMode, bUID, bGID := b.attributes()
	return aMode == bMode && aUID == bUID && aGID == bGID
}

func (r *reversal) step(of record, seen stamp) *step {
	st := &step{record: of, shown: r.store.name(of.Path), rel: r.store.told(of.Path), seen: seen}
	if of.Kind == kindMove {
		st.toRel = r.store.told(of.To)
	}
	return st
}
