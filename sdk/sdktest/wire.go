package sdktest

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// inItsOwnProcess tries what is said over the wire, and stops the process in the middle of a call.
func (s *suite) inItsOwnProcess() {
	p := s.project("conformance")
	host := newHost(p)
	c, err := s.startChild(host)
	if err != nil {
		s.report("process", "%v", err)
		return
	}
	defer c.discard()
	if !s.opened(c, p) {
		return
	}
	for _, e := range s.examples() {
		s.example(c, p, e)
	}
	for _, f := range s.manifest.Facades {
		for _, m := range f.Methods {
			s.wrongArguments(c, p, f.Name, m)
		}
	}
	s.unknown(c, p)
	s.tooLarge(c, p)
	s.stop(c, p)
	if text := c.onStdout(); text != "" {
		s.report("stdout", "a plugin prints nothing there, use Call.Log: %.200q", text)
	}
}

func (s *suite) opened(c *child, p *sdk.Project) bool {
	ctx, cancel := context.WithTimeout(s.t.Context(), s.options.Limit)
	defer cancel()
	if err := c.open(ctx, p); err != nil {
		s.report("open", "opening a project: %v", err)
		return false
	}
	return true
}

// ask makes one call within the limit; an error of the call itself is a fault.
func (s *suite) ask(check string, c *child, project, facade, method string, args []byte) *wire.Outcome {
	ctx, cancel := context.WithTimeout(s.t.Context(), s.options.Limit)
	defer cancel()
	out, err := c.call(ctx, project, facade, method, args)
	switch {
	case ctx.Err() != nil:
		s.report(check, "%s.%s(%.200s) did not answer within %s", facade, method, args, s.options.Limit)
	case err != nil:
		s.report(check, "%s.%s(%.200s) was not answered: %v; the process said:\n%s", facade, method, args, err, c.err.String())
	default:
		return out
	}
	return nil
}

func (s *suite) example(c *child, p *sdk.Project, e example) {
	out := s.ask("example", c, p.ID, e.facade, e.method.Name, e.args)
	if out == nil {
		return
	}
	if f := out.Failure; f != nil {
		s.report("example", "%s fails: %s: %s", e.text, f.Kind, f.Message)
		return
	}
	s.answered(c, e, out)
	if e.method.Exit == "" {
		return
	}
	args, _ := json.Marshal(map[string]any{"entered": json.RawMessage(out.Value), "error": nil, "error_kind": nil})
	if left := s.ask("example", c, p.ID, e.facade, e.method.Exit, args); left != nil && left.Failure != nil {
		s.report("example", "%s: leaving fails: %s: %s", e.text, left.Failure.Kind, left.Failure.Message)
	}
}

// answered checks a value against what the method promises, and its rendering.
func (s *suite) answered(c *child, e example, out *wire.Outcome) {
	if !json.Valid(out.Value) {
		s.report("example", "%s: the value is no JSON: %.200q", e.text, out.Value)
		return
	}
	declared := s.typeOf(out.Type)
	switch {
	case out.Type != "" && declared == nil:
		s.report("example", "%s: the value is said to be a %s, which is not declared", e.text, out.Type)
	case declared == nil || declared.Kind != sdk.TypeRecord:
	default:
		ctx, cancel := context.WithTimeout(s.t.Context(), s.options.Limit)
		defer cancel()
		reply, err := c.rpc.Render(ctx, &wire.RenderRequest{Type: out.Type, Value: out.Value, Policy: out.Policy})
		switch {
		case err != nil:
			s.report("rendering", "%s: %v", e.text, err)
		case reply.Failure != nil:
			s.report("rendering", "%s: %s: %s", e.text, reply.Failure.Kind, reply.Failure.Message)
		case reply.Text != out.Text:
			s.report("rendering", "%s is shown as %.200q by the call and as %.200q afterwards: RenderText depends on its value and policy alone", e.text, out.Text, reply.Text)
		}
	}
}

func (s *suite) typeOf(name string) *sdk.TypeDecl {
	for i, t := range s.manifest.Types {
		if t.Name == name {
			return &s.manifest.Types[i]
		}
	}
	return nil
}

// wrongArguments gives the method arguments that do not fit, as a host that does not check them would.
func (s *suite) wrongArguments(c *child, p *sdk.Project, facade string, m sdk.MethodDecl) {
	base := map[string]json.RawMessage{}
	for _, param := range m.Params {
		base[param.Name] = param.Default
		if param.Required() {
			base[param.Name] = s.fitting(param.Type)
		}
	}
	try := func(name string, value json.RawMessage, what string) {
		args := map[string]json.RawMessage{name: value}
		for k, v := range base {
			if k != name {
				args[k] = v
			}
		}
		data, err := json.Marshal(args)
		if err != nil {
			s.report("arguments", "%s.%s: %v", facade, m.Name, err)
			return
		}
		out := s.ask("arguments", c, p.ID, facade, m.Name, data)
		switch {
		case out == nil:
		case out.Failure == nil:
			s.report("arguments", "%s.%s accepts %s", facade, m.Name, what)
		case isPanic(out.Failure) || out.Failure.Kind != sdk.KindType && out.Failure.Kind != sdk.KindValue:
			s.report("arguments", "%s.%s: %s must be refused by a TypeError or ValueError, not %s: %s", facade, m.Name, what, out.Failure.Kind, out.Failure.Message)
		}
	}
	try("no_such_parameter", json.RawMessage("1"), "a parameter that it has not")
	for _, param := range m.Params {
		if wrong := s.misfit(param.Type); wrong != nil {
			try(param.Name, wrong, string(wrong)+" for "+param.Name+": "+param.Type.Annotation())
		}
	}
}

// isPanic tells a method that broke down from one that refused.
func isPanic(f *wire.Failure) bool {
	return strings.Contains(f.Message, "failed by a fault of its own")
}

// fitting is some value of the type.
func (s *suite) fitting(t sdk.TypeRef) json.RawMessage {
	switch t.Name {
	case "str":
		return json.RawMessage(`"a"`)
	case "int", "float":
		return json.RawMessage("1")
	case "bool":
		return json.RawMessage("true")
	case "list":
		return json.RawMessage("[]")
	case "literal":
		data, _ := json.Marshal(t.Values[0])
		return data
	case "optional", "None", "Any":
		return json.RawMessage("null")
	}
	if d := s.typeOf(t.Name); d != nil && d.Kind == sdk.TypeEnum && len(d.Members) > 0 {
		data, _ := json.Marshal(d.Members[0].Value)
		return data
	}
	return json.RawMessage("{}")
}

// misfit is some value of another type; nil where every value fits.
func (s *suite) misfit(t sdk.TypeRef) json.RawMessage {
	switch t.Name {
	case "Any", "None":
		return nil
	case "optional":
		return s.misfit(t.Args[0])
	case "str", "literal":
		return json.RawMessage("12345")
	case "bool":
		return json.RawMessage(`"yes"`)
	case "list":
		return json.RawMessage(`{"a":1}`)
	}
	return json.RawMessage(`["x"]`)
}

// unknown asks for what is not there.
func (s *suite) unknown(c *child, p *sdk.Project) {
	facade, method := s.manifest.Facades[0].Name, "no_such_method"
	if out := s.ask("arguments", c, p.ID, facade, method, []byte("{}")); out != nil && out.Failure == nil {
		s.report("arguments", "%s.%s, which is not declared, gives an answer", facade, method)
	}
	if methods := s.manifest.Facades[0].Methods; len(methods) > 0 {
		name := methods[0].Name
		if out := s.ask("arguments", c, "never opened", facade, name, []byte("{}")); out != nil && out.Failure == nil {
			s.report("arguments", "%s.%s gives an answer for a project that was never opened", facade, name)
		}
	}
}

func (s *suite) tooLarge(c *child, p *sdk.Project) {
	if s.options.Large == "" {
		return
	}
	e, ok := s.call("Large", s.options.Large)
	if !ok {
		return
	}
	out := s.ask("large result", c, p.ID, e.facade, e.method.Name, e.args)
	switch {
	case out == nil:
	case out.Failure == nil && !saysIncomplete(out.Value):
		s.report("Large", "%s answers %d bytes, which can be sent, and does not say that it is incomplete: more than %d are needed", e.text, len(out.Value), sdk.MaxValueBytes)
	case out.Failure != nil && isPanic(out.Failure):
		s.report("large result", "%s: %s", e.text, out.Failure.Message)
	}
	s.ask("large result", c, p.ID, e.facade, "no_such_method", []byte("{}")) // it still answers
}

// saysIncomplete reports whether a result tells that it holds what fits and not all.
func saysIncomplete(value []byte) bool {
	var record struct {
		Complete *bool `json:"complete"`
	}
	return json.Unmarshal(value, &record) == nil && record.Complete != nil && !*record.Complete
}

// begin makes the slow call, if there is one, and returns when it is under way.
func (s *suite) begin(c *child, p *sdk.Project) {
	if s.options.Slow == "" {
		return
	}
	e, ok := s.call("Slow", s.options.Slow)
	if !ok {
		return
	}
	ended := make(chan error, 1)
	go func() { // ends with the process
		_, err := c.call(context.WithoutCancel(s.t.Context()), p.ID, e.facade, e.method.Name, e.args)
		ended <- err
	}()
	if err, late := awaitReturn(ended, underWay); !late {
		s.report("Slow", "%s ended at once (error: %v), so nothing is under way when the plugin is stopped", e.text, err)
	}
}

func (s *suite) stop(c *child, p *sdk.Project) {
	s.begin(c, p)
	ctx, cancel := context.WithTimeout(s.t.Context(), stopLimit)
	defer cancel()
	start := time.Now()
	if err := c.stop(ctx); err != nil {
		s.report("stop", "Stop did not return within %s: %v", stopLimit, err)
	}
	s.ended("stop", c, stopLimit-min(time.Since(start), stopLimit-time.Second))
}

// withoutHost cuts what ties the process to its host, which then is taken to be gone.
func (s *suite) withoutHost() {
	p := s.project("orphaned")
	c, err := s.startChild(newHost(p))
	if err != nil {
		return // it was reported before
	}
	defer c.discard()
	if !s.opened(c, p) {
		return
	}
	s.begin(c, p)
	if err := c.process.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.ended("host's end", c, stopLimit)
}

// ended checks that the process has ended by itself, in time, and that nothing of it is left.
func (s *suite) ended(check string, c *child, limit time.Duration) {
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	state, err := c.process.Wait(ctx)
	switch {
	case err != nil:
		s.report(check, "the process did not end within %s", limit)
		return
	case state.Code != 0:
		s.report(check, "the process ended with %s; it said:\n%s", state, bytes.TrimSpace([]byte(c.err.String())))
	}
	if left := leftovers(c, time.Second); len(left) > 0 {
		s.report(check, "the plugin's process is gone, and the processes %v, which it has started, are left: end them in Stop, start them through internal/process, "+
			"or say StartsPrograms", left)
	}
}
