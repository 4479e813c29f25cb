// Package hostside is the host's end of the wire to a plugin's process: it serves what the host does for a plugin, and opens the
// connection. A host (host/plugin) and the conformance suite (sdk/sdktest) use it; a plugin's author does not.
package hostside

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

// hostService serves the host to one plugin process. Whether something is allowed is decided behind it.
type hostService struct {
	wire.UnimplementedHostServer
	host sdk.HostServices
}

// NewServer serves host to one plugin process.
func NewServer(host sdk.HostServices) *grpc.Server {
	s := grpc.NewServer(grpc.MaxRecvMsgSize(wire.MaxMessageBytes), grpc.MaxSendMsgSize(wire.MaxMessageBytes))
	wire.RegisterHostServer(s, &hostService{host: host})
	return s
}

func (h *hostService) Call(req *wire.HostCallRequest, stream grpc.ServerStreamingServer[wire.CallEvent]) error {
	ctx := stream.Context()
	value, err := h.host.CallFacade(ctx, req.CallerToken, req.Facade, req.Method, json.RawMessage(req.Arguments))
	if gaveUp(ctx, err) {
		return status.FromContextError(ctx.Err()).Err()
	}
	if err == nil && len(value) > wire.MaxValueBytes {
		err = sdk.Errorf(sdk.KindValue, "%s.%s: the result has %d bytes, more than the %d that can be sent: ask for less", req.Facade, req.Method, len(value), wire.MaxValueBytes)
	}
	outcome := &wire.Outcome{Failure: wireFailure(err)}
	if err == nil {
		outcome.Value = value
	}
	return stream.Send(&wire.CallEvent{Event: &wire.CallEvent_Outcome{Outcome: outcome}})
}

func (h *hostService) ApplyEdits(ctx context.Context, req *wire.ApplyEditsRequest) (*wire.ApplyEditsReply, error) {
	changes := make([]sdk.Change, len(req.Changes))
	var err error
	for i, c := range req.Changes {
		if changes[i], err = sdkChange(c); err != nil {
			return &wire.ApplyEditsReply{Failure: wireFailure(err)}, nil
		}
	}
	number, err := h.host.ApplyEdits(ctx, req.CallerToken, changes)
	if gaveUp(ctx, err) {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	return &wire.ApplyEditsReply{Change: number, Failure: wireFailure(err)}, nil
}

func (h *hostService) Changes(ctx context.Context, req *wire.ChangesRequest) (*wire.ChangesReply, error) {
	changes, err := h.host.Changes(ctx, req.ProjectId, req.Since)
	if gaveUp(ctx, err) {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	reply := &wire.ChangesReply{Reset_: changes.Reset, Change: changes.Last, Failure: wireFailure(err)}
	for _, f := range changes.Files {
		if !utf8.ValidString(f.Path) {
			continue // no plugin can be told of it, nor name it
		}
		reply.Files = append(reply.Files, &wire.FileChange{Path: f.Path, Kind: wire.FileChange_Kind(f.Kind)})
	}
	return reply, nil
}

// ReportChanged has no failure on the wire: what cannot be recorded becomes the RPC's own error.
func (h *hostService) ReportChanged(ctx context.Context, req *wire.ReportChangedRequest) (*wire.ReportChangedReply, error) {
	number, err := h.host.ReportChanged(ctx, req.ProjectId, req.Paths)
	if gaveUp(ctx, err) {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if err != nil {
		return nil, err
	}
	return &wire.ReportChangedReply{Change: number}, nil
}

// gaveUp reports whether the plugin cancelled its call, which it is told in gRPC's own way.
func gaveUp(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

func wireFailure(err error) *wire.Failure {
	if err == nil {
		return nil
	}
	switch {
	case errors.Is(err, context.Canceled):
		err = sdk.Errorf(sdk.KindCancelled, "the call was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		err = sdk.Errorf(sdk.KindTimeout, "%w", err)
	}
	e := sdk.AsError(err)
	return &wire.Failure{Kind: e.Kind, Message: strings.ToValidUTF8(e.Message, "\ufffd"), Data: e.Data, Listing: e.Listing}
}

func sdkChange(c *wire.Change) (sdk.Change, error) {
	switch x := c.GetChange().(type) {
	case *wire.Change_Delete:
		return sdk.DeleteFile(c.Path, sdk.Base(x.Delete.GetBase())), nil
	case *wire.Change_Rename:
		if x.Rename.GetTo() == "" {
			return sdk.Change{}, sdk.Errorf(sdk.KindValue, "%s: a rename needs the new path", c.Path)
		}
		return sdk.RenameFile(c.Path, sdk.Base(x.Rename.GetBase()), x.Rename.GetTo()), nil
	case *wire.Change_Write:
		return sdkWrite(c.Path, x.Write)
	}
	return sdk.Change{}, sdk.Errorf(sdk.KindValue, "%s: the change is of no kind that this serena knows: rebuild the plugin with a matching sdk", c.GetPath())
}

func sdkWrite(path string, w *wire.Write) (sdk.Change, error) {
	base := sdk.Base(w.GetBase())
	if w.GetWhole() {
		if len(w.Edits) > 0 {
			return sdk.Change{}, sdk.Errorf(sdk.KindValue, "%s: a write is either the whole content or edits of the base, not both", path)
		}
		return sdk.WriteFile(path, base, w.Content), nil
	}
	edits := make([]sdk.ByteEdit, len(w.GetEdits()))
	for i, e := range w.GetEdits() {
		if e.Start > math.MaxInt || e.End > math.MaxInt {
			return sdk.Change{}, sdk.Errorf(sdk.KindValue, "%s: edit %d: the bytes [%d, %d) are beyond every file", path, i, e.Start, e.End)
		}
		edits[i] = sdk.ByteEdit{Start: int(e.Start), End: int(e.End), Text: e.Text}
	}
	return sdk.EditFile(path, base, edits...), nil
}
