package hostside

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/wire"
	"github.com/serena-go/serena/sdk"
)

func TestWireFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want *wire.Failure
	}{
		"none":      {nil, nil},
		"cancelled": {context.Canceled, &wire.Failure{Kind: sdk.KindCancelled, Message: "the call was cancelled"}},
		"late":      {context.DeadlineExceeded, &wire.Failure{Kind: sdk.KindTimeout, Message: "context deadline exceeded"}},
		"plain":     {errors.New("x"), &wire.Failure{Kind: sdk.KindRuntime, Message: "x"}},
		"no UTF-8":  {errors.New("x\xff"), &wire.Failure{Kind: sdk.KindRuntime, Message: "x\ufffd"}},
		"own":       {sdk.Errorf("E", "y").WithData(1), &wire.Failure{Kind: "E", Message: "y", Data: []byte("1")}},
	} {
		got := wireFailure(c.err)
		if (got == nil) != (c.want == nil) || got != nil && (got.Kind != c.want.Kind || got.Message != c.want.Message || string(got.Data) != string(c.want.Data)) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSDKChange_refusesNonsense(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*wire.Change{
		"no kind":           {Path: "p"},
		"rename to nothing": {Path: "p", Change: &wire.Change_Rename{Rename: &wire.Rename{}}},
		"whole and edits":   {Path: "p", Change: &wire.Change_Write{Write: &wire.Write{Whole: true, Edits: []*wire.ByteEdit{{}}}}},
		"beyond any file":   {Path: "p", Change: &wire.Change_Write{Write: &wire.Write{Edits: []*wire.ByteEdit{{Start: 1 << 63, End: 1 << 63}}}}},
	} {
		if _, err := sdkChange(c); !sdk.IsKind(err, sdk.KindValue) || !strings.HasPrefix(err.Error(), "p: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
