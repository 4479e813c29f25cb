//go:build unix

package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

// testPlugin does what a plugin may do to its host, on request.
func testPlugin() sdk.Plugin {
	o := &openings{}
	return sdk.Plugin{Name: "trial", Version: "1", Open: o.open, Close: o.close, Facades: []sdk.Facade{{
		Name: "trial", Summary: "what a host must survive",
		Methods: []sdk.Method{
			sdk.NewMethod("echo", echo, "Echoes.\n\nReturns the text."),
			sdk.NewMethod("size", size, "Big text.\n\nReturns n letters."),
			sdk.NewMethod("wait", wait, "Waits for its context.\n\nThen writes the file."),
			sdk.NewMethod("hang", hang, "Never returns.\n\nIgnores its context."),
			sdk.NewMethod("crash", crash, "Ends the process.\n\nWith this exit code."),
			sdk.NewMethod("fail", fail, "Fails.\n\nWith this kind."),
			sdk.NewMethod("list", list, "Fails with a listing.\n\nOf these."),
			sdk.NewMethod("broken", broken, "Panics.\n\nIn its own goroutine, which ends the process."),
			sdk.NewMethod("spawn", spawn, "Starts children.\n\nOne in a session of its own; returns the pids."),
			sdk.NewMethod("flood", flood, "Writes to stderr.\n\nSo many lines."),
			sdk.NewMethod("stdin", stdin, "Reads stdin.\n\nReturns what it got to the end."),
			sdk.NewMethod("print", printOut, "Prints to stdout.\n\nReturns nothing of it."),
			sdk.NewMethod("steps", steps, "Reports progress.\n\nSo many steps."),
			sdk.NewMethod("opened", o.list, "Opened projects.\n\nWith how often, and the call's own."),
			sdk.NewMethod("pid", pid, "The process.\n\nIts number."),
			sdk.NewMethod("environ", environ, "The environment.\n\nNames only."),
			sdk.NewMethod("shape", shape, "A record.\n\nTo be rendered."),
			sdk.NewMethod("edit", edit, "Uses the host.\n\nAll of its services.", sdk.CanEdit()),
		},
	}}}
}

type textParams struct {
	Text string `json:"text"`
}

type numberParams struct {
	N int `json:"n"`
}

type noParams struct{}

func echo(_ context.Context, _ *sdk.Call, p textParams) (string, error) { return p.Text, nil }

func size(_ context.Context, _ *sdk.Call, p numberParams) (string, error) {
	return strings.Repeat("x", p.N), nil
}

func wait(ctx context.Context, c *sdk.Call, p textParams) (string, error) {
	c.Progress(1, 0, "waiting")
	<-ctx.Done()
	return "", errors.Join(ctx.Err(), os.WriteFile(p.Text, []byte(ctx.Err().Error()), 0o600))
}

func hang(_ context.Context, c *sdk.Call, _ noParams) (string, error) {
	c.Progress(1, 0, "hanging")
	select {}
}

func crash(_ context.Context, c *sdk.Call, p numberParams) (string, error) {
	c.Log().Error("about to crash", "code", p.N)
	os.Exit(p.N)
	return "", nil
}

func fail(_ context.Context, _ *sdk.Call, p textParams) (string, error) {
	return "", sdk.Errorf(p.Text, "it was asked to").WithData(map[string]int{"n": 1})
}

func list(_ context.Context, _ *sdk.Call, p textParams) (string, error) {
	return "", sdk.ListingErrorf(sdk.KindValue, strings.Split(p.Text, ", "), "choose one of %s", p.Text)
}

func broken(_ context.Context, _ *sdk.Call, _ noParams) (string, error) {
	go panic("as ordered")
	select {}
}

func spawn(_ context.Context, _ *sdk.Call, _ noParams) ([]int, error) {
	var pids []int
	for _, own := range []bool{false, true} {
		cmd := exec.Command("sleep", "1000")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: own}
		child, err := process.Start(cmd, process.Options{})
		if err != nil {
			return nil, err
		}
		pids = append(pids, child.Pid())
	}
	return pids, nil
}

func flood(_ context.Context, c *sdk.Call, p numberParams) (string, error) {
	for i := range p.N {
		c.Log().Info("flood", "i", i)
	}
	fmt.Fprintln(os.Stderr, strings.Repeat("long ", 10_000))
	return "", nil
}

func stdin(_ context.Context, _ *sdk.Call, _ noParams) (string, error) {
	data, err := io.ReadAll(os.Stdin)
	return string(data), err
}

func printOut(_ context.Context, _ *sdk.Call, p textParams) (string, error) {
	for range 1000 {
		fmt.Println(p.Text)
	}
	return "printed", nil
}

func steps(_ context.Context, c *sdk.Call, p numberParams) (int, error) {
	for i := range p.N {
		c.Progress(float64(i+1), float64(p.N), fmt.Sprint("step ", i+1))
	}
	return p.N, nil
}

func pid(context.Context, *sdk.Call, noParams) (int, error) { return os.Getpid(), nil }

func environ(context.Context, *sdk.Call, noParams) ([]string, error) {
	var names []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

type Shape struct {
	Corners int `json:"corners"`
}

func (s Shape) RenderText(p sdk.Policy) string {
	return strings.Repeat(string('a'+rune(p.Int("letter", 0))), s.Corners)
}

type shapeParams struct {
	Corners int `json:"corners"`
	Letter  int `json:"letter" default:"0" output:"true"`
}

func shape(_ context.Context, _ *sdk.Call, p shapeParams) (Shape, error) {
	return Shape{Corners: p.Corners}, nil
}

// edit goes through the host's services and tells what they answered.
func edit(ctx context.Context, c *sdk.Call, p textParams) ([]string, error) {
	said := []string{}
	note := func(what string, v any, err error) { said = append(said, fmt.Sprint(what, " ", v, " ", err)) }
	n, err := c.WriteFiles(ctx,
		sdk.EditFile("a", "base", sdk.ByteEdit{Start: 1, End: 3, Text: []byte("é")}),
		sdk.WriteFile("b", sdk.Absent, []byte(p.Text)), sdk.DeleteFile("c", "old"), sdk.RenameFile("d", "old", "e"))
	note("write", n, err)
	changes, err := c.Changes(ctx, 7)
	note("changes", changes, err)
	note("report", nil, c.ReportChanged(ctx, "x", "y"))
	var value string
	err = c.CallFacade(ctx, "other", "method", map[string]int{"n": 1}, &value)
	note("call", value, err)
	err = c.CallFacade(ctx, "other", "missing", nil, nil)
	note("call", nil, err)
	return said, nil
}

// openings records the projects that this process was told of.
type openings struct {
	mu   sync.Mutex
	seen []string
}

func (o *openings) open(_ context.Context, p *sdk.Project) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p.Name == "refused" && !slices.Contains(o.seen, "refused once") {
		o.seen = append(o.seen, "refused once")
		return sdk.Errorf(sdk.KindValue, "not this one")
	}
	if p.Name == "deadly" { // ends the first process that is told of it
		if _, err := os.Stat(p.Root + "/died"); err != nil {
			os.WriteFile(p.Root+"/died", nil, 0o600)
			os.Exit(5)
		}
	}
	o.seen = append(o.seen, p.ID)
	return nil
}

func (o *openings) close(_ context.Context, id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, "closed "+id)
}

func (o *openings) list(_ context.Context, c *sdk.Call, _ noParams) ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p, err := c.Project()
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(o.seen), "call "+p.ID+" "+p.Root+" "+p.Name+" "+p.Encoding+" "+p.DataFolder), nil
}
