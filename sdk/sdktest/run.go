package sdktest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// Options say what a plugin needs to be tried. All are optional; without Files, Prepare and examples little can be run.
type Options struct {
	// Files are made in the project's folder, by path, before the examples run; the examples find them, and change them for those
	// that follow.
	Files map[string]string
	// Prepare is called with the project's folder, after Files were made.
	Prepare func(t testing.TB, root string)
	// Settings are the project's, see sdk.ProjectSettings; nil: none.
	Settings any
	// OwnSettings are the plugin's own, see sdk.Project.PluginSettings; nil: none.
	OwnSettings any

	// Slow is a call, written like an example, that takes ten seconds or more unless it is cancelled, such as
	// `shell.execute_shell_command("sleep 60")`. It is cancelled, and is under way when the plugin is stopped and when its host is gone.
	Slow string
	// Large is a call, written like an example, whose result has more bytes than can be sent (sdk.MaxValueBytes). An error is the answer, or
	// what fits with a member `complete` that is False.
	Large string

	// Environment is added to the plugin's process, "NAME=value".
	Environment []string
	// Limit is the longest time of an example; 0 means 30 seconds.
	Limit time.Duration
	// CancelLimit is the longest time from a cancellation to the method's return; 0 means two seconds.
	CancelLimit time.Duration
}

// stopLimit is the longest time that a plugin may take to stop, or to end when its host is gone.
const stopLimit = 3 * time.Second

// serving names the environment variable that tells the test binary to be the plugin of that test.
const serving = "SERENA_SDKTEST_SERVE"

// Run is the conformance suite that every plugin passes. It checks, in this process and with the plugin in a process of its own, that
//
//   - the definition is valid, and the process declares the same;
//   - every documented example (sdk.Example) runs, in the order of the methods, answers what its result type promises, and is rendered the
//     same later;
//   - unknown and wrongly typed arguments, methods and projects are refused by an error that names them;
//   - cancellation is obeyed in time;
//   - nothing is printed on stdout;
//   - a result that is too large is an error, or says that it is incomplete, and the next call is answered;
//   - stopping, and the end of the host, end the process in time and leave no child.
//
// One call is all that a plugin's test needs:
//
//	func TestConformance(t *testing.T) { sdktest.Run(t, plugin, sdktest.Options{Files: …}) }
//
// The process is the test binary, started again for this test alone; so Run must be reached whatever the environment, and what stands
// before it is run there as well.
func Run(t *testing.T, plugin sdk.Plugin, o Options) {
	t.Helper()
	run(t, plugin, o, func(check, format string, args ...any) { t.Helper(); t.Errorf(check+": "+format, args...) })
}

// run reports each fault with the check that found it.
func run(t testing.TB, plugin sdk.Plugin, o Options, report reporter) {
	t.Helper()
	if os.Getenv(serving) == t.Name() {
		sdk.ServeProcess(plugin) // ends the process
	}
	if o.Limit == 0 {
		o.Limit = 30 * time.Second
	}
	if o.CancelLimit == 0 {
		o.CancelLimit = 2 * time.Second
	}
	s := &suite{t: t, plugin: plugin, manifest: plugin.Manifest(), options: o, report: report}
	if !s.definition() {
		return // nothing can be relied on
	}
	s.cancellation()
	s.inItsOwnProcess()
	s.withoutHost()
}

type reporter func(check, format string, args ...any)

// suite is one run.
type suite struct {
	t        testing.TB
	plugin   sdk.Plugin
	manifest sdk.Manifest
	options  Options
	report   reporter
}

func (s *suite) definition() bool {
	if err := s.plugin.Validate(); err != nil {
		s.report("definition", "%v", err)
		return false
	}
	parsed, err := sdk.ParseManifest(s.manifest.JSON())
	if err == nil && parsed.Digest() != s.manifest.Digest() {
		err = sdk.Errorf(sdk.KindValue, "it is another one when it is printed and read again")
	}
	if err != nil {
		s.report("definition", "the manifest: %v", err)
	}
	return err == nil
}

// project makes a project that holds the files.
func (s *suite) project(id string) *sdk.Project {
	s.t.Helper()
	root, err := filepath.EvalSymlinks(s.t.TempDir())
	if err != nil {
		s.t.Fatal(err)
	}
	for name, text := range s.options.Files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	if s.options.Prepare != nil {
		s.options.Prepare(s.t, root)
	}
	p := newProject(s.t, s.plugin.Name, root, s.options.Settings, s.options.OwnSettings)
	p.ID = id
	return p
}

// example is a call that a method documents.
type example struct {
	facade, text string
	method       sdk.MethodDecl
	args         []byte // complete
}

// examples lists all, in the order of the methods. Their form is part of the definition.
func (s *suite) examples() []example {
	var all []example
	for _, f := range s.manifest.Facades {
		for _, m := range f.Methods {
			for _, text := range m.Examples {
				if e, err := s.bind(f.Name, m, text); err == nil {
					all = append(all, e)
				}
			}
		}
	}
	return all
}

func (s *suite) bind(facade string, m sdk.MethodDecl, text string) (example, error) {
	args, err := m.ExampleArguments(facade, text)
	if err != nil {
		return example{}, err
	}
	bound, err := m.Bind(facade, args, AnswerLimit)
	return example{facade: facade, text: text, method: m, args: bound}, err
}

// call finds the method that an option's call names.
func (s *suite) call(option, text string) (example, bool) {
	for _, f := range s.manifest.Facades {
		for _, m := range f.Methods {
			if e, err := s.bind(f.Name, m, text); err == nil {
				return e, true
			}
		}
	}
	s.report(option, "Options.%s, %s, is no call of a method of this plugin with arguments that fit", option, text)
	return example{}, false
}

// cancellation runs in this process, where a method's return can be seen.
func (s *suite) cancellation() {
	p := s.project("cancelled")
	h := Open(s.t, s.plugin, p)
	gone, cancel := context.WithCancel(s.t.Context())
	cancel()
	for _, e := range s.examples() {
		returned := h.begin(gone, e)
		if _, late := awaitReturn(returned, s.options.CancelLimit); late {
			s.report("cancellation", "%s did not return within %s although its context was done when it began", e.text, s.options.CancelLimit)
		}
	}
	if s.options.Slow == "" {
		return
	}
	e, ok := s.call("Slow", s.options.Slow)
	if !ok {
		return
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	returned := h.begin(ctx, e)
	if err, late := awaitReturn(returned, underWay); !late {
		s.report("Slow", "%s returned at once (error: %v), so its cancellation cannot be tried", e.text, err)
		return
	}
	cancel()
	switch err, late := awaitReturn(returned, s.options.CancelLimit); {
	case late:
		s.report("cancellation", "%s did not return within %s of its cancellation: a method ends when its context does", e.text, s.options.CancelLimit)
	case err == nil:
		s.report("cancellation", "%s was cancelled and returned no error: a method whose work is cut short returns its context's", e.text)
	}
}

// underWay is when a slow call is taken to be in the middle of its work: long enough for a process to be started.
const underWay = 300 * time.Millisecond

// awaitReturn waits for a method's return; late tells that it did not come in time.
func awaitReturn(returned <-chan error, limit time.Duration) (err error, late bool) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err = <-returned:
		return err, false
	case <-timer.C:
		return nil, true
	}
}

// leftovers waits until no process that the plugin's own has started is left.
func leftovers(c *child, limit time.Duration) []int {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		left, _ := process.Carrying(c.owner) // where it cannot be known, nothing is left
		if len(left) == 0 {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return left
		}
	}
}
