package sdktest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/serena-go/serena/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type textParams struct {
	Text string   `json:"text"`
	Mood mood     `json:"mood" default:"'calm'"`
	Tags []string `json:"tags" default:"()"`
	At   *int     `json:"at" default:"None"`
}

type mood string

func (mood) LiteralValues() []string { return []string{"calm", "wild"} }

type none struct{}

type note struct {
	Text string `json:"text"`
}

func (n note) RenderText(p sdk.Policy) string { return strings.ToUpper(n.Text) }

func say(_ context.Context, c *sdk.Call, p textParams) (note, error) {
	c.Log().Info("said", "text", p.Text)
	return note{p.Text}, nil
}

func wait(ctx context.Context, c *sdk.Call, _ none) (string, error) {
	c.Progress(1, 2, "waiting")
	<-ctx.Done()
	return "", ctx.Err()
}

func large(context.Context, *sdk.Call, none) (string, error) {
	return strings.Repeat("x", sdk.MaxValueBytes), nil
}

// touch reads and writes through the host.
func touch(ctx context.Context, c *sdk.Call, _ none) (string, error) {
	p, err := c.Project()
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(p.Root + "/a.txt")
	if err != nil {
		return "", err
	}
	_, err = c.WriteFiles(ctx, sdk.EditFile("a.txt", sdk.BaseOf(data), sdk.ByteEdit{Start: 0, End: 0, Text: []byte("b")}))
	return "OK", err
}

func pluginOf(methods ...sdk.Method) sdk.Plugin {
	return sdk.Plugin{Name: "trial", Facades: []sdk.Facade{{Name: "trial", Summary: "what the suite is tried with", Methods: methods}}}
}

const doc = "Does it.\n\nAs it says."

func goodMethods() []sdk.Method {
	methods := []sdk.Method{
		sdk.NewMethod("say", say, doc, sdk.Example(`trial.say("hello", tags=["a"])`), sdk.Example(`trial.say("")`)),
		sdk.NewMethod("wait", wait, doc),
		sdk.NewMethod("large", large, doc),
		sdk.NewMethod("touch", touch, doc, sdk.CanEdit(), sdk.Example("trial.touch()"), sdk.Example("trial.touch()")),
	}
	return append(methods, sdk.NewContextManager("hold", func(context.Context, *sdk.Call, none) (note, error) { return note{"held"}, nil },
		func(_ context.Context, _ *sdk.Call, n note, e sdk.Exit) error {
			if n.Text != "held" || e.Failed {
				return sdk.Errorf(sdk.KindValue, "not as it was entered: %+v %+v", n, e)
			}
			return nil
		}, doc, sdk.Example("trial.hold()"))...)
}

var goodOptions = Options{Files: map[string]string{"a.txt": "a\n"}, Slow: "trial.wait()", Large: "trial.large()"}

func TestRun_aGoodPlugin(t *testing.T) {
	t.Parallel()
	p := pluginOf(goodMethods()...)
	p.Settings = struct {
		Limit int `json:"limit"`
	}{3}
	o := goodOptions
	o.OwnSettings = map[string]int{"limit": 4}
	Run(t, p, o)
}

// lax takes any arguments.
type lax struct {
	Text string `json:"text"`
}

func (l *lax) UnmarshalJSON([]byte) error { return nil }

// moody is shown otherwise each time.
type moody struct {
	N int `json:"n"`
}

var shown atomic.Int64

func (moody) RenderText(sdk.Policy) string { return fmt.Sprint(shown.Add(1)) }

func TestRun_badPlugins(t *testing.T) {
	t.Parallel()
	quick := func(name string, f func() error, opts ...sdk.MethodOption) sdk.Plugin {
		return pluginOf(sdk.NewMethod(name, func(context.Context, *sdk.Call, none) (string, error) { return "", f() }, doc, opts...))
	}
	example := sdk.Example("trial.m()")
	ignorant := func(t *testing.T) sdk.Plugin {
		released := make(chan struct{})
		t.Cleanup(func() { close(released) })
		return quick("m", func() error { <-released; return nil })
	}
	for name, c := range map[string]struct {
		plugin func(t *testing.T) sdk.Plugin
		change func(o *Options)
		says   string
	}{
		"not valid": {func(*testing.T) sdk.Plugin { return quick("class", func() error { return nil }) }, nil, `definition: the name of the method, "class"`},
		"fails": {func(*testing.T) sdk.Plugin {
			return quick("m", func() error { return sdk.Errorf("OddError", "no") }, example)
		}, nil, "example: trial.m() fails: OddError: no"},
		"panics":  {func(*testing.T) sdk.Plugin { return quick("m", func() error { panic("oh") }, example) }, nil, "example: trial.m() fails: RuntimeError: trial.m failed by a fault of its own (oh)"},
		"crashes": {func(*testing.T) sdk.Plugin { return quick("m", crash, example) }, nil, "example: trial.m({}) was not answered"},
		"renders as it likes": {func(*testing.T) sdk.Plugin {
			return pluginOf(sdk.NewMethod("m", func(context.Context, *sdk.Call, none) (moody, error) { return moody{}, nil }, doc, example))
		}, nil, `rendering: trial.m() is shown as "1" by the call and as "2" afterwards`},
		"takes anything": {func(*testing.T) sdk.Plugin {
			return pluginOf(sdk.NewMethod("m", func(context.Context, *sdk.Call, lax) (string, error) { return "", nil }, doc))
		}, nil, "arguments: trial.m accepts a parameter that it has not"},
		"takes any type": {func(*testing.T) sdk.Plugin {
			return pluginOf(sdk.NewMethod("m", func(context.Context, *sdk.Call, lax) (string, error) { return "", nil }, doc))
		}, nil, "arguments: trial.m accepts 12345 for text: str"},
		"begins when it is cancelled": {func(t *testing.T) sdk.Plugin { return addExample(ignorant(t)) }, func(o *Options) { o.Limit = 3 * time.Second }, "cancellation: trial.m() did not return within 200ms although its context was done when it began"},
		"hears no cancel":             {ignorant, func(o *Options) { o.Slow = "trial.m()" }, "cancellation: trial.m() did not return within 200ms of its cancellation"},
		"hides a cancel": {func(*testing.T) sdk.Plugin {
			return pluginOf(sdk.NewMethod("m", func(ctx context.Context, _ *sdk.Call, _ none) (string, error) { <-ctx.Done(); return "", nil }, doc))
		}, func(o *Options) { o.Slow = "trial.m()" }, "cancellation: trial.m() was cancelled and returned no error"},
		"is not slow": {func(*testing.T) sdk.Plugin { return quick("m", func() error { return nil }) }, func(o *Options) { o.Slow = "trial.m()" }, "Slow: trial.m() returned at once"},
		"prints": {func(*testing.T) sdk.Plugin {
			return quick("m", func() error { fmt.Println("hello"); return nil }, example)
		}, nil, `stdout: a plugin prints nothing there, use Call.Log: "hello\n`},
		"prints at its start": {func(*testing.T) sdk.Plugin {
			if os.Getenv(serving) != "" {
				fmt.Println("starting")
			}
			return quick("m", func() error { return nil })
		}, nil, "process: the process did not become a plugin"},
		"another declaration": {func(*testing.T) sdk.Plugin {
			p := quick("m", func() error { return nil })
			p.Version = fmt.Sprint(os.Getpid())
			return p
		}, nil, "process: the process declares something else than this one"},
		"refuses the project": {func(*testing.T) sdk.Plugin {
			p := quick("m", func() error { return nil })
			p.Settings = struct{}{}
			return p
		}, func(o *Options) { o.OwnSettings = map[string]int{"a": 1} }, "open: opening a project: ValueError: plugins.trial.a"},
		"not large":       {func(*testing.T) sdk.Plugin { return quick("m", func() error { return nil }) }, func(o *Options) { o.Large = "trial.m()" }, "Large: trial.m() answers 2 bytes, which can be sent"},
		"no such call":    {func(*testing.T) sdk.Plugin { return quick("m", func() error { return nil }) }, func(o *Options) { o.Large = "trial.n()" }, "Large: Options.Large, trial.n(), is no call of a method of this plugin"},
		"crashes by size": {func(*testing.T) sdk.Plugin { return quick("m", crash) }, func(o *Options) { o.Large = "trial.m()" }, "large result: trial.m({}) was not answered"},
		"is too slow":     {func(*testing.T) sdk.Plugin { return quick("m", inChild(func() error { select {} }), example) }, func(o *Options) { o.Limit = 3 * time.Second }, "example: trial.m({}) did not answer within 3s"},
		"does not stop": {func(*testing.T) sdk.Plugin {
			p := quick("m", func() error { return nil })
			p.Stop = func(context.Context) {
				if os.Getenv(serving) != "" {
					select {}
				}
			}
			return p
		}, nil, "stop: Stop did not return within 3s"},
		"leaves a process": {func(*testing.T) sdk.Plugin { return quick("m", inChild(leave), example) }, nil, "which it has started, are left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{CancelLimit: 200 * time.Millisecond}
			if c.change != nil {
				c.change(&o)
			}
			var faults []string
			run(t, c.plugin(t), o, func(check, format string, args ...any) {
				faults = append(faults, check+": "+fmt.Sprintf(format, args...))
			})
			if !strings.Contains(strings.Join(faults, "\n"), c.says) {
				t.Errorf("want a fault that says %q, got:\n%s", c.says, strings.Join(faults, "\n"))
			}
		})
	}
}

func addExample(p sdk.Plugin) sdk.Plugin {
	p.Facades[0].Methods[0] = withExample(p.Facades[0].Methods[0])
	return p
}

func withExample(m sdk.Method) sdk.Method {
	return sdk.NewMethod("m", func(ctx context.Context, c *sdk.Call, _ none) (string, error) {
		value, _, err := pluginOf(m).Invoke(ctx, c, "trial", "m", map[string]json.RawMessage{}, 0)
		return string(value), err
	}, doc, sdk.Example("trial.m()"))
}

// inChild does something in the plugin's process only.
func inChild(f func() error) func() error {
	return func() error {
		if os.Getenv(serving) == "" {
			return nil
		}
		return f()
	}
}

var crash = inChild(func() error { os.Exit(3); return nil })

// leave starts a process that leaves its group, its session and its parent.
func leave() error {
	return exec.Command("sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & exit 0").Run()
}
