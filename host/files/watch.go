package files

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"time"

	"github.com/serena-go/serena/internal/staged"
)

// A watcher says which places of the project may have changed since it was last asked. It does not trust what the system tells of a
// change, but only where it was: a pass looks at the files themselves.
//
// The system queues an event before the call that makes a change returns, so what is in the queue when a pass begins has
// whatever was written before. Nothing waits for events in between, and nothing runs: the queue is read by passes alone, and if
// it was full meanwhile, everything is looked at once.
//
// What leaves no event in a watched folder is looked at in every pass: what links lead to, and files that have further names. Nor is
// there one for what a program writes to memory that it has mapped, or through a name given to a file elsewhere since it was last
// looked at; see verify.
type watcher struct {
	root string
	note func(string)

	queue     *notifier // nil while the project is not watched
	rootStamp stamp
	folders   map[int32][]watched // by watch: where its folder is; in more than one place if it is mounted there, too
	pass      uint64
	revisited bool // has this pass to do with a folder that was watched before

	links, hard map[string]bool // to be looked at always
	exclude     string          // git's ignore file outside of the tree; "" for none
	excluded    stamp           // its state

	retry places    // could not be looked at
	lost  bool      // something may have been missed: everything must be looked at
	next  time.Time // of the next try to watch
	told  bool      // the reason for not watching was

	maxFolders int // tests only; 0: as many as leave others enough
}

// watched is a folder.
type watched struct {
	rel  string
	pass uint64 // that found it last
}

// watchAgain is how long a project that cannot be watched is not tried again.
const watchAgain = 5 * time.Minute

// drain starts a pass: it returns the places that may differ from what is known. Without watching that is everything.
func (w *watcher) drain(known *snapshot) (places, error) {
	w.pass++
	w.revisited = false
	root, err := followed(w.root)
	if err != nil {
		w.close()
		return places{}, err
	}
	if w.queue != nil && !root.sameFile(w.rootStamp) {
		w.close() // another folder has come to its place
	}
	if w.queue == nil && !time.Now().Before(w.next) {
		w.start(root)
	}
	if w.queue == nil {
		w.revisited = true
		return everything(), nil
	}
	todo := w.retry
	w.retry = newPlaces()
	if err := w.queue.drain(func(e event) { w.sort(e, todo) }); err != nil {
		w.stop(err)
	}
	w.lookAtUnwatched(known, todo)
	if w.lost {
		todo = everything()
		w.lost, w.revisited = false, true
	}
	return todo, nil
}

func (w *watcher) start(root stamp) {
	if err := watchable(w.root); err != nil {
		w.stop(err)
		return
	}
	queue, err := newNotifier()
	if err != nil {
		w.stop(err)
		return
	}
	w.queue, w.rootStamp, w.folders, w.retry, w.lost = queue, root, map[int32][]watched{}, newPlaces(), true
	if w.maxFolders == 0 {
		w.maxFolders = maxWatches() / 2
	}
}

// close forgets everything. The next pass starts anew.
func (w *watcher) close() {
	if w.queue != nil {
		w.queue.close()
	}
	w.queue, w.folders, w.links, w.hard, w.exclude, w.retry = nil, nil, nil, nil, "", newPlaces()
}

// stop gives watching up for a while. The pass goes on without.
func (w *watcher) stop(reason error) {
	w.close()
	w.revisited, w.lost = true, true
	w.next = time.Now().Add(watchAgain)
	if !w.told && reason != nil {
		w.told = true
		w.note(fmt.Sprintf("%s is not watched, %v: what changed in it is found by looking at every file", w.root, reason))
	}
}

// lose makes the next pass look at everything.
func (w *watcher) lose() { w.lost = true }

// sort adds the place of an event to those that are looked at.
func (w *watcher) sort(e event, todo places) {
	switch {
	case e.lost:
		w.lost = true
		return
	case e.ended:
		delete(w.folders, e.watch)
		w.revisited = true
		return
	case e.name == "" || staged.Is(e.name):
		return
	}
	for _, folder := range w.folders[e.watch] {
		rel := child(folder.rel, e.name)
		switch {
		case e.name == ".git":
			if folder.rel == "" && e.moved {
				w.lost = true // whose ignore file counts
			}
		case e.name == ".gitignore":
			todo.folders[folder.rel] = true
		case !e.folder:
			todo.names[rel] = true
		case e.moved:
			todo.folders[rel] = true
		}
	}
}

// lookAtUnwatched adds what is not as it was among what no event tells of.
func (w *watcher) lookAtUnwatched(known *snapshot, todo places) {
	for _, names := range []map[string]bool{w.links, w.hard} {
		for rel := range names {
			before, ok := known.known(rel)
			st, err := followed(filepath.Join(w.root, filepath.FromSlash(rel)))
			there := err == nil && st.isRegular()
			if ok != there || there && (st != before.stamp || before.base != "") {
				todo.names[rel] = true
			}
		}
	}
	if w.exclude != "" {
		if st, _ := followed(w.exclude); st != w.excluded {
			w.lost = true
		}
	}
}

// excludes names the ignore file outside of the tree, before it is read.
func (w *watcher) excludes(path string) {
	w.exclude = path
	w.excluded, _ = followed(path)
}

// add watches a folder that is about to be read.
func (w *watcher) add(rel string) {
	if w.queue == nil {
		return
	}
	if len(w.folders) >= w.maxFolders {
		w.stop(fmt.Errorf("because it has more than %d folders, half of fs.inotify.max_user_watches", w.maxFolders))
		return
	}
	id, err := w.queue.add(w.root, rel)
	switch {
	case err == nil:
	case isGone(err):
		return // the folder above tells
	case errors.Is(err, fs.ErrPermission):
		w.retry.folders[rel] = true
		return
	default:
		w.stop(err)
		return
	}
	for i, place := range w.folders[id] {
		if place.rel == rel {
			w.folders[id][i].pass = w.pass
			w.revisited = true
			return
		}
	}
	w.folders[id] = append(w.folders[id], watched{rel, w.pass})
}

// settle ends the watches of folders that were not found again, and remembers what must be looked at always.
func (w *watcher) settle(todo places, seen *sight) {
	if w.queue == nil {
		return
	}
	if len(todo.folders) > 0 {
		for id, all := range w.folders {
			w.forget(id, all, todo)
		}
	}
	if todo.isWhole() {
		w.links, w.hard = seen.links, seen.hard
	} else {
		w.links, w.hard = w.renewed(w.links, seen.links, todo), w.renewed(w.hard, seen.hard, todo)
	}
	for rel := range seen.unsure.folders {
		w.retry.folders[rel] = true
	}
	for rel := range seen.unsure.names {
		w.retry.names[rel] = true
	}
}

// renewed replaces what is in the places that were looked at.
func (w *watcher) renewed(names, seen map[string]bool, todo places) map[string]bool {
	maps.DeleteFunc(names, func(rel string, _ bool) bool {
		return todo.names[rel] || w.revisited && todo.covers(rel)
	})
	maps.Copy(names, seen)
	return names
}

// forget drops the places of a folder that are not there any more.
func (w *watcher) forget(id int32, all []watched, todo places) {
	kept := all[:0]
	for _, place := range all {
		if place.pass == w.pass || !todo.covers(place.rel) {
			kept = append(kept, place)
		}
	}
	switch {
	case len(kept) == len(all):
	case len(kept) == 0:
		w.revisited = true
		w.queue.remove(id)
		delete(w.folders, id)
	default:
		w.revisited = true
		w.folders[id] = kept
	}
}
