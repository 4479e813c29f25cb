package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/serena-go/serena/internal/wire"
)

// hostClient reaches the host over the broker.
type hostClient struct{ client wire.HostClient }

var _ HostServices = (*hostClient)(nil)

func (h *hostClient) ApplyEdits(ctx context.Context, token string, changes []Change) (uint64, error) {
	req := &wire.ApplyEditsRequest{CallerToken: token}
	places := 0
	for _, c := range changes {
		for _, name := range []string{c.Path, c.To} {
			if !utf8.ValidString(name) {
				return 0, Errorf(KindUnicode, "nothing was changed: the name %q is no UTF-8, and files of such names cannot be written here: rename it, or use a command", name)
			}
		}
		req.Changes = append(req.Changes, wireChange(c))
		places += max(1, len(c.Edits))
	}
	if size := proto.Size(req); size > wire.MaxMessageBytes {
		return 0, Errorf(KindValue, "nothing was changed: the changes, in %d places, take %d bytes, more than the %d that can be sent: change less in one call, or use a command", places, size, wire.MaxMessageBytes)
	}
	reply, err := h.client.ApplyEdits(ctx, req)
	if err != nil {
		return 0, hostError(err)
	}
	return reply.Change, failureError(reply.Failure)
}

func (h *hostClient) Changes(ctx context.Context, projectID string, since uint64) (Changes, error) {
	reply, err := h.client.Changes(ctx, &wire.ChangesRequest{ProjectId: projectID, Since: since})
	if err != nil {
		return Changes{}, hostError(err)
	}
	out := Changes{Reset: reply.Reset_, Last: reply.Change}
	for _, f := range reply.Files {
		out.Files = append(out.Files, FileChange{Path: f.Path, Kind: ChangeKind(f.Kind)})
	}
	return out, failureError(reply.Failure)
}

func (h *hostClient) ReportChanged(ctx context.Context, projectID string, paths []string) (uint64, error) {
	if slices.ContainsFunc(paths, func(path string) bool { return !utf8.ValidString(path) }) {
		paths = nil // cannot be sent; any file may have changed
	}
	reply, err := h.client.ReportChanged(ctx, &wire.ReportChangedRequest{ProjectId: projectID, Paths: paths})
	if err != nil {
		return 0, hostError(err)
	}
	return reply.Change, nil
}

func (h *hostClient) CallFacade(ctx context.Context, token, facade, method string, args json.RawMessage) (json.RawMessage, error) {
	stream, err := h.client.Call(ctx, &wire.HostCallRequest{CallerToken: token, Facade: facade, Method: method, Arguments: args})
	if err != nil {
		return nil, hostError(err)
	}
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil, Errorf(KindConnection, "the host ended the call of %s.%s without an answer", facade, method)
		}
		if err != nil {
			return nil, hostError(err)
		}
		if o := event.GetOutcome(); o != nil {
			return o.Value, failureError(o.Failure)
		}
	}
}

// hostError translates a transport error of a call to the host.
func hostError(err error) error {
	switch status.Code(err) {
	case codes.Canceled:
		return context.Canceled
	case codes.DeadlineExceeded:
		return context.DeadlineExceeded
	}
	return Errorf(KindConnection, "the host did not answer: %w", err)
}

func failureError(f *wire.Failure) error {
	if f == nil {
		return nil
	}
	return &Error{Kind: f.Kind, Message: f.Message, Data: f.Data, Listing: f.Listing}
}

func wireChange(c Change) *wire.Change {
	out := &wire.Change{Path: c.Path}
	switch {
	case c.Delete:
		out.Change = &wire.Change_Delete{Delete: &wire.Delete{Base: string(c.Base)}}
	case c.To != "":
		out.Change = &wire.Change_Rename{Rename: &wire.Rename{Base: string(c.Base), To: c.To}}
	default:
		w := &wire.Write{Base: string(c.Base), Whole: c.Whole, Content: c.Content}
		for _, e := range c.Edits {
			w.Edits = append(w.Edits, &wire.ByteEdit{Start: uint64(e.Start), End: uint64(e.End), Text: e.Text})
		}
		out.Change = &wire.Change_Write{Write: w}
	}
	return out
}
