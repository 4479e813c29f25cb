package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	d := &doors{}
	p := d.plugin()
	facade := p.Facades[0].Name
	out, err := p.Run(t.Context(), NewCall(nil, 0, nil, nil, nil), facade, "open_door", json.RawMessage(`{"name": "a"}`))
	if err != nil || out.Type != "gate" || string(out.Policy) != "{}" || string(out.Value) != out.Text {
		t.Errorf("%+v, %v", out, err)
	}
	if _, err := p.Run(t.Context(), NewCall(nil, 0, nil, nil, nil), facade, "nothing", nil); !IsKind(err, KindAttribute) {
		t.Errorf("%v", err)
	}

	d.said = nil
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(gone, NewCall(nil, 0, nil, nil, nil), facade, "open_door", json.RawMessage(`{"name": "b"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if want := []string{"enter b", `exit b 2 true CancelledError "the call was cancelled while it was entered" <nil>`}; !slices.Equal(d.said, want) {
		t.Errorf("%q, want %q", d.said, want)
	}
}
