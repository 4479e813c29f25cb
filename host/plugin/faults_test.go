//go:build unix

package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// beside is a Manager with a plugin that has a fault, as a third party's, and a healthy one that is called all the while.
type beside struct {
	*Manager
	bad api.Provider
	log *lines
	end func() // of the calls of the healthy one
}

func newBeside(t *testing.T, fault string) *beside {
	t.Helper()
	p := newTrialWith(t, rolePlugin, Options{Home: t.TempDir(), StartTimeout: 10 * time.Second})
	if fault == "hangs in Attach" || fault == "no line ends" {
		p.options.StartTimeout = 2 * time.Second
	}
	spec := trialSpec(t, roleBad)
	spec.Command, spec.Builtin = append(spec.Command, fault), false
	get[string](t, p, request("echo", "text", "x"))
	ending, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	called := 0
	var calls sync.WaitGroup
	calls.Go(func() {
		for ; ending.Err() == nil; called++ {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ending), patience)
			if _, err := p.Call(ctx, request("echo", "text", "x")); err != nil {
				t.Errorf("the healthy plugin: %v", err)
				stop()
			}
			cancel()
		}
	})
	end := sync.OnceFunc(func() {
		stop()
		calls.Wait()
		if s := p.Status()[0]; called < 2 || s.Starts != 1 {
			t.Errorf("the healthy plugin was called %d times: %+v", called, s)
		}
	})
	t.Cleanup(end) // before the Manager is stopped
	return &beside{Manager: p.Manager, bad: p.Manager.Provider(spec), log: p.log, end: end}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for fault, c := range map[string]struct {
		project bool
		kind    string // of the error; "": the call answers
		says    []string
	}{
		"listens on TCP":                     {kind: sdk.KindPermission, says: []string{"listens on tcp 127.0.0.1:", "$PLUGIN_UNIX_SOCKET_DIR"}},
		"listens in the open":                {kind: sdk.KindPermission, says: []string{"listens on unix ", "others on this machine could call it"}},
		"no line ends":                       {kind: sdk.KindRuntime, says: []string{`printed "xxxx`, "where the handshake belongs"}},
		"leaves in the handshake":            {kind: sdk.KindRuntime, says: []string{"ended before it was ready", "exit code 4"}},
		"hangs in Attach":                    {kind: sdk.KindTimeout, says: []string{"was not ready within 2s and was killed"}},
		"leaves in Attach":                   {kind: sdk.KindConnection, says: []string{"attaching", "exit code 6"}},
		"declares something else":            {kind: sdk.KindRuntime, says: []string{"was changed since its declaration was read"}},
		"declares nothing":                   {kind: sdk.KindRuntime, says: []string{"not a plugin's manifest"}},
		"leaves in Open":                     {project: true, kind: sdk.KindConnection, says: []string{"opening project", "exit code 7"}},
		"crashes":                            {kind: sdk.KindConnection, says: []string{"exit code 9"}},
		"answers no JSON":                    {kind: sdk.KindRuntime, says: []string{`its value is no JSON: "{\"a\":"`, "tell its author"}},
		"answers an unknown type":            {kind: sdk.KindRuntime, says: []string{`of the type "Nonsense", which the plugin does not declare`}},
		"answers a number for text":          {kind: sdk.KindRuntime, says: []string{`its value begins with "5", and its method is declared to answer str`, "tell its author"}},
		"answers nothing":                    {kind: sdk.KindRuntime, says: []string{"ended the call without an answer", "tell its author"}},
		"fails without a kind":               {kind: sdk.KindRuntime, says: []string{"just so"}},
		"floods stderr":                      {},
		"floods stdout":                      {},
		"floods progress":                    {},
		"floods stderr without a line's end": {},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			b := newBeside(t, fault)
			req := request("echo", "text", "x")
			if c.project {
				req.Project = someProject(t, "p")
			}
			longest := 0
			req.Progress = func(done, _ float64, message string) {
				if longest = max(longest, len(message)); done != 0 {
					t.Errorf("progress %v", done)
				}
			}
			if c.kind == "" {
				if got := get[string](t, b.bad, req); got != "fine" {
					t.Errorf("%q", got)
				}
			} else {
				err := fails(t, b.bad, req)
				if !sdk.IsKind(err, c.kind) {
					t.Errorf("%v is no %s", err, c.kind)
				}
				mustContain(t, err.Error(), c.says...)
			}
			if longest > maxProgressRunes+10 {
				t.Errorf("a message of %d bytes", longest)
			}
			if n := len(b.log.String()); n > 2*logBurst*1000 {
				t.Errorf("the log has %d bytes", n)
			}
		})
	}
}

// TestFaults_hanging: what hangs holds up its own callers alone, for as long as they want, and is killed at the end.
func TestFaults_hanging(t *testing.T) {
	t.Parallel()
	for fault, c := range map[string]struct{ project, render, answers bool }{
		"hangs in Open": {project: true}, "hangs in Call": {}, "hangs in Render": {render: true}, "hangs in Close": {project: true, answers: true}, "hangs in Stop": {answers: true},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			b := newBeside(t, fault)
			req := request("echo", "text", "x")
			if c.project {
				req.Project = someProject(t, "p")
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			var err error
			if c.render {
				_, err = b.bad.Render(ctx, "Shape", nil, nil)
			} else {
				_, err = b.bad.Call(ctx, req)
			}
			if c.answers && err != nil || !c.answers && !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			if c.answers && c.project {
				closing, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				begin := time.Now()
				b.CloseProject(closing, "p")
				if took := time.Since(begin); took > 5*time.Second {
					t.Errorf("CloseProject took %s", took)
				}
			}
			var pids []int
			for _, s := range b.Status() {
				pids = append(pids, s.Pid)
			}
			b.end()
			begin := time.Now()
			b.Stop(t.Context())
			if took := time.Since(begin); took > stopLimit+2*time.Second {
				t.Errorf("Stop took %s", took)
			}
			for _, pid := range pids {
				if pid != 0 && process.Alive(pid) {
					t.Errorf("%d lives", pid)
				}
			}
		})
	}
}

// TestFaults_memory: an answer beyond the bound is refused by its length, before it is held.
func TestFaults_memory(t *testing.T) {
	b := newBeside(t, "answers 500 MB")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	err := fails(t, b.bad, request("echo", "text", "x"))
	if !sdk.IsKind(err, sdk.KindValue) {
		t.Errorf("%v", err)
	}
	mustContain(t, err.Error(), "is bigger than the 67108864 bytes that a message may have", "ask for less")
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapSys) - int64(before.HeapSys); grown > 128<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// TestFaults_changedManifest: what a program says when it is asked for its manifest, and what is no manifest, are tested with Probe; here they
// stand beside a plugin that works.
func TestFaults_malformedManifest(t *testing.T) {
	t.Parallel()
	b := newBeside(t, "")
	cfg := testConfig(t)
	for name, script := range map[string]string{
		"torn": `echo '{"manifest_version": 1, "name"'`, "empty": ":", "older": `echo '{"manifest_version": 0, "name": "x"}'`,
		"wrong types": `echo '{"manifest_version": "1"}'`, "binary": "head -c 100000 /dev/zero",
	} {
		path := filepath.Join(cfg.Home, "plugins", strings.ReplaceAll(name, " ", "-"))
		place(t, path, script+"\n")
		if _, err := probe(t.Context(), cfg, path); err == nil || !strings.Contains(err.Error(), path+" is no plugin that can be used") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := get[string](t, b.bad, request("echo", "text", "x")); got != "fine" { // it has no fault
		t.Errorf("%q", got)
	}
	if left, err := os.ReadDir(filepath.Join(cfg.Home, "plugins")); err != nil || len(left) != 5 {
		t.Errorf("%v %v", left, err)
	}
}
