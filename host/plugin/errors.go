package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/serena-go/serena/host/api"
	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// ErrGone reports that the plugin's process ended during the call, see api.ErrGone.
var ErrGone = api.ErrGone

// errNotBegun reports that the process is ending and refused the call: it can be made again on a fresh process, whatever it does.
var errNotBegun = errors.New("the plugin's process is ending")

// ErrDown reports that a plugin is not started because it crashed too often. Wait until the time the error names.
var ErrDown = errors.New("the plugin crashed too often")

// ErrStopped reports that the Manager was stopped: serena is ending.
var ErrStopped error = sdk.Errorf(sdk.KindConnection, "serena is ending, so its plugins are stopped")

// How long a failed call waits for the end of the plugin's process, which is seen a little later than the loss of the connection.
const endDelay = time.Second

// peer is what is known of the other end when a call has failed.
type peer interface {
	// awaitEnd waits for the process's end, at most for limit, and tells how it ended, with its last lines.
	awaitEnd(limit time.Duration) (how string, ended bool)
	// connected tells whether the connection is up.
	connected() bool
	// abandon kills a process whose connection is lost.
	abandon()
}

// translate turns the failure of an RPC into what the caller shall see; what names the call, as "plugin clock: clock.now". It is the only place
// that reads gRPC status codes. The order matters: a caller that gave up is told so whatever else went wrong meanwhile, and a
// process that ended explains every other failure.
func translate(ctx context.Context, err error, what string, p peer) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s, _ := status.FromError(err)
	switch s.Code() {
	case codes.DeadlineExceeded:
		// The peer's clock for the deadline that it was sent may run out first.
		if _, has := ctx.Deadline(); has {
			return context.DeadlineExceeded
		}
		return sdk.Errorf(sdk.KindTimeout, "%s: the plugin gave up by a deadline of its own: %s", what, s.Message())
	case codes.ResourceExhausted:
		return sdk.Errorf(sdk.KindValue, "%s: what was to be sent is bigger than the %d bytes that a message may have (%s): ask for less", what, wire.MaxMessageBytes, s.Message())
	case codes.Aborted:
		return fmt.Errorf("%s: %w", what, errNotBegun)
	case codes.Unimplemented:
		return sdk.Errorf(sdk.KindRuntime, "%s: the plugin does not serve this (%s): rebuild it with the sdk of this serena", what, s.Message())
	}
	return translateLoss(s, what, p)
}

// translateLoss tells a process that ended, or can no longer be reached, from a plugin that answered with an error.
func translateLoss(s *status.Status, what string, p peer) error {
	suspicious := s.Code() == codes.Unavailable || s.Code() == codes.Canceled || !p.connected()
	limit := time.Duration(0)
	if suspicious {
		limit = endDelay
	}
	if how, ended := p.awaitEnd(limit); ended {
		return gone(what, how)
	}
	if suspicious && !p.connected() {
		p.abandon()
		return gone(what, "its connection was lost and it was killed")
	}
	if s.Code() == codes.Canceled {
		return sdk.Errorf(sdk.KindCancelled, "%s: the plugin cancelled the call itself", what)
	}
	return sdk.Errorf(sdk.KindRuntime, "%s: %s (%s)", what, s.Message(), s.Code())
}

func gone(what, how string) error {
	return sdk.Errorf(sdk.KindConnection, "%s: %w: %s\na fresh process is started with the next call", what, ErrGone, how)
}

// failure turns an answer's failure into an error.
func failure(f *wire.Failure) error {
	if f == nil {
		return nil
	}
	if f.Kind == "" {
		f.Kind = sdk.KindRuntime
	}
	return &sdk.Error{Kind: f.Kind, Message: f.Message, Data: f.Data, Listing: f.Listing}
}

// ending words how a process ended, for errors and the log.
func ending(state fmt.Stringer, lastLines string) string {
	if lastLines == "" {
		return state.String()
	}
	return fmt.Sprintf("%s; the last it said was:\n%s", state, lastLines)
}
