package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/fakeserver"
)

func TestNoise_isSkipped(t *testing.T) {
	t.Parallel()
	c, log := start(t, fakeserver.Noisy)
	if err := c.Show("file:///f", "fake", "def x"); err != nil {
		t.Fatal(err)
	}
	if got, err := symbols(t.Context(), c); err != nil || names(got) != "x" {
		t.Errorf("symbols %q, %v", names(got), err)
	}
	log.wait(t, "this goes to stdout")
	log.wait(t, "no line end")
}

func TestServerRequests(t *testing.T) {
	t.Parallel()
	c, _ := start(t, fakeserver.Curious)
	want := map[string]string{
		`"configuration"`: `[null,null]`, `"register"`: `null`, `"progress"`: `null`,
		`"edit"`:    `{"applied":false,"failureReason":"files are changed by the user's own requests only"}`,
		`"unknown"`: `{"code":-32601,"message":"the client has no method fake/unheardOf"}`,
	}
	var answers map[string]json.RawMessage
	for len(answers) < len(want) { // each look is a round trip, so what was asked before is answered
		if err := c.Call(t.Context(), "fake/answers", nil, &answers); err != nil {
			t.Fatal(err)
		}
	}
	for id, text := range want {
		var got, expected any
		if json.Unmarshal(answers[id], &got) != nil || json.Unmarshal([]byte(text), &expected) != nil {
			t.Fatalf("%s: %s", id, answers[id])
		}
		g, _ := json.Marshal(got)
		e, _ := json.Marshal(expected)
		if string(g) != string(e) {
			t.Errorf("%s was answered %s, want %s", id, g, e)
		}
	}
}

func TestReady(t *testing.T) {
	t.Parallel()
	cfg := config(t, fakeserver.Loading, newMessages())
	cfg.ReadyTitle = "Setting up workspace"
	c, err := client.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, c)
	if ready, _, err := c.Ready(t.Context(), 100*time.Millisecond); ready || err != nil {
		t.Errorf("loading: ready %v, %v", ready, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Ready(ctx, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	plain, _ := start(t, fakeserver.Plain)
	if ready, _, err := plain.Ready(t.Context(), time.Minute); !ready || err != nil {
		t.Errorf("without a title: ready %v, %v", ready, err)
	}
}
