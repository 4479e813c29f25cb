package servers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/serena-go/serena/internal/filelock"
	"github.com/serena-go/serena/sdk"
)

const (
	installLimit = 20 * time.Minute       // a cold build of a server on a slow machine
	callWait     = 20 * time.Second       // how long a call waits before it answers that the installation goes on
	failureKept  = 2 * time.Minute        // a failed installation is not tried again before
	lockPoll     = 500 * time.Millisecond // between looks at the lock that another process holds
)

// Installer installs servers in the background, each once at a time in this process and, by a lock file, among all that
// share a Serena home. Stop ends what is under way. Make it with NewInstaller.
type Installer struct {
	lookPath func(name string) (string, error)

	lifeline int           // see NewInstaller
	wait     time.Duration // of one call
	stop     chan struct{}
	jobs     sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	stopped bool
	current map[string]*job // by folder
}

// job is one installation. err may be read when done is closed.
type job struct {
	started time.Time
	ended   time.Time
	done    chan struct{}
	err     error
}

// NewInstaller returns an Installer that finds programs on PATH. lifeline is the number of the pipe that ties this process to its
// parent, 0 without one: programs that are started end with the parent as well.
func NewInstaller(lifeline int) *Installer {
	return &Installer{lookPath: exec.LookPath, lifeline: lifeline, wait: callWait, stop: make(chan struct{}), current: map[string]*job{}}
}

// Lifeline is the number given to NewInstaller.
func (in *Installer) Lifeline() int { return in.lifeline }

// Stop ends every installation and waits until their programs are gone, or for ctx.
func (in *Installer) Stop(ctx context.Context) {
	in.mu.Lock()
	if !in.stopped {
		in.stopped = true
		close(in.stop)
	}
	in.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		in.jobs.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

// install waits a while for the tool's installation, which it starts if need be. A nil error means that the tool is there.
func (in *Installer) install(ctx context.Context, t *tool, program, home string) error {
	j, err := in.job(ctx, t, program, home)
	if err != nil {
		return err
	}
	limit := time.NewTimer(in.wait)
	defer limit.Stop()
	select {
	case <-j.done:
		return j.err
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return sdk.Errorf(sdk.KindRuntime, "%s %s is being installed with `%s` (%d s so far); call again in a while", t.name, t.version, t.manual, int(time.Since(j.started).Seconds()))
	}
}

// job returns the installation that is under way or failed a short while ago, else starts one.
func (in *Installer) job(ctx context.Context, t *tool, program, home string) (*job, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return nil, sdk.Errorf(sdk.KindRuntime, "%s is not installed, and the plugin is stopping", t.name)
	}
	folder := t.folderOf(home)
	if j := in.current[folder]; j != nil {
		select {
		case <-j.done:
			if j.err != nil && time.Since(j.ended) < failureKept {
				return j, nil
			}
		default:
			return j, nil
		}
	}
	j := &job{started: time.Now(), done: make(chan struct{})}
	in.current[folder] = j
	in.jobs.Add(1)
	// The installation goes on when the call that asked for it gives up: the next one needs it too.
	background, cancel := context.WithTimeout(context.WithoutCancel(ctx), installLimit)
	go func() {
		defer in.jobs.Done()
		defer cancel()
		go func() {
			select {
			case <-in.stop:
				cancel()
			case <-background.Done():
			}
		}()
		j.err = t.installInto(background, in, program, folder)
		j.ended = time.Now()
		close(j.done)
	}()
	return j, nil
}

// installInto builds the tool in a folder beside its place and renames it when it is complete, so that no reader sees half of it.
func (t *tool) installInto(ctx context.Context, in *Installer, program, folder string) error {
	fail := func(err error) error {
		return sdk.Errorf(sdk.KindRuntime, "%s %s cannot be installed with `%s`: %w; install it by hand and name the program in ls_path of ls_specific_settings", t.name, t.version, t.manual, err)
	}
	place := filepath.Dir(folder)
	if err := os.MkdirAll(place, 0o755); err != nil {
		return fail(err)
	}
	unlock, err := lock(ctx, folder+".lock")
	if err != nil {
		return fail(fmt.Errorf("waiting for another installation: %w", err))
	}
	defer unlock()
	if isProgram(filepath.Join(folder, t.executable())) { // by the process that held the lock
		return nil
	}
	prefix := "." + filepath.Base(folder) + "-"
	if left, err := fs.Glob(os.DirFS(place), prefix+"*"); err == nil {
		for _, name := range left { // of a process that was killed: the lock is ours
			os.RemoveAll(filepath.Join(place, name))
		}
	}
	temp, err := os.MkdirTemp(place, prefix)
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(temp)
	if err := os.Chmod(temp, 0o755); err != nil {
		return fail(err)
	}
	cmd, err := t.install(program, temp)
	if err != nil {
		return fail(err)
	}
	if _, err := in.run(ctx, cmd); err != nil {
		return fail(err)
	}
	if !isProgram(filepath.Join(temp, t.executable())) {
		return fail(errors.New("it ended without an error but left no program"))
	}
	if err := os.RemoveAll(folder); err != nil { // without the program it is of no use
		return fail(err)
	}
	if err := os.Rename(temp, folder); err != nil {
		return fail(err)
	}
	return nil
}

// lock takes the lock file, for which it waits until ctx ends. The lock dies with the process.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := filelock.Try(f)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
			f.Close()
			return nil, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		}
	}
}
