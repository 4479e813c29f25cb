// Package mcp serves the host over the Model Context Protocol, in one of two interfaces: the tool serena_repl, or one tool a
// method, from the same declarations; both with initial_instructions and activate_project. mcp-go stays behind this package, so that
// the library remains a choice.
package mcp

import (
	"bytes"
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
	"github.com/serena-go/serena/host/session"
	"github.com/serena-go/serena/sdk"
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
	host     *host.Host
	log      hclog.Logger
	server   *server.MCPServer
	classic  *classic   // nil: the interface is the REPL
	declared []mcp.Tool // all that are served, listed or not
	waking   sync.Once
	renewed  chan struct{} // closed when third parties' plugins were asked once, and the list has what they add
	warming  sync.Once
	working  sync.WaitGroup
	notices  notices
	alive    context.Context // ends with Serve; background work after the first answer belongs to it
}

// New makes the server of the host's agent interface from its present configuration; it starts nothing.
func New(h *host.Host, version string, logger hclog.Logger) *Server {
	s := &Server{host: h, log: logger, renewed: make(chan struct{})}
	declare, instructions := s.tools, s.instructions
	hooks := &server.Hooks{}
	if h.Classic() {
		s.classic = newClassic(h, s.awaitPlugins)
		declare, instructions = s.classic.tools, s.classic.instructions
		hooks.AddAfterListTools(func(_ context.Context, _ any, _ *mcp.ListToolsRequest, out *mcp.ListToolsResult) {
			out.Tools = s.classic.list(out.Tools)
		})
	}
	tools := s.served(declare())
	hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) { s.wake() })
	hooks.AddBeforeCallTool(func(context.Context, any, *mcp.CallToolRequest) { s.wake() })
	hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) { s.warm() })
	hooks.AddAfterCallTool(func(context.Context, any, *mcp.CallToolRequest, any) { s.warm() })
	s.server = server.NewMCPServer("serena", version,
		server.WithToolCapabilities(true), server.WithRecovery(), server.WithHooks(hooks),
		server.WithInstructions(instructions()))
	s.server.SetTools(tools...)
	return s
}

func (s *Server) served(tools []tool) []server.ServerTool {
	out := make([]server.ServerTool, len(tools))
	s.declared = make([]mcp.Tool, len(tools))
	for i, t := range tools {
		s.declared[i] = t.tool()
		out[i] = server.ServerTool{Tool: s.declared[i], Handler: s.handler(t)}
	}
	return out
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
	var messages io.Reader = in
	answers := s.notices.writer(stdout)
	if s.classic != nil {
		messages, answers = newPaced(in, s.classic.order), refusals{answers, s.classic.order}
	}
	go func() { listened <- stdio.Listen(ctx, messages, answers) }() // ends with the process at the latest
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
			s.working.Go(func() {
				s.host.Probe(s.alive)
				s.listAnew()
				close(s.renewed)
			})
		}
	})
}

// awaitLimit bounds the wait for plugins whose declarations are not known yet.
const awaitLimit = 3 * time.Second

// awaitPlugins waits, but not for long, until what third parties add is known and listed. Where nobody has begun to ask the plugins it does
// not.
func (s *Server) awaitPlugins(ctx context.Context) {
	if s.alive == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, awaitLimit)
	defer cancel()
	select {
	case <-s.renewed:
	case <-ctx.Done():
	}
}

// listAnew tells a client of the classic interface when plugins that are known only now have changed the list.
func (s *Server) listAnew() {
	if s.classic == nil || !s.classic.isOld() {
		return
	}
	before := s.classic.list(s.declared)
	tools := s.served(s.classic.tools())
	if after := s.classic.list(s.declared); !bytes.Equal(mustJSON(before), mustJSON(after)) {
		s.server.SetTools(tools...)
	}
}

// warm does, in the background and once, what makes the first cell quick. Not before the first answer is there, with which it would
// compete.
func (s *Server) warm() {
	if s.classic != nil {
		return // there are no cells
	}
	s.warming.Do(func() {
		if s.alive != nil {
			s.working.Go(func() { s.host.Warm(s.alive) })
		}
	})
}

// handler runs a tool; whatever it returns is an answer that a model can read.
func (s *Server) handler(t tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		progress := s.newReporter(ctx, req)
		defer progress.end()
		var place session.Place
		if s.classic != nil {
			turn := s.classic.order.enter(kind(t))
			defer turn.leave()
			if turn.wait(ctx) != nil {
				return failure(sdk.Errorf(sdk.KindCancelled, "%s was cancelled while an earlier call was still running: it did nothing", t.decl.Name)), nil
			}
			place = turn.place
		}
		args, err := s.arguments(req)
		if err != nil {
			return failure(sdk.Errorf(sdk.KindType, "%s: the arguments must be a JSON object", t.decl.Name)), nil
		}
		if t.call != nil {
			return t.call(ctx, place, args, progress), nil
		}
		bind := t.decl.Bind
		if s.classic != nil {
			bind = t.decl.BindText
		}
		bound, err := bind("", args, s.host.Config.MaxAnswerChars)
		if err != nil {
			return mcp.NewToolResultError(errorText(err)), nil
		}
		return t.run(ctx, bound, progress), nil
	}
}

// arguments are those of a request. The classic interface takes them as the text of a JSON object, too.
func (s *Server) arguments(req mcp.CallToolRequest) (args map[string]json.RawMessage, err error) {
	raw := req.Params.RawArguments
	if len(raw) == 0 {
		if raw, err = json.Marshal(req.Params.Arguments); err != nil {
			return nil, err
		}
	}
	var text string
	if s.classic != nil && json.Unmarshal(raw, &text) == nil && text != "" {
		raw = json.RawMessage(text)
	}
	args = map[string]json.RawMessage{}
	if string(raw) == "null" || string(raw) == `""` {
		return args, nil
	}
	return args, json.Unmarshal(raw, &args)
}
