package sdk

import (
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/serena-go/serena/internal/wire"
)

// silentHost is a host that must not be asked, but for what it records.
type silentHost struct {
	wire.HostClient
	reported [][]string
}

func (h *silentHost) ReportChanged(_ context.Context, req *wire.ReportChangedRequest, _ ...grpc.CallOption) (*wire.ReportChangedReply, error) {
	h.reported = append(h.reported, req.Paths)
	return &wire.ReportChangedReply{}, nil
}

func TestHostClient_refuses_what_cannot_be_sent(t *testing.T) {
	t.Parallel()
	many := make([]ByteEdit, 3_000_000)
	for i := range many {
		many[i] = ByteEdit{Start: 4 * i, End: 4*i + 1, Text: []byte("twelve bytes")}
	}
	for name, c := range map[string]struct {
		change     Change
		kind, says string
	}{
		"a name":       {EditFile("bad\xff.txt", "b", ByteEdit{End: 1}), KindUnicode, `"bad\xff.txt" is no UTF-8`},
		"a new name":   {RenameFile("a", "b", "c\xff"), KindUnicode, `"c\xff" is no UTF-8`},
		"many places":  {EditFile("a", "b", many...), KindValue, "in 3000000 places, take "},
		"much content": {WriteFile("a", Absent, make([]byte, wire.MaxMessageBytes)), KindValue, "in 1 places, take "},
	} {
		h := &hostClient{client: &silentHost{}}
		_, err := h.ApplyEdits(t.Context(), "", []Change{c.change})
		if !IsKind(err, c.kind) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHostClient_reports_names_that_cannot_be_sent_as_any(t *testing.T) {
	t.Parallel()
	host := &silentHost{}
	h := &hostClient{client: host}
	for _, paths := range [][]string{{"a", "b"}, {"a", "b\xff"}} {
		if _, err := h.ReportChanged(t.Context(), "p", paths); err != nil {
			t.Error(err)
		}
	}
	if len(host.reported) != 2 || len(host.reported[0]) != 2 || len(host.reported[1]) != 0 {
		t.Errorf("reported %q", host.reported)
	}
}

func TestFailure_of_no_UTF8(t *testing.T) {
	t.Parallel()
	if f := wireFailure(Errorf(KindValue, "a\xffb")); f.Message != "a\ufffdb" {
		t.Errorf("got %q", f.Message)
	}
}
