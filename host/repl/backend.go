package repl

import (
	"context"
	"encoding/json"

	"github.com/serena-go/serena/host/api"
)

// Backend answers what cells ask. Its methods are called concurrently. A ctx ends when the cell's wait was interrupted, or with the
// runtime. Errors that are *sdk.Error reach the cell as the exception of their kind.
type Backend interface {
	// Generation identifies what Bindings would answer now. It is asked before each cell and must be quick.
	Generation() string
	// Root is the folder that cells work in, absolute. It is asked before each cell; when it is another one than for the cell before,
	// the runtime goes there. Empty: cells stay where they are.
	Root() string
	// Bindings describes `s`: {"generation": …, "facades": [{"name", "summary", "doc", "methods", "types"}]}, with the methods and types as
	// in a manifest of the sdk.
	Bindings(ctx context.Context) (json.RawMessage, error)
	// Call runs a facade's method.
	Call(ctx context.Context, req CallRequest) (api.Outcome, error)
	// Pin fixes what Call works with, the project and what is allowed in it, for calls that belong together.
	Pin() func(ctx context.Context, req CallRequest) (api.Outcome, error)
	// Render turns a result into its text, by the policy it was retrieved with.
	Render(ctx context.Context, facade, typeName string, value, policy json.RawMessage) (string, error)
	// Info documents items; without items everything in short.
	Info(ctx context.Context, items []string) (string, error)
}

// CallRequest is one call of a facade's method by running code.
type CallRequest struct {
	Cell   string // the id of the cell that calls; empty for threads and for code outside of cells
	Facade string
	Method string
	Args   map[string]json.RawMessage // as the caller gave them; defaults are not filled in
}
