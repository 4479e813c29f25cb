package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

// Caller is on whose behalf a call is made. It is fixed when the call begins: an activation never switches a call in
// flight.
type Caller struct {
	Session  string
	Project  *project.Project // nil without
	Fault    error            // why there is no project, where one was asked for; it answers every call
	Scope    *Scope
	Progress func(done, total float64, message string) // may be nil
}

// Dispatcher runs calls. Its zero value is not usable: see NewDispatcher.
type Dispatcher struct {
	answerLimit int
	log         hclog.Logger

	mu       sync.Mutex // guards inFlight
	inFlight map[string]flight
}

// flight is a call that is under way: what a call back from its plugin may rely on.
type flight struct {
	caller Caller
	method *Method
}

// NewDispatcher makes a Dispatcher. answerLimit, in characters, is what an answer limit of -1 stands for.
func NewDispatcher(answerLimit int, log hclog.Logger) *Dispatcher {
	return &Dispatcher{answerLimit: answerLimit, log: log, inFlight: map[string]flight{}}
}

// Call runs one method: resolve, scope, bind, provider, outcome, record. Every error is an *sdk.Error or the context's.
// A read whose plugin ended during the call is tried once more on a fresh process; an edit never is.
func (d *Dispatcher) Call(ctx context.Context, c Caller, facade, method string, args map[string]json.RawMessage, render bool) (Outcome, error) {
	start := time.Now()
	d.log.Debug("call begins", "session", c.Session, "method", facade+"."+method)
	out, err := d.call(ctx, c, facade, method, args, render)
	d.log.Debug("call ends", "session", c.Session, "method", facade+"."+method, "ms", time.Since(start).Milliseconds(), "error", err)
	return out, err
}

func (d *Dispatcher) call(ctx context.Context, c Caller, facade, method string, args map[string]json.RawMessage, render bool) (Outcome, error) {
	m, err := resolve(c.Scope, facade, method)
	if err != nil {
		return Outcome{}, err
	}
	bound, err := m.Bind(facade, args, d.answerLimit)
	if err != nil {
		return Outcome{}, err
	}
	if c.Fault != nil {
		return Outcome{}, c.Fault
	}
	token := d.begin(flight{caller: c, method: m})
	defer d.end(token)
	req := Request{Project: c.Project, Facade: facade, Method: method, Arguments: bound, Render: render, Token: token, Progress: c.Progress}
	if c.Project != nil {
		req.Change = c.Project.Files.Last()
	}
	out, err := m.provider.Call(ctx, req)
	if !sdk.IsKind(err, sdk.KindConnection) || ctx.Err() != nil {
		return out, err
	}
	if m.CanEdit {
		return Outcome{}, sdk.Errorf(sdk.KindConnection, "%s.%s: %w; it was not tried again, since it may have taken effect: look at the files before you repeat it", facade, method, err)
	}
	d.log.Warn("plugin ended during a read, trying once more", "method", facade+"."+method, "error", err)
	return m.provider.Call(ctx, req)
}

// Render turns a value of one of a facade's types into text, by the policy it was retrieved with.
func (d *Dispatcher) Render(ctx context.Context, c Caller, facade, typeName string, value, policy json.RawMessage) (string, error) {
	f := c.Scope.registry.Facade(facade)
	if f == nil || f.renders[typeName] == nil {
		return "", sdk.Errorf(sdk.KindLookup, "the type %s.%s is not there any more, so its value cannot be shown: read its attributes", facade, typeName)
	}
	text, err := f.renders[typeName].Render(ctx, typeName, value, policy)
	if sdk.IsKind(err, sdk.KindConnection) && ctx.Err() == nil {
		return f.renders[typeName].Render(ctx, typeName, value, policy)
	}
	return text, err
}

func resolve(s *Scope, facade, method string) (*Method, error) {
	f := s.registry.Facade(facade)
	if f == nil {
		return nil, sdk.Errorf(sdk.KindAttribute, "there is no facade %q%s", facade, suggest(facade, facadeNames(s.registry)))
	}
	m := f.Method(method)
	if m == nil {
		return nil, sdk.Errorf(sdk.KindAttribute, "facade %s has no method %q%s", facade, method, suggest(method, methodNames(f, s, "")))
	}
	if s.Enabled(m) {
		return m, nil
	}
	if s.readOnly && m.CanEdit {
		return nil, sdk.Errorf(sdk.KindPermission, "%s.%s is refused: the project is read-only (read_only in its configuration)", facade, method)
	}
	return nil, sdk.Errorf(sdk.KindPermission, "%s.%s is not enabled: add it to included_apis in the configuration to use it", facade, method)
}

// suggest names the nearest legal name and all there are.
func suggest(name string, names []string) string {
	hint := ""
	if best, ok := nearest.Best(name, names); ok {
		hint = "; did you mean " + best + "?"
	}
	return hint + " There are: " + strings.Join(names, ", ")
}

func (d *Dispatcher) begin(f flight) string {
	token := rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight[token] = f
	return token
}

func (d *Dispatcher) end(token string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.inFlight, token)
}

// ErrNoCall reports a call back to the host that names no call under way: the call has ended or was cancelled.
var ErrNoCall = errors.New("the call that this belongs to is not under way any more")

func (d *Dispatcher) flight(token string) (flight, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.inFlight[token]
	if !ok {
		return flight{}, sdk.Errorf(sdk.KindCancelled, "%w", ErrNoCall)
	}
	return f, nil
}
