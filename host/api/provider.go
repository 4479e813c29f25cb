package api

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/serena-go/serena/host/project"
)

// ErrGone reports that the process of a provider ended during the call. The call may have taken effect: repeat reads
// freely, edits never. The next call starts a fresh process.
var ErrGone = errors.New("the plugin's process ended during the call")

// Request is one call on its way to its provider: resolved, allowed, its arguments bound and complete.
type Request struct {
	Session   string           // of the caller; empty for none
	Project   *project.Project // nil when the caller has none
	Change    uint64           // the project's last known change number
	Facade    string
	Method    string
	Arguments json.RawMessage // JSON object
	Render    bool            // the outcome shall carry its rendering
	Token     string          // names this call in calls back to the host
	Progress  func(done, total float64, message string)
}

// Outcome is what a call answered.
type Outcome struct {
	Value  json.RawMessage
	Type   string          // name of the value's record type; empty for plain values
	Policy json.RawMessage // JSON object: the output parameters fixed by the call
	Text   string          // the rendering, when it was asked for
}

// Provider runs methods: a plugin process, the host itself, or (later) the project server.
type Provider interface {
	// Call runs one method. ErrGone (errors.Is) means that the provider ended during the call.
	Call(ctx context.Context, req Request) (Outcome, error)
	// Render turns a value of one of the provider's record types into text; it is pure.
	Render(ctx context.Context, typeName string, value, policy json.RawMessage) (string, error)
}
