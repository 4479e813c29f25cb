package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// Bounds of asking a program for its manifest.
const (
	probeLimit       = 5 * time.Second
	maxManifestBytes = 4 << 20
	maxFaults        = 10 // of a manifest that are told
)

// Probe asks an executable for its manifest ("<path> manifest") and remembers the answer for the executable as it is now. A program
// that is no plugin, and so fails, prints something else, too much, or does not end within five seconds, is remembered too, so that it is
// not asked again before it changes; the Fault says what was tried, what came, and what to do. One whose sum the configuration
// has is run only if it has that sum. Probe itself asks always. The error is that of ctx, with which nothing is remembered.
func Probe(ctx context.Context, cfg *config.Config, f Found) (Found, error) {
	e, err := f.ask(ctx, cfg)
	if ctx.Err() != nil {
		return f, ctx.Err()
	}
	if err == nil {
		if err = remember(cfg, e); err != nil {
			err = sdk.Errorf(sdk.KindRuntime, "what plugin %s declares cannot be kept: %w; make %s writable", f.Path, err, cfg.Home)
		}
	}
	f.Known, f.Spec, f.Fault = true, Spec{}, err
	if err == nil {
		f = f.with(cfg, e)
	}
	if !f.Known { // it was run as nobody's: now it turns out whose sum it must have
		return Probe(ctx, cfg, f)
	}
	return f, nil
}

// probesAtOnce bounds the programs that are asked side by side.
const probesAtOnce = 4

// ProbeAll asks those that are not known and wanted (nil: all), side by side, and puts what comes of it in their places. When ctx ends, those
// that had not answered stay as they are, and the error is ctx's.
func ProbeAll(ctx context.Context, cfg *config.Config, all []Found, wanted func(Found) bool) error {
	var asking errgroup.Group
	asking.SetLimit(probesAtOnce)
	for i, f := range all {
		if f.Known || f.Ignored != "" || wanted != nil && !wanted(f) {
			continue
		}
		asking.Go(func() error {
			asked, err := Probe(ctx, cfg, f)
			if err == nil {
				all[i] = asked
			}
			return err
		})
	}
	return asking.Wait()
}

// ask makes the entry of an executable; an error is a fault that is not remembered.
func (f Found) ask(ctx context.Context, cfg *config.Config) (entry, error) {
	var e entry
	var err error
	if f.SHA256 != "" {
		e.SHA256, e.identity, err = sum(f.Path)
	} else {
		e.identity, err = identify(f.Path)
	}
	if err != nil {
		return e, sdk.Errorf(sdk.KindFileNotFound, "no plugin can be read from %s: %w", f.Path, err)
	}
	if f.SHA256 != "" && !strings.EqualFold(e.SHA256, f.SHA256) {
		if known, ok := remembered(cfg, e.identity); ok {
			e.Manifest, e.Fault = known.Manifest, known.Fault
		}
		return e, nil // it is not run
	}
	e.Manifest, err = askManifest(ctx, cfg.Home, f.Path)
	if err != nil {
		e.Manifest, e.Fault = nil, err.Error()
	}
	if f.SHA256 != "" {
		err = stillIs(f.File, e.identity)
		return e, err
	}
	return e, nil
}

// askManifest runs the program and returns its manifest, checked.
func askManifest(ctx context.Context, home, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	out := &boundedBuffer{full: make(chan struct{})}
	log := newPluginLog(hclog.NewNullLogger(), time.Now)
	stderr := log.stream()
	cmd := exec.Command(path, "manifest")
	cmd.Env = environment(os.Environ(), false, home)
	cmd.Stdout, cmd.Stderr = out, stderr
	owner := process.NewOwnerEntry()
	cmd.Env = append(cmd.Env, owner)
	child, err := process.Start(cmd, process.Options{ParentDeath: syscall.SIGKILL, OutputGrace: outputGrace})
	if err != nil {
		return nil, probeError(path, "it cannot be run (%v)", err)
	}
	var flooded, late bool
	select {
	case <-child.Done():
	case <-out.full:
		flooded = true
	case <-ctx.Done():
		late = true
	}
	state, err := child.Stop(context.WithoutCancel(ctx), 0) // also waits for the end; bounded
	if err != nil {
		return nil, probeError(path, "it does not end although it was killed (%v)", err)
	}
	if flooded || late {
		clear, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
		defer cancel()
		sweep(clear, owner)
	}
	stderr.flush()
	return judge(path, out.text(), log.lastLines(), state, flooded, late)
}

// judge makes sense of what came.
func judge(path, out, said string, state process.ExitState, flooded, late bool) ([]byte, error) {
	if said != "" {
		said = "; it said:\n" + said
	}
	switch {
	case flooded:
		return nil, probeError(path, "it printed more than %d bytes, beginning with %q, and was killed%s", maxManifestBytes, firstOf(out), said)
	case late:
		return nil, probeError(path, "it did not end within %s and was killed; it had printed %q%s", probeLimit, firstOf(out), said)
	case state.Code != 0:
		return nil, probeError(path, "it ended with %s; it had printed %q%s", state, firstOf(out), said)
	}
	m, err := sdk.ParseManifest([]byte(out))
	if err == nil {
		return m.JSON(), nil
	}
	if strings.HasPrefix(strings.TrimSpace(out), "{") {
		return nil, probeError(path, "what it printed is no manifest that can be used: %s%s", firstFaults(err.Error()), said)
	}
	return nil, probeError(path, "it printed %q, which is no manifest%s", firstOf(out), said)
}

func probeError(path, format string, args ...any) error {
	return fmt.Errorf("%s is no plugin that can be used: \"%s manifest\" was run for its declaration, and %s\n"+
		"remove it from the plugin folder if it is no plugin, or rebuild it with serena's sdk; it is asked again when it changes, and by \"serena plugin list\"",
		path, path, fmt.Sprintf(format, args...))
}

// firstFaults are the first lines of a manifest's faults: who gets them, a model for one, reads no thousands.
func firstFaults(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = shorten(line, 300)
	}
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fmt.Sprintf("… and %d faults more", more))
	}
	return strings.Join(lines, "\n")
}

// firstOf is the first line of an output, short enough for an error.
func firstOf(out string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return shorten(line, 200)
}

// boundedBuffer keeps up to maxManifestBytes, drops the rest, and closes full when there is a rest.
type boundedBuffer struct {
	full chan struct{}

	mu   sync.Mutex // guards the fields below
	data []byte
	over bool
}

var errFull = errors.New("more output than a manifest can have")

func (b *boundedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	keep := min(len(p), maxManifestBytes-len(b.data))
	b.data = append(b.data, p[:keep]...)
	if keep == len(p) {
		return len(p), nil
	}
	if !b.over {
		b.over = true
		close(b.full)
	}
	return keep, errFull
}

func (b *boundedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.ToValidUTF8(string(b.data), "\uFFFD")
}
