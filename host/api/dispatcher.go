package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	inFlight map[string]*flight
}

// flight is a call that is under way: what a call back from its plugin may rely on. It ends with the call, and the call
// waits for what was begun on its behalf: no write lands after its caller has been answered.
type flight struct {
	caller Caller
	method *Method
	ctx    context.Context // the call's
	begun  sync.WaitGroup  // calls back that are under way
	wrote  bool            // set by them; read when the flight has ended
}

// Call is what a caller asks for: a facade's method with named arguments.
type Call struct {
	Facade  string
	Method  string
	Args    map[string]json.RawMessage
	Render  bool // the outcome shall carry its rendering
	Lenient bool // JSON text may stand where a list, number, bool or object is meant, as in a classic tool
}

// NewDispatcher makes a Dispatcher. answerLimit, in characters, is what an answer limit of -1 stands for.
func NewDispatcher(answerLimit int, log hclog.Logger) *Dispatcher {
	return &Dispatcher{answerLimit: answerLimit, log: log, inFlight: map[string]*flight{}}
}

// Call runs one method: resolve, scope, bind, provider, outcome, record. Every error is an *sdk.Error or the context's.
// A read whose plugin ended during the call is tried once more on a fresh process; an edit never is. When Call returns,
// nothing that was begun on its behalf is under way any more.
func (d *Dispatcher) Call(ctx context.Context, c Caller, call Call) (Outcome, error) {
	start := time.Now()
	name := call.Facade + "." + call.Method
	d.log.Debug("call begins", "session", c.Session, "method", name)
	out, err := d.call(ctx, c, call)
	d.log.Debug("call ends", "session", c.Session, "method", name, "ms", time.Since(start).Milliseconds(), "error", err)
	return out, err
}

func (d *Dispatcher) call(ctx context.Context, c Caller, call Call) (Outcome, error) {
	m, err := resolve(c.Scope, call.Facade, call.Method)
	if err != nil {
		return Outcome{}, err
	}
	bound, err := m.bind(call, sdk.Binder{Types: c.Scope.registry.Facade(m.Facade).typesOf(m), AnswerLimit: d.answerLimit, Text: call.Lenient})
	if err != nil {
		return Outcome{}, err
	}
	if c.Fault != nil {
		return Outcome{}, c.Fault
	}
	req := Request{Session: c.Session, Project: c.Project, Facade: call.Facade, Method: call.Method, Arguments: bound, Render: call.Render, Progress: c.Progress}
	if c.Project != nil {
		req.Change = c.Project.Files.Last()
	}
	out, wrote, err := d.attempt(ctx, c, m, req)
	switch {
	case err == nil:
		return d.rendered(ctx, c, m, call, out)
	case wrote:
		return Outcome{}, told(err, "before that, its files had been written: look at them before you go on")
	case !errors.Is(err, ErrGone) || ctx.Err() != nil:
		return Outcome{}, err
	case m.CanEdit:
		return Outcome{}, told(err, "it was not tried again; serena had written no project file for it")
	}
	d.log.Warn("plugin ended during a read, trying once more", "method", call.Facade+"."+call.Method, "error", err)
	if out, _, err = d.attempt(ctx, c, m, req); err != nil {
		return Outcome{}, err
	}
	return d.rendered(ctx, c, m, call, out)
}

// rendered sees to it that an outcome's text is what a cell would show. A record's comes from its plugin.
func (d *Dispatcher) rendered(ctx context.Context, c Caller, m *Method, call Call, out Outcome) (Outcome, error) {
	if !call.Render {
		return out, nil
	}
	if t := c.Scope.registry.Facade(m.Facade).Type(out.Type); out.Type != "" && (t == nil || t.Kind == sdk.TypeRecord) {
		return out, nil
	}
	var err error
	out.Text, err = d.plainText(ctx, c, m, out)
	return out, err
}

// bind checks and completes the arguments of a call, whose faults are told in the words of its road.
func (m *Method) bind(call Call, binder sdk.Binder) (json.RawMessage, error) {
	if !call.Lenient {
		return binder.Bind(m.MethodDecl, call.Facade, call.Args)
	}
	tool := m.MethodDecl
	tool.Name = cmp.Or(m.Tool, m.Name)
	return binder.Bind(tool, "", withoutNulls(tool, call.Args))
}

// withoutNulls leaves out the arguments that a client gave as null, or as its text, to say that it gives none.
func withoutNulls(decl sdk.MethodDecl, args map[string]json.RawMessage) map[string]json.RawMessage {
	null := json.RawMessage("null")
	given := maps.Clone(args)
	for _, p := range decl.Params {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			value, there := given[name]
			if !there || p.Required() || p.Type.Check(null) == nil || p.Type.Check(value) == nil {
				continue
			}
			if text := string(value); text == "null" || text == `"null"` || text == `"None"` {
				delete(given, name)
			}
		}
	}
	return given
}

// attempt makes one call of the provider. wrote tells that files were written on its behalf.
func (d *Dispatcher) attempt(ctx context.Context, c Caller, m *Method, req Request) (out Outcome, wrote bool, err error) {
	f := &flight{caller: c, method: m, ctx: ctx}
	req.Token = d.begin(f)
	out, err = m.provider.Call(ctx, req)
	d.end(req.Token)
	return out, f.wrote, err
}

// told adds what a caller must know beyond the error, which keeps its kind, data and causes.
func told(err error, more string) error {
	e := *sdk.AsError(err)
	out := sdk.Errorf(e.Kind, "%w; %s", err, more)
	out.Data, out.Listing = e.Data, e.Listing
	return out
}

// Render turns a value of one of a facade's types into text, by the policy it was retrieved with.
func (d *Dispatcher) Render(ctx context.Context, c Caller, facade, typeName string, value, policy json.RawMessage) (string, error) {
	f := c.Scope.registry.Facade(facade)
	if f == nil || f.Type(typeName) == nil {
		return "", sdk.Errorf(sdk.KindLookup, "the type %s.%s is not there any more, so its value cannot be shown: read its attributes", facade, typeName)
	}
	provider := f.renders[typeName].Provider
	text, err := provider.Render(ctx, typeName, value, policy)
	if errors.Is(err, ErrGone) && ctx.Err() == nil {
		return provider.Render(ctx, typeName, value, policy)
	}
	return text, err
}

func resolve(s *Scope, facade, method string) (*Method, error) {
	f := s.registry.Facade(facade)
	if f == nil {
		return nil, sdk.Errorf(sdk.KindAttribute, "there is no facade %q%s", facade, suggest(facade, facadeNames(s.registry)))
	}
	m := f.Method(method)
	if where := s.registry.elsewhere[facade+"."+method]; m == nil && where != "" {
		return nil, sdk.Errorf(sdk.KindPermission, "%s", ofBackend(facade+"."+method, where))
	}
	if m == nil {
		return nil, sdk.Errorf(sdk.KindAttribute, "facade %s has no method %q%s", facade, method, suggest(method, methodNames(f, s, "")))
	}
	if s.Enabled(m) {
		return m, nil
	}
	return nil, s.refusal(m)
}

// refusal says why a method that exists is not enabled.
func (s *Scope) refusal(m *Method) error {
	switch {
	case s.readOnly && m.CanEdit && s.tools != nil:
		return sdk.Errorf(sdk.KindPermission, "%s is refused: the project is read-only (read_only in its configuration)", toolOrName(m))
	case s.readOnly && m.CanEdit:
		return sdk.Errorf(sdk.KindPermission, "%s.%s is refused: the project is read-only (read_only in its configuration)", m.Facade, m.Name)
	case s.tools != nil:
		return s.tools.refusal(m)
	}
	return sdk.Errorf(sdk.KindPermission, "%s.%s is not enabled: add it to included_apis in the configuration to use it", m.Facade, m.Name)
}

// ofBackend says why what belongs to another backend is not there.
func ofBackend(name, backend string) string {
	return fmt.Sprintf("%s is there with the language backend %s only: set language_backend in the project's configuration to use it", name, backend)
}

// refusalOf says why no method of a facade is enabled.
func (s *Scope) refusalOf(f *Facade) string {
	if where := s.registry.elsewhere[f.Name]; where != "" {
		return ofBackend("facade "+f.Name, where)
	}
	for _, m := range f.Methods {
		if !s.readOnly || !m.CanEdit {
			return fmt.Sprintf("facade %s is not enabled: add it to included_apis in the configuration to use it", f.Name)
		}
	}
	if !s.readOnly {
		return fmt.Sprintf("facade %s has no methods: ask the author of its plugin for some", f.Name)
	}
	return fmt.Sprintf("facade %s is refused: all of its methods edit, and the project is read-only (read_only in its configuration)", f.Name)
}

// suggest names the nearest legal name and all there are.
func suggest(name string, names []string) string {
	hint := ";"
	if best, ok := nearest.Best(name, names); ok {
		hint = "; did you mean " + best + "?"
	}
	return hint + " there are: " + strings.Join(names, ", ")
}

func (d *Dispatcher) begin(f *flight) string {
	token := rand.Text()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inFlight[token] = f
	return token
}

// end refuses further calls back and waits for those that have begun.
func (d *Dispatcher) end(token string) {
	d.mu.Lock()
	f := d.inFlight[token]
	delete(d.inFlight, token)
	d.mu.Unlock()
	f.begun.Wait()
}

// ErrNoCall reports a call back to the host that names no call under way: the call has ended or was cancelled.
var ErrNoCall = errors.New("the call that this belongs to is not under way any more")

// join enters a call back into the call that token names. ctx ends with the call, too; leave must be called.
func (d *Dispatcher) join(ctx context.Context, token string) (joined context.Context, f *flight, leave func(), err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, ok := d.inFlight[token]
	if !ok {
		return nil, nil, nil, sdk.Errorf(sdk.KindCancelled, "%w", ErrNoCall)
	}
	f.begun.Add(1)
	joined, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(f.ctx, cancel)
	return joinedContext{Context: joined, call: f.ctx}, f, func() {
		stop()
		cancel()
		f.begun.Done()
	}, nil
}

// joinedContext is done as soon as its call's is: a write that comes later must not slip through before the news gets around.
type joinedContext struct {
	context.Context
	call context.Context
}

// Err is that of the call, too.
func (c joinedContext) Err() error {
	if err := c.call.Err(); err != nil {
		return err
	}
	return c.Context.Err()
}

func (d *Dispatcher) wrote(f *flight) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f.wrote = true
}
