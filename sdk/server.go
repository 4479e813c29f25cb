package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/serena-go/serena/internal/wire"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// dialer opens a brokered connection; go-plugin's broker is one.
type dialer interface {
	Dial(id uint32) (*grpc.ClientConn, error)
}

// server serves one plugin over the wire.
type server struct {
	wire.UnimplementedPluginServer
	plugin  Plugin
	methods map[string]Method   // by "facade.method"
	types   map[string]TypeDecl // by name
	log     *slog.Logger
	broker  dialer
	end     *ending

	mu       sync.RWMutex // guards the fields below
	host     HostServices
	home     string
	projects map[string]*Project
}

func newServer(p Plugin, log *slog.Logger, broker dialer, end *ending) *server {
	s := &server{plugin: p, methods: map[string]Method{}, types: map[string]TypeDecl{}, log: log, broker: broker, end: end, projects: map[string]*Project{}}
	for _, f := range p.Facades {
		for _, m := range f.Methods {
			s.methods[f.Name+"."+m.decl.Name] = m
		}
	}
	for _, t := range p.Manifest().Types {
		s.types[t.Name] = t
	}
	return s
}

func (s *server) Attach(_ context.Context, req *wire.AttachRequest) (*wire.AttachReply, error) {
	conn, err := s.broker.Dial(req.HostServiceId)
	if err != nil {
		return nil, fmt.Errorf("the host's service cannot be reached: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host, s.home = &hostClient{client: wire.NewHostClient(conn)}, req.SerenaHome
	return &wire.AttachReply{Manifest: s.plugin.Manifest().JSON()}, nil
}

func (s *server) Open(ctx context.Context, req *wire.OpenRequest) (*wire.OpenReply, error) {
	w := req.GetProject()
	s.mu.RLock()
	home := s.home
	s.mu.RUnlock()
	p := &Project{ID: w.GetId(), Root: w.GetRoot(), Name: w.GetName(), DataFolder: w.GetDataFolder(), Encoding: w.GetEncoding(), Home: home, Settings: w.GetSettings(),
		Plugin: s.plugin.Name, OwnSettings: w.GetPluginSettings()}
	if err := s.plugin.checkSettings(p); err != nil {
		return &wire.OpenReply{Failure: wireFailure(err)}, nil
	}
	if s.plugin.Open != nil {
		if err := s.plugin.Open(ctx, p); err != nil {
			return &wire.OpenReply{Failure: wireFailure(err)}, nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.projects[p.ID] = p
	return &wire.OpenReply{}, nil
}

func (s *server) Close(ctx context.Context, req *wire.CloseRequest) (*wire.CloseReply, error) {
	s.mu.Lock()
	delete(s.projects, req.ProjectId)
	s.mu.Unlock()
	if s.plugin.Close != nil {
		s.plugin.Close(ctx, req.ProjectId)
	}
	return &wire.CloseReply{}, nil
}

func (s *server) Stop(ctx context.Context, _ *wire.StopRequest) (*wire.StopReply, error) {
	if s.plugin.Stop != nil {
		s.plugin.Stop(ctx)
	}
	return &wire.StopReply{}, nil
}

func (s *server) Call(req *wire.CallRequest, stream grpc.ServerStreamingServer[wire.CallEvent]) error {
	s.end.calls.Add(1)
	defer s.end.calls.Add(-1)
	if s.end.begun.Load() {
		return status.Error(codes.Aborted, "the plugin's process is ending; the call was not begun")
	}
	ctx := stream.Context()
	e := &events{stream: stream}
	m, call, err := s.prepare(req, e)
	if err != nil {
		return e.end(failed(err))
	}
	outcome := s.outcome(ctx, m, call, req)
	if err = ctx.Err(); err != nil {
		e.end(nil)
	} else {
		err = e.end(outcome)
	}
	if exit, ok := s.methods[req.Facade+"."+m.decl.Exit]; ok && err != nil && outcome.Failure == nil {
		leaveAbandoned(ctx, exit, call, outcome.Value)
	}
	return err
}

// events is the one writer of a call's stream: progress may come from several goroutines, and one that a method left
// behind must not write after the outcome.
type events struct {
	mu     sync.Mutex // guards the stream and over
	stream grpc.ServerStreamingServer[wire.CallEvent]
	over   bool
}

func (e *events) progress(done, total float64, message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over { // a lost stream shows in the outcome
		_ = e.stream.Send(&wire.CallEvent{Event: &wire.CallEvent_Progress{Progress: &wire.Progress{Done: done, Total: total, Message: sendable(message)}}})
	}
}

// end sends the outcome, if there is one, and nothing afterwards.
func (e *events) end(outcome *wire.Outcome) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	if outcome == nil {
		return nil
	}
	return e.stream.Send(&wire.CallEvent{Event: &wire.CallEvent_Outcome{Outcome: outcome}})
}

// prepare finds the method and makes its Call.
func (s *server) prepare(req *wire.CallRequest, e *events) (Method, *Call, error) {
	name := req.Facade + "." + req.Method
	m, ok := s.methods[name]
	if !ok {
		return Method{}, nil, Errorf(KindAttribute, "plugin %s has no method %s", s.plugin.Name, name)
	}
	s.mu.RLock()
	project, host := s.projects[req.ProjectId], s.host
	s.mu.RUnlock()
	if project == nil && req.ProjectId != "" {
		return Method{}, nil, Errorf(KindRuntime, "project %s was not opened", req.ProjectId)
	}
	return m, &Call{project: project, change: req.Change, host: host, token: req.CallerToken, log: s.log.With("method", name), progress: e.progress}, nil
}

func (s *server) outcome(ctx context.Context, m Method, call *Call, req *wire.CallRequest) (out *wire.Outcome) {
	defer func() { // a method's panic is that call's failure, not the process's end
		if r := recover(); r != nil {
			name := req.Facade + "." + req.Method
			s.log.Error("panic", "method", name, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			out = failed(Errorf(KindRuntime, "%s failed by a fault of its own (%v): the log has the details", name, r))
		}
	}()
	result, err := m.run(ctx, call, req.Arguments)
	if err != nil {
		return failed(err)
	}
	return s.success(m, req, result)
}

func (s *server) success(m Method, req *wire.CallRequest, result any) *wire.Outcome {
	value, err := json.Marshal(result)
	if err != nil {
		return failed(Errorf(KindRuntime, "%s.%s: the result cannot be sent: %w", req.Facade, req.Method, err))
	}
	if len(value) > wire.MaxValueBytes {
		return failed(Errorf(KindValue, "%s.%s: the result has %d bytes, more than the %d that can be sent: ask for less", req.Facade, req.Method, len(value), wire.MaxValueBytes))
	}
	ref, result := actual(m.decl.Result, result)
	out := &wire.Outcome{Value: value, Type: recordName(ref, value), Policy: policyOf(m.decl, req.Arguments)}
	if req.Render {
		out.Text = sendable(renderText(result, out.Policy, value))
	}
	return out
}

func (s *server) Render(_ context.Context, req *wire.RenderRequest) (*wire.RenderReply, error) {
	text, err := s.plugin.Render(req.Type, req.Value, req.Policy)
	if err != nil {
		return &wire.RenderReply{Failure: wireFailure(err)}, nil
	}
	return &wire.RenderReply{Text: sendable(text)}, nil
}

// sendable is a text as gRPC sends it: bytes that are no UTF-8, of a file's name for example, would be the failure of the call.
func sendable(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

func failed(err error) *wire.Outcome { return &wire.Outcome{Failure: wireFailure(err)} }

func wireFailure(err error) *wire.Failure {
	if errors.Is(err, context.Canceled) {
		return &wire.Failure{Kind: KindCancelled, Message: "the call was cancelled"}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = &Error{Kind: KindTimeout, Message: err.Error(), cause: err}
	}
	e := AsError(err)
	return &wire.Failure{Kind: e.Kind, Message: sendable(e.Message), Data: e.Data, Listing: e.Listing}
}
