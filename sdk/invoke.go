package sdk

import (
	"context"
	"encoding/json"
)

// Answer is what a method answered, as a host needs it.
type Answer struct {
	Value  json.RawMessage
	Type   string          // name of the value's record type; empty for plain values
	Policy json.RawMessage // JSON object: the output parameters fixed by the call
	Text   string          // the rendering
}

// Run runs a method in this process, with arguments that are bound and complete: a host serves methods of its own by it. A context
// manager that was entered for a caller whose ctx is done by then is left, and the answer is ctx's error.
func (p Plugin) Run(ctx context.Context, call *Call, facade, method string, bound json.RawMessage) (Answer, error) {
	m, ok := p.method(facade, method)
	if !ok {
		return Answer{}, Errorf(KindAttribute, "plugin %s has no method %s.%s", p.Name, facade, method)
	}
	result, err := m.run(ctx, call, bound)
	if err != nil {
		return Answer{}, err
	}
	value, err := json.Marshal(result)
	if err != nil {
		return Answer{}, Errorf(KindRuntime, "%s.%s: the result cannot be sent: %w", facade, method, err)
	}
	if exit, ok := p.method(facade, m.decl.Exit); ok && ctx.Err() != nil {
		leaveAbandoned(ctx, exit, call, value)
		return Answer{}, ctx.Err()
	}
	ref, result := actual(m.decl.Result, result)
	out := Answer{Value: value, Type: recordName(ref, value), Policy: policyOf(m.decl, bound)}
	out.Text = renderText(result, out.Policy, value)
	return out, nil
}

func (p Plugin) method(facade, method string) (Method, bool) {
	for _, f := range p.Facades {
		for _, m := range f.Methods {
			if f.Name == facade && m.decl.Name == method {
				return m, true
			}
		}
	}
	return Method{}, false
}

// Invoke binds the arguments and runs a method in this process; it returns the value as JSON and its rendering. It is
// what tests use; a served plugin is called over the wire.
func (p Plugin) Invoke(ctx context.Context, call *Call, facade, method string, args map[string]json.RawMessage, answerLimit int) (json.RawMessage, string, error) {
	m, ok := p.method(facade, method)
	if !ok {
		return nil, "", Errorf(KindAttribute, "plugin %s has no method %s.%s", p.Name, facade, method)
	}
	bound, err := m.decl.Bind(facade, args, answerLimit)
	if err != nil {
		return nil, "", err
	}
	out, err := p.Run(ctx, call, facade, method, bound)
	return out.Value, out.Text, err
}
