package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait for an answer.
const patience = 2 * time.Minute

// client is a bare MCP client on stdio: it sends what it is told and nothing else.
type client struct {
	t       *testing.T
	cmd     *exec.Cmd
	home    string
	agent   string // the flag --agent-interface; empty: not given
	flags   []string
	hello   json.RawMessage // the answer to initialize
	stdin   io.WriteCloser
	session string

	mu      sync.Mutex // guards the fields below and writes to stdin
	next    int
	waiting map[int]chan message
	stray   []string  // lines on stdout that are no messages
	told    []message // notifications
}

type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type answer struct {
	Content []struct{ Type, Text string } `json:"content"`
	IsError bool                          `json:"isError"`
}

func (a answer) last() string {
	if len(a.Content) == 0 {
		return ""
	}
	return a.Content[len(a.Content)-1].Text
}

type option func(*client)

func withEnv(env ...string) option {
	return func(c *client) { c.cmd.Env = append(c.cmd.Env, env...) }
}

func withInterface(agent string) option {
	return func(c *client) { c.agent = agent }
}

func withArgs(flags ...string) option {
	return func(c *client) { c.flags = flags }
}

func withHome(home string) option {
	return func(c *client) { c.home = home }
}

// launch starts the server on a project and sends nothing yet. The test's end closes it and checks that nothing is left.
func launch(t *testing.T, project string, options ...option) *client {
	t.Helper()
	c := &client{t: t, home: t.TempDir(), waiting: map[int]chan message{}, session: "e2e", agent: "REPL"}
	args := []string{"start-mcp-server", "--log-level", "DEBUG"}
	if project != "" {
		args = append(args, "--project", project)
	}
	c.cmd = exec.Command(binary)
	for _, o := range options {
		o(c)
	}
	if c.agent != "" {
		args = append(args, "--agent-interface", c.agent)
	}
	c.cmd.Args = append(append(c.cmd.Args, args...), c.flags...)
	c.cmd.Env = append(environment(c.home), c.cmd.Env...)
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stderr = stderr
	c.stdin, _ = c.cmd.StdinPipe()
	stdout, _ := c.cmd.StdoutPipe()
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(stdout)
	}()
	t.Cleanup(func() {
		family := descendants(c.cmd.Process.Pid)
		c.stdin.Close()
		timer := time.AfterFunc(15*time.Second, func() { _ = c.cmd.Process.Kill() })
		<-read
		err := c.cmd.Wait()
		if !timer.Stop() {
			t.Errorf("the server did not end when its stdin was closed: %v", err)
		}
		gone(t, family, 3*time.Second)
		if len(c.stray) > 0 {
			t.Errorf("lines on stdout that are no messages: %q", c.stray)
		}
		if t.Failed() {
			data, _ := os.ReadFile(stderr.Name())
			t.Logf("stderr:\n%s", data)
		}
		stderr.Close()
	})
	return c
}

// start launches the server and initializes it.
func start(t *testing.T, project string, options ...option) *client {
	t.Helper()
	c := launch(t, project, options...)
	c.hello = c.initialize()
	c.notify("notifications/initialized", map[string]any{})
	return c
}

func (c *client) initialize() json.RawMessage {
	c.t.Helper()
	return c.must("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bare", "version": "1"}})
}

func (c *client) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		var m message
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &m) != nil:
			c.mu.Lock()
			c.stray = append(c.stray, string(line))
			c.mu.Unlock()
		case m.ID != nil && m.Method == "":
			c.mu.Lock()
			ch := c.waiting[*m.ID]
			delete(c.waiting, *m.ID)
			c.mu.Unlock()
			if ch != nil {
				ch <- m
			}
		case m.ID == nil:
			c.mu.Lock()
			c.told = append(c.told, m)
			c.mu.Unlock()
		}
		if err != nil {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, ch := range c.waiting {
		close(ch)
	}
	c.waiting = map[int]chan message{}
}

func (c *client) write(m map[string]any) {
	m["jsonrpc"] = "2.0"
	data, _ := json.Marshal(m)
	_, _ = c.stdin.Write(append(data, '\n')) // a server that is gone shows in the missing answer
}

func (c *client) notify(method string, params any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write(map[string]any{"method": method, "params": params})
}

// send writes a request; the answer comes on the channel, which is closed when the server ends.
func (c *client) send(method string, params any) (int, <-chan message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	ch := make(chan message, 1)
	c.waiting[c.next] = ch
	c.write(map[string]any{"id": c.next, "method": method, "params": params})
	return c.next, ch
}

func await(ch <-chan message) (message, error) {
	select {
	case m, ok := <-ch:
		if !ok {
			return m, fmt.Errorf("the server ended without an answer")
		}
		if m.Error != nil {
			return m, fmt.Errorf("error %d: %s", m.Error.Code, m.Error.Message)
		}
		return m, nil
	case <-time.After(patience):
		return message{}, fmt.Errorf("no answer in %s", patience)
	}
}

func (c *client) must(method string, params any) json.RawMessage {
	c.t.Helper()
	_, ch := c.send(method, params)
	m, err := await(ch)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	return m.Result
}

func (c *client) call(tool string, args map[string]any) answer {
	c.t.Helper()
	return c.result(c.must("tools/call", map[string]any{"name": tool, "arguments": args}))
}

func (c *client) result(raw json.RawMessage) answer {
	c.t.Helper()
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		c.t.Fatalf("%v in %s", err, raw)
	}
	return a
}

func (c *client) cell(code string) answer {
	c.t.Helper()
	return c.call("serena_repl", map[string]any{"session_id": c.session, "code": code})
}

// begin starts a cell without waiting for it.
func (c *client) begin(code string) (int, <-chan message) {
	return c.send("tools/call", map[string]any{"name": "serena_repl", "arguments": map[string]any{"session_id": c.session, "code": code}})
}

func decode(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// gives runs a cell that must succeed with this value.
func (c *client) gives(code, want string) {
	c.t.Helper()
	if a := c.cell(code); a.IsError || a.last() != want {
		c.t.Errorf("%s\n got %q (error %t)\nwant %q", code, a.last(), a.IsError, want)
	}
}

// fails runs a cell that must fail and say all of this.
func (c *client) fails(code string, says ...string) {
	c.t.Helper()
	a := c.cell(code)
	if !a.IsError {
		c.t.Errorf("%s did not fail: %q", code, a.last())
	}
	for _, s := range says {
		if !strings.Contains(a.last(), s) {
			c.t.Errorf("%s\ndoes not say %q: %q", code, s, a.last())
		}
	}
}
