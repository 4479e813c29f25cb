package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// Oldest Python that the runtime supports.
const (
	oldestMajor = 3
	oldestMinor = 10
)

// probeLimit bounds the start of a candidate that is asked for its version.
const probeLimit = 10 * time.Second

// probeCode is also understood by Python 2, which shall be told apart from something that is no Python.
const probeCode = `import sys; print("%d.%d.%d" % sys.version_info[:3]); print(sys.executable or "")`

// Interpreter is a Python that fits.
type Interpreter struct {
	Path    string // sys.executable: what a shim or link leads to
	Version string // "3.11.7"
}

// FindOptions say where to look.
type FindOptions struct {
	Configured string   // `repl_python`: a path, a command name, or a virtual environment's folder; empty: not set
	Env        []string // "NAME=value"; of it PATH, SERENA_PYTHON and HOME are read, and candidates run with it
	Home       string   // Serena home, where answers are kept; empty: nothing is kept
}

// FindPython returns the interpreter for cells: the configured one, else the one that SERENA_PYTHON names, else the first fitting `python3`
// or, after those, `python` on PATH. One that is named is the only one tried. A candidate is run once and then known by its path,
// size and time of change.
//
// The error, of kind FileNotFoundError, tells what was found where, and what to install or set.
func FindPython(ctx context.Context, o FindOptions) (Interpreter, error) {
	env := o.environment()
	cache := openPythonCache(o.Home)
	var found []string // what was tried and why it does not fit
	for _, c := range o.candidates(env) {
		if c.fault != nil {
			found = append(found, c.fault.Error())
			continue
		}
		known, err := cache.lookup(ctx, c.path, func(ctx context.Context) (Interpreter, error) { return probe(ctx, c.path, o.Env) })
		if ctx.Err() != nil {
			return Interpreter{}, fmt.Errorf("looking for Python: %w", ctx.Err())
		}
		if err != nil {
			found = append(found, fmt.Sprintf("%s does not work: %v", c.path, err))
			continue
		}
		if !recent(known.Version) {
			found = append(found, fmt.Sprintf("%s is Python %s", c.path, known.Version))
			continue
		}
		return known, nil
	}
	return Interpreter{}, notFound(o, env, found)
}

func notFound(o FindOptions, env map[string]string, found []string) error {
	what := "no python3 and no python is on PATH"
	if len(found) > 0 {
		what = strings.Join(found, "; ")
	}
	remedy := "install Python 3.10 or newer, or name one with `repl_python` in serena_config.yml or with SERENA_PYTHON"
	switch {
	case o.Configured != "":
		remedy = "correct `repl_python` in serena_config.yml, or remove it to use the python3 on PATH"
	case env["SERENA_PYTHON"] != "":
		remedy = "correct SERENA_PYTHON, or unset it to use the python3 on PATH"
	}
	return sdk.Errorf(sdk.KindFileNotFound, "the REPL needs Python %d.%d or newer, and none was found: %s; %s", oldestMajor, oldestMinor, what, remedy)
}

// recent reports whether a version is new enough.
func recent(version string) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	return errMajor == nil && errMinor == nil && (major > oldestMajor || major == oldestMajor && minor >= oldestMinor)
}

func (o FindOptions) environment() map[string]string {
	env := make(map[string]string, len(o.Env))
	for _, entry := range o.Env {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// candidate is a program to try, or why a named one cannot be.
type candidate struct {
	path  string
	fault error
}

func (o FindOptions) candidates(env map[string]string) []candidate {
	if o.Configured != "" {
		return []candidate{named("repl_python", o.Configured, env)}
	}
	if name := env["SERENA_PYTHON"]; name != "" {
		return []candidate{named("SERENA_PYTHON", name, env)}
	}
	var all []candidate
	for _, name := range []string{"python3", "python"} {
		for _, path := range onPath(name, env) {
			all = append(all, candidate{path: path})
		}
	}
	return all
}

// named resolves a setting that is a path or the name of a command.
func named(setting, value string, env map[string]string) candidate {
	if rest, ok := strings.CutPrefix(value, "~/"); ok && env["HOME"] != "" {
		value = filepath.Join(env["HOME"], rest)
	}
	if filepath.Base(value) == value {
		if paths := onPath(value, env); len(paths) > 0 {
			return candidate{path: paths[0]}
		}
		return candidate{fault: fmt.Errorf("%s names %s, which is not on PATH", setting, value)}
	}
	if info, err := os.Stat(value); err == nil && info.IsDir() {
		return inVirtualEnvironment(setting, value)
	}
	path, err := exec.LookPath(value)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return candidate{fault: fmt.Errorf("%s names %s: %w", setting, value, pathReason(err))}
	}
	return candidate{path: path}
}

// inVirtualEnvironment is the Python of a virtual environment that is named by its folder.
func inVirtualEnvironment(setting, folder string) candidate {
	for _, place := range []string{"bin/python3", "bin/python", "Scripts/python.exe"} {
		path, err := exec.LookPath(filepath.Join(folder, filepath.FromSlash(place)))
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err == nil {
			return candidate{path: path}
		}
	}
	return candidate{fault: fmt.Errorf("%s names %s, a directory without bin/python3, so no virtual environment", setting, folder)}
}

// pathReason is the cause of a failed look-up, without the path that the message names already.
func pathReason(err error) error {
	var e *exec.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// onPath lists the executables of that name on PATH. Entries that are not absolute are left out: they would mean the project.
func onPath(name string, env map[string]string) []string {
	var paths []string
	for _, dir := range filepath.SplitList(env["PATH"]) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// probe asks a candidate for its version and its own path.
func probe(ctx context.Context, path string, env []string) (Interpreter, error) {
	var out, errOut tail
	cmd := exec.Command(path, "-c", probeCode)
	cmd.Env = append([]string{}, env...) // never nil, which would mean this process's own
	cmd.Dir = string(filepath.Separator) // neither a project's .python-version nor its modules count
	cmd.Stdout, cmd.Stderr = &out, &errOut
	child, err := process.Start(cmd, process.Options{})
	if err != nil {
		return Interpreter{}, err
	}
	limited, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	state, err := child.Wait(limited)
	if err != nil {
		child.Stop(ctx, 0) //nolint:errcheck // what counts is that it did not answer
		return Interpreter{}, fmt.Errorf("it did not tell its version within %v", probeLimit)
	}
	if state.Code != 0 {
		return Interpreter{}, fmt.Errorf("asked for its version it ended with %v: %s", state, lastLine(errOut.String()))
	}
	version, executable, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	version, executable = strings.TrimSpace(version), strings.TrimSpace(executable)
	if strings.Count(version, ".") != 2 {
		return Interpreter{}, fmt.Errorf("asked for its version it answered %q", version)
	}
	if !filepath.IsAbs(executable) {
		executable = path
	}
	return Interpreter{Path: executable, Version: version}, nil
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "no message"
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}
