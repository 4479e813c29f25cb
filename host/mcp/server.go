// Package mcp serves the host over the Model Context Protocol: serena_repl, initial_instructions and activate_project.
// mcp-go stays behind this package, so that the library remains a choice.
package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/serena-go/serena/host"
)

// How many tool calls run at once, and how many may wait. mcp-go ignores a cancellation of a call that waits, and reads
// nothing any more when the queue is full.
const (
	workers = 100
	queue   = 10_000
)

// drainLimit bounds how long the answers of cancelled calls may take to come and to be written once the server is to end: a client
// that does not read must not keep it. Cells that ignore an interrupt are killed after two seconds.
const drainLimit = 4 * time.Second

// Server is the MCP server of one connection.
type Server struct {
	host    *host.Host
	log     hclog.Logger
	server  *server.MCPServer
	waking  sync.Once
	warming sync.Once
	working sync.WaitGroup
	notices notices
	alive   context.Context // ends with Serve; background work after the first answer belongs to it
}

// New makes the server from the host's present configuration; it starts nothing.
func New(h *host.Host, version string, logger hclog.Logger) *Server {
	s := &Server{host: h, log: logger}
	hooks := &server.Hooks{}
	hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) { s.wake() })
	hooks.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { s.wake() })
	hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) { s.warm() })
	hooks.AddAfterCallTool(func(context.Context, any, *mcp.CallToolRequest, any) { s.warm() })
	s.server = server.NewMCPServer("serena", version,
		server.WithToolCapabilities(true), server.WithRecovery(), server.WithHooks(hooks),
		server.WithInstructions(s.instructions()))
	for _, t := range s.tools() {
		s.server.AddTool(t.tool(), s.handler(t))
	}
	return s
}

// Serve speaks MCP on stdin and stdout until stdin ends or ctx is done. One per process.
func (s *Server) Serve(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	s.alive = ctx
	defer s.working.Wait()
	defer cancel()
	stdio := server.NewStdioServer(s.server)
	stdio.SetErrorLogger(log.New(s.log.StandardWriter(&hclog.StandardLoggerOptions{ForceLevel: hclog.Warn}), "", 0))
	server.WithWorkerPoolSize(workers)(stdio)
	server.WithQueueSize(queue)(stdio)
	listened := make(chan error, 1)
	in := &ending{Reader: stdin, ended: make(chan struct{})}
	go func() { listened <- stdio.Listen(ctx, in, s.notices.writer(stdout)) }() // ends with the process at the latest
	select {
	case err := <-listened:
		return err
	case <-in.ended:
	case <-ctx.Done(): // asked to end, which is no error
	}
	drained := time.NewTimer(drainLimit)
	defer drained.Stop()
	select {
	case err := <-listened:
		if ctx.Err() == nil {
			return err
		}
	case <-drained.C:
		s.log.Warn("the client does not read its answers; ending without them")
	}
	return nil
}

// ending is a reader that tells when there is nothing more.
type ending struct {
	io.Reader
	once  sync.Once
	ended chan struct{} // closed then
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Reader.Read(p)
	if err != nil {
		e.once.Do(func() { close(e.ended) })
	}
	return n, err
}

// wake does, in the background and once, what may wait until the first answer.
func (s *Server) wake() {
	s.waking.Do(func() {
		if s.alive != nil {
			s.working.Go(func() { s.host.Probe(s.alive) })
		}
	})
}

// warm does, in the background and once, what makes the first cell quick. Not before the first answer is there, with which it would
// compete.
func (s *Server) warm() {
	s.warming.Do(func() {
		if s.alive != nil {
			s.working.Go(func() { s.host.Warm(s.alive) })
		}
	})
}

// handler runs a tool; whatever it returns is an answer that a model can read.
func (s *Server) handler(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args := map[string]json.RawMessage{}
		raw := req.Params.RawArguments
		if len(raw) == 0 {
			raw, _ = json.Marshal(req.Params.Arguments)
		}
		if string(raw) != "null" {
			if err := json.Unmarshal(raw, &args); err != nil {
				return mcp.NewToolResultError(t.decl.Name + ": the arguments must be a JSON object"), nil
			}
		}
		bound, err := t.decl.Bind("", args, s.host.Config.MaxAnswerChars)
		if err != nil {
			return mcp.NewToolResultError(errorText(err)), nil
		}
		progress := s.newReporter(ctx, req)
		defer progress.end()
		return t.run(ctx, bound, progress), nil
	}
}
