package sdk

import (
	"context"
	"encoding/json"
)

// Invoke binds the arguments and runs a method in this process; it returns the value as JSON and its rendering. It is
// what tests use; a served plugin is called over the wire.
func (p Plugin) Invoke(ctx context.Context, call *Call, facade, method string, args map[string]json.RawMessage, answerLimit int) (json.RawMessage, string, error) {
	for _, f := range p.Facades {
		for _, m := range f.Methods {
			if f.Name != facade || m.decl.Name != method {
				continue
			}
			bound, err := m.decl.Bind(facade, args, answerLimit)
			if err != nil {
				return nil, "", err
			}
			result, err := m.run(ctx, call, bound)
			if err != nil {
				return nil, "", err
			}
			value, err := json.Marshal(result)
			if err != nil {
				return nil, "", err
			}
			_, result = actual(m.decl.Result, result)
			return value, renderText(result, policyOf(m.decl, bound), value), nil
		}
	}
	return nil, "", Errorf(KindAttribute, "plugin %s has no method %s.%s", p.Name, facade, method)
}
