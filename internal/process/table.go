package process

import (
	"os/exec"
	"runtime"
	"sync"
)

// known is the table of this process's children, the only state of the package. It is package-level because what it mirrors is: a
// process has one list of children, and SweepOrphans can tell an orphan only by knowing all others.
var known = table{children: map[int]*Child{}}

type table struct {
	// mu is the spawn lock. It is held from before a fork until the new pid is entered, while a pid is reaped and
	// removed, and during each pass of a sweep; so a sweep never sees a child that is missing here by accident.
	mu       sync.Mutex
	children map[int]*Child // by pid, until reaped; nil for an adopted one
	thread   spawnThread
}

// has reports whether pid is a child that was started here and is not reaped yet. The caller holds mu.
func (t *table) has(pid int) bool {
	_, ok := t.children[pid]
	return ok
}

// Adopt runs start, which starts one child by other means and returns its pid, and spares that child from SweepOrphans until
// release is called. Whoever started it reaps it, and calls release only then.
func Adopt(start func() (pid int, err error)) (release func(), err error) {
	known.mu.Lock()
	defer known.mu.Unlock()
	pid, err := start()
	if err != nil {
		return nil, err
	}
	known.children[pid] = nil
	return sync.OnceFunc(func() {
		known.mu.Lock()
		defer known.mu.Unlock()
		if c, ok := known.children[pid]; ok && c == nil {
			delete(known.children, pid)
		}
	}), nil
}

// spawnThread is the OS thread that forks. Linux sends the parent-death signal when the forking thread ends, not the process, so
// the thread must live as long as any child does; it ends when the last one is reaped. The table's lock guards it.
type spawnThread struct {
	work  chan func()
	users int
}

func (t *spawnThread) start(cmd *exec.Cmd) error {
	if t.work == nil {
		t.work = make(chan func())
		go func(work <-chan func()) {
			runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
			for f := range work {
				f()
			}
		}(t.work)
	}
	t.users++
	result := make(chan error)
	t.work <- func() { result <- cmd.Start() }
	err := <-result
	if err != nil {
		t.release()
	}
	return err
}

func (t *spawnThread) release() {
	if t.users--; t.users == 0 {
		close(t.work)
		t.work = nil
	}
}

// forget removes a reaped child. The caller holds mu.
func (t *table) forget(c *Child) {
	if t.children[c.pid] == c {
		delete(t.children, c.pid)
	}
	t.thread.release()
}
