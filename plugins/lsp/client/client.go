package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/sdk"
)

const (
	politeLimit = 2 * time.Second // for the answer to shutdown
	exitGrace   = time.Second     // between exit and the group's end
)

// Config says what to start. Name, Command and Root are required.
type Config struct {
	Name    string   // the server, for messages
	Command []string // program and arguments
	Env     []string // "NAME=value", added to this process's
	Root    string   // absolute; the server's working directory
	Options any      // initializationOptions; nil: none

	// Lifeline is the number of the pipe that ties this process to its parent, 0 without one: the server ends with that parent as well.
	Lifeline int

	RequestTimeout time.Duration // of each request, initialize included
	ReadyTitle     string        // title of the progress that loading the project reports; empty: it reports none
	ReadyMessage   string        // message of an end of that progress that succeeded
	Log            *slog.Logger
}

// child is a server's process; *process.Child is one.
type child interface {
	Pid() int
	Done() <-chan struct{}
	// Stop returns the process's end, or an error when it goes on although it was killed; that is bounded.
	Stop(ctx context.Context, grace time.Duration) (process.ExitState, error)
}

// Client is one running server. All methods may be called from any goroutine.
type Client struct {
	cfg   Config
	child child
	pipes *pipes
	conn  jsonrpc2.Conn
	tail  *stderrTail
	ready *readiness
	docs  documents

	complaints complaints

	capabilities map[string]json.RawMessage

	dead    chan struct{} // closed when the server is gone, or given up, and its goroutines have ended
	state   process.ExitState
	givenUp error // why the process's end was not waited for; may be read when dead is closed

	stopOnce sync.Once
	stopping chan struct{}
}

// Start starts a server and returns when it has answered initialize. ctx bounds the start only; a server that does not get that far
// is killed. The error holds the end of what the server wrote to stderr.
func Start(ctx context.Context, cfg Config) (*Client, error) {
	c := &Client{cfg: cfg, tail: &stderrTail{log: cfg.Log, name: cfg.Name}, ready: newReadiness(cfg.ReadyTitle, cfg.ReadyMessage),
		dead: make(chan struct{}), stopping: make(chan struct{})}
	if err := c.launch(); err != nil {
		return nil, fmt.Errorf("%s cannot be started: %w", cfg.Name, err)
	}
	// The server outlives the request that started it: its connection ends with the process, not with ctx.
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(c.pipes))
	c.conn.Go(context.WithoutCancel(ctx), c.handle)
	go c.own(context.WithoutCancel(ctx))
	if err := c.initialize(ctx); err != nil {
		c.kill(context.WithoutCancel(ctx))
		<-c.dead // comes: own's waits are bounded once the pipes are closed
		return nil, err
	}
	return c, nil
}

func (c *Client) launch() error {
	cmd := exec.Command(c.cfg.Command[0], c.cfg.Command[1:]...)
	cmd.Dir, cmd.Env = c.cfg.Root, sdk.CommandEnvironment()
	cmd.Stderr = c.tail
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	started, err := process.Start(cmd, process.Options{Env: c.cfg.Env, ParentDeath: syscall.SIGKILL, GroupLifeline: c.cfg.Lifeline})
	if err != nil {
		stdin.Close()
		stdout.Close()
		return err
	}
	c.child = started
	c.pipes = newPipes(stdin, stdout, func(line string) { c.cfg.Log.Warn("not a message", "server", c.cfg.Name, "line", line) })
	return nil
}

// kill ends the server at once. A process that does not end is left behind: closing the pipes lets own come to its end.
func (c *Client) kill(ctx context.Context) {
	if _, err := c.child.Stop(ctx, 0); err != nil {
		c.cfg.Log.Error("the server does not end", "server", c.cfg.Name, "error", err)
	}
	c.pipes.Close()
}

// own waits for the end of the process or of the connection, whichever is first, and clears up after both. Once one of them has ended
// it takes a bounded time: a process that hangs in the kernel is given up.
func (c *Client) own(ctx context.Context) {
	defer close(c.dead)
	select {
	case <-c.child.Done():
	case <-c.pipes.ended: // nobody can talk to it any more
	case <-c.conn.Done(): // it sent something that is no message
	}
	select {
	case <-c.child.Done():
	default:
		grace := time.NewTimer(exitGrace) // it may be on its way out, and its exit code tells more than our signal's
		select {
		case <-c.child.Done():
		case <-grace.C:
		}
		grace.Stop()
	}
	c.state, c.givenUp = c.child.Stop(ctx, 0) // only tells the end of what has ended
	c.pipes.Close()
	c.conn.Close()
	c.pipes.wait()
}

func (c *Client) initialize(ctx context.Context) error {
	root := protocol.WorkspaceFolder{URI: protocol.URIFromPath(c.cfg.Root), Name: filepath.Base(c.cfg.Root)}
	params := map[string]any{
		"processId":        os.Getpid(), // of the process whose end must be the server's: this one, not the host
		"clientInfo":       map[string]any{"name": "serena"},
		"rootPath":         c.cfg.Root,
		"rootUri":          root.URI,
		"workspaceFolders": []protocol.WorkspaceFolder{root},
		"capabilities":     capabilities(),
	}
	if c.cfg.Options != nil {
		params["initializationOptions"] = c.cfg.Options
	}
	var result struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if err := c.Call(ctx, "initialize", params, &result); err != nil {
		return fmt.Errorf("%s did not start: %w", c.cfg.Name, err)
	}
	c.capabilities = result.Capabilities
	return c.Notify("initialized", map[string]any{})
}

// capabilities are the client's: what is not here is not used, and servers behave differently for what is.
func capabilities() map[string]any {
	return map[string]any{
		"window": map[string]any{"workDoneProgress": true},
		"workspace": map[string]any{
			"configuration":         true,
			"workspaceFolders":      true,
			"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true, "relativePatternSupport": false},
		},
		"textDocument": map[string]any{
			"synchronization": map[string]any{"dynamicRegistration": false},
			"documentSymbol":  map[string]any{"hierarchicalDocumentSymbolSupport": true},
			"references":      map[string]any{},
			"hover":           map[string]any{"contentFormat": []string{"plaintext", "markdown"}},
		},
		"general": map[string]any{"positionEncodings": []string{"utf-16"}},
	}
}

// Provides reports whether the server declared a capability such as "referencesProvider".
func (c *Client) Provides(capability string) bool {
	raw := string(c.capabilities[capability])
	return raw != "" && raw != "false" && raw != "null"
}

// Pid is the server's process number.
func (c *Client) Pid() int { return c.child.Pid() }

// Dead is closed when the server has ended.
func (c *Client) Dead() <-chan struct{} { return c.dead }

// Ready waits until the server has loaded the project, limit at most, and reports whether it has. note is what the server
// said if loading failed.
func (c *Client) Ready(ctx context.Context, limit time.Duration) (ready bool, note string, err error) {
	return c.ready.wait(ctx, limit, c.dead)
}

// Stop asks the server to end and kills its group when it does not, or when ctx ends. It returns when the process is gone, or
// some seconds after it was killed in vain.
func (c *Client) Stop(ctx context.Context) {
	c.stopOnce.Do(func() {
		close(c.stopping)
		polite, cancel := context.WithTimeout(ctx, politeLimit)
		defer cancel()
		// Without params: servers refuse "null".
		if err := c.Call(polite, "shutdown", nil, nil); err == nil || !errors.Is(err, ErrGone) {
			_ = c.Notify("exit", nil) // a server that is gone needs none
			c.pipes.finishWriting()
		}
		grace := time.NewTimer(exitGrace)
		defer grace.Stop()
		select {
		case <-c.dead:
		case <-grace.C:
		case <-ctx.Done():
		}
		c.kill(ctx)
	})
	clearing := time.NewTimer(exitGrace)
	defer clearing.Stop()
	select {
	case <-c.dead:
	case <-clearing.C: // own is about to give it up
	}
}

var _ io.ReadWriteCloser = (*pipes)(nil)
