package host

import (
	"time"
)

// linger is how long a project that no session uses stays with the plugins: who leaves one may soon be back, and a language server takes
// long to start.
const linger = time.Minute

// releaseUnused tells the plugins, a while later, which projects no session uses any more.
func (h *Host) releaseUnused() {
	if h.background.Err() != nil || !h.releasing.CompareAndSwap(false, true) {
		return
	}
	h.work.Go(func() {
		timer := time.NewTimer(h.linger)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-h.background.Done():
			return
		}
		h.releasing.Store(false) // what changes from here on is looked at again
		used := map[string]bool{}
		for _, p := range h.Sessions.Projects() {
			used[p.ID] = true
		}
		for _, id := range h.Plugins.Projects() {
			if !used[id] {
				h.Plugins.CloseProject(h.background, id)
			}
		}
	})
}
