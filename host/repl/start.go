package repl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// readyLimit bounds the time from the start of the process to its ready frame, on a machine that has other work.
const readyLimit = 30 * time.Second

// Variables that the runtime reads and takes out of its environment.
const (
	lifelineVar  = "RLM_LIFELINE_FD"
	bootstrapVar = "RLM_BOOTSTRAP"
	// workingFolderVar names the folder of cells.
	workingFolderVar = "RLM_WORKING_FOLDER"
)

const bootstrapModule = "serena_repl.bootstrap"

// Options of a Runtime.
type Options struct {
	Interpreter Interpreter  // from FindPython
	Dir         string       // from Extract
	Env         []string     // "NAME=value": the environment of cells
	Log         hclog.Logger // nil: nothing is logged
	Backend     Backend      // nil: Attach gives it before the first cell
	MemoryLimit int64        // bytes of address space of the process and of each that it starts; 0: none
}

// Start starts a runtime and waits until it is ready, thirty seconds at the longest. ctx bounds the start only; the runtime lives until
// Close, or until it ends by itself. An interpreter that is not there is an error of kind FileNotFoundError.
func Start(ctx context.Context, o Options) (*Runtime, error) {
	r := &Runtime{
		out: newOutbox(), backend: o.Backend, log: o.Log,
		turn: make(chan struct{}, 1), ready: make(chan event, 1), dead: make(chan struct{}), idle: make(chan struct{}),
		collected: newCollector(), requests: map[int]context.CancelFunc{}, contexts: map[int]entered{},
	}
	if r.log == nil {
		r.log = hclog.NewNullLogger()
	}
	if err := r.launch(o); err != nil {
		return nil, startError(o, err)
	}
	r.work.Go(r.cutOff)
	r.work.Go(func() { r.out.write(r.stdin, r.dead) })
	lifetime := context.WithoutCancel(ctx) // the first caller's cancellation must not end what later cells use
	r.work.Go(func() { r.read(lifetime) })
	r.work.Go(func() { r.sweep(lifetime) })
	go func() { // ends with the three above and the requests that they started
		r.work.Wait()
		close(r.idle)
	}()
	if err := r.awaitReady(ctx); err != nil {
		closed, cancel := context.WithCancel(lifetime)
		cancel() // no grace for a half-started one
		return nil, startError(o, errors.Join(err, r.Close(closed)))
	}
	return r, nil
}

func startError(o Options, err error) error {
	kind := sdk.KindRuntime
	if errors.Is(err, fs.ErrNotExist) {
		kind = sdk.KindFileNotFound
	}
	return sdk.Errorf(kind, "the REPL's Python %s (%s) could not be started: %w", o.Interpreter.Path, o.Interpreter.Version, err)
}

func (r *Runtime) launch(o Options) error {
	childIn, stdin, err := os.Pipe()
	if err != nil {
		return err
	}
	defer childIn.Close()
	stdout, childOut, err := os.Pipe()
	if err != nil {
		stdin.Close()
		return err
	}
	defer childOut.Close()
	cmd := exec.Command(o.Interpreter.Path, "-m", "rlm.repl")
	cmd.Dir = o.Dir // `-m` imports from here first; the bootstrap changes to the folder of cells
	r.owner = process.NewOwnerEntry()
	cmd.Env = append(environment(o), r.owner)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, &r.stderr
	// No parent-death signal: it would end Python before the lifeline ends the whole group.
	child, err := process.Start(cmd, process.Options{Lifeline: lifelineVar})
	if err != nil {
		stdin.Close()
		stdout.Close()
		return err
	}
	r.child, r.stdin, r.stdout = child, stdin, stdout
	if o.MemoryLimit > 0 {
		if err := limitMemory(child.Pid(), o.MemoryLimit); err != nil {
			r.log.Warn("the memory of cells is not limited", "error", err)
		}
	}
	return nil
}

// environment is that of cells, and what the runtime needs.
func environment(o Options) []string {
	return append(plainEnvironment(o.Dir, o.Env), bootstrapVar+"="+bootstrapModule)
}

// plainEnvironment lets Python import the runtime. PYTHONPATH serves an interpreter that is told (PYTHONSAFEPATH) not to import from its
// working directory, or that is started elsewhere; the runtime removes our entry.
func plainEnvironment(dir string, given []string) []string {
	env := make([]string, 0, len(given)+4)
	path := dir
	for _, entry := range given {
		name, value, _ := strings.Cut(entry, "=")
		switch {
		case name == "PYTHONPATH" && value != "":
			path = dir + string(os.PathListSeparator) + value
		case name == "PYTHONDONTWRITEBYTECODE", name == "PYTHONINSPECT", name == process.OwnerVariable, strings.HasPrefix(name, "RLM_"):
		default:
			env = append(env, entry)
		}
	}
	return append(env, "PYTHONPATH="+path)
}

// Command is the command line and the environment of a runtime that is somebody else's: without facades and without a lifeline. dir is from
// Extract; start it there, since Python imports from the folder it starts in before the standard library. The runtime then goes to folder,
// an absolute path, for the cells.
func Command(python Interpreter, dir, folder string, env []string) (argv, environment []string) {
	environment = make([]string, 0, len(env)+2)
	for _, entry := range env {
		if path, ok := strings.CutPrefix(entry, "PYTHONPATH="); ok && path != "" {
			entry = "PYTHONPATH=" + absoluteList(path, folder)
		}
		environment = append(environment, entry)
	}
	return []string{python.Path, "-m", "rlm.repl"}, append(plainEnvironment(dir, environment), workingFolderVar+"="+folder)
}

// absoluteList is a list of folders as they are named from folder.
func absoluteList(list, folder string) string {
	entries := filepath.SplitList(list)
	for i, entry := range entries {
		if !filepath.IsAbs(entry) {
			entries[i] = filepath.Join(folder, entry)
		}
	}
	return strings.Join(entries, string(os.PathListSeparator))
}

func (r *Runtime) awaitReady(ctx context.Context) error {
	limit := time.NewTimer(readyLimit)
	defer limit.Stop()
	select {
	case e := <-r.ready:
		if e.Protocol != protocolVersion {
			return fmt.Errorf("it speaks protocol %d, not %d: the unpacked runtime does not belong to this serena; remove its folder", e.Protocol, protocolVersion)
		}
		r.mu.Lock()
		r.python = e.Python
		r.mu.Unlock()
		r.log.Debug("Python is ready", "pid", r.child.Pid(), "version", e.Python)
		return nil
	case <-r.dead:
		r.mu.Lock()
		defer r.mu.Unlock()
		return fmt.Errorf("it ended before it was ready (%s)", r.withLastWords(r.exit))
	case <-limit.C:
		return fmt.Errorf("it was not ready within %v; it said: %q", readyLimit, r.stderr.String())
	case <-ctx.Done():
		return ctx.Err()
	}
}
