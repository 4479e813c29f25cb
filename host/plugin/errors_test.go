package plugin

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/serena-go/serena/sdk"
)

// fakePeer is the other end of a failed call.
type fakePeer struct {
	how       string // it ended so; "": it lives
	up        bool
	waited    time.Duration
	abandoned bool
}

func (p *fakePeer) awaitEnd(limit time.Duration) (string, bool) {
	p.waited = limit
	return p.how, p.how != ""
}
func (p *fakePeer) connected() bool { return p.up }
func (p *fakePeer) abandon()        { p.abandoned = true }

func TestTranslate(t *testing.T) {
	t.Parallel()
	alive := context.Background()
	cancelled, cancel := context.WithCancel(alive)
	cancel()
	expired, cancel := context.WithTimeout(alive, -1)
	t.Cleanup(cancel)
	limited, cancel := context.WithTimeout(alive, time.Hour)
	t.Cleanup(cancel) // after the parallel subtests, unlike a defer
	for name, c := range map[string]struct {
		ctx       context.Context
		code      codes.Code
		peer      fakePeer
		is        error  // errors.Is
		kind      string // of an sdk.Error
		text      string // part of the message
		abandoned bool
	}{
		"the plugin died":                       {ctx: alive, code: codes.Unavailable, peer: fakePeer{how: "exit code 3"}, is: ErrGone, kind: sdk.KindConnection, text: "exit code 3"},
		"it died, seen as a cancelled stream":   {ctx: alive, code: codes.Canceled, peer: fakePeer{how: "exit code 3", up: true}, is: ErrGone, kind: sdk.KindConnection},
		"it died, seen as an inner error":       {ctx: alive, code: codes.Internal, peer: fakePeer{how: "exit code 3"}, is: ErrGone, kind: sdk.KindConnection},
		"the caller gave up":                    {ctx: cancelled, code: codes.Canceled, peer: fakePeer{up: true}, is: context.Canceled},
		"the caller gave up and it died":        {ctx: cancelled, code: codes.Unavailable, peer: fakePeer{how: "exit code 3"}, is: context.Canceled},
		"the caller's time ran out":             {ctx: expired, code: codes.DeadlineExceeded, peer: fakePeer{up: true}, is: context.DeadlineExceeded},
		"its time ran out and the plugin died":  {ctx: expired, code: codes.Unavailable, peer: fakePeer{how: "exit code 3"}, is: context.DeadlineExceeded},
		"the peer's clock was ahead":            {ctx: limited, code: codes.DeadlineExceeded, peer: fakePeer{up: true}, is: context.DeadlineExceeded},
		"a deadline of the plugin's own":        {ctx: alive, code: codes.DeadlineExceeded, peer: fakePeer{up: true}, kind: sdk.KindTimeout, text: "of its own"},
		"the plugin cancelled":                  {ctx: alive, code: codes.Canceled, peer: fakePeer{up: true}, kind: sdk.KindCancelled},
		"too large":                             {ctx: alive, code: codes.ResourceExhausted, peer: fakePeer{up: true}, kind: sdk.KindValue, text: "67108864 bytes"},
		"not served":                            {ctx: alive, code: codes.Unimplemented, peer: fakePeer{up: true}, kind: sdk.KindRuntime, text: "rebuild it"},
		"a real error":                          {ctx: alive, code: codes.Internal, peer: fakePeer{up: true}, kind: sdk.KindRuntime, text: "the text (Internal)"},
		"unavailable, but alive and connected":  {ctx: alive, code: codes.Unavailable, peer: fakePeer{up: true}, kind: sdk.KindRuntime, text: "the text (Unavailable)"},
		"alive, but the connection is lost":     {ctx: alive, code: codes.Unavailable, is: ErrGone, kind: sdk.KindConnection, text: "connection was lost", abandoned: true},
		"a handler's error, and then it is off": {ctx: alive, code: codes.Unknown, is: ErrGone, kind: sdk.KindConnection, abandoned: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer := c.peer
			err := translate(c.ctx, status.Error(c.code, "the text"), "plugin p: f.m", &peer)
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("is no %v: %v", c.is, err)
			}
			if c.is != ErrGone && errors.Is(err, ErrGone) {
				t.Errorf("is gone: %v", err)
			}
			if got := sdk.IsKind(err, c.kind); got != (c.kind != "") {
				t.Errorf("kind %q: %v", c.kind, err)
			}
			if !strings.Contains(err.Error(), c.text) || c.kind != "" && !strings.HasPrefix(err.Error(), "plugin p: f.m: ") {
				t.Errorf("%v", err)
			}
			if peer.abandoned != c.abandoned || peer.waited > endDelay {
				t.Errorf("%+v", peer)
			}
		})
	}
	if err := translate(cancelled, nil, "", &fakePeer{}); err != nil {
		t.Errorf("a success became %v", err)
	}
	if err := translate(alive, errors.New("no status"), "plugin p: f.m", &fakePeer{up: true}); err.Error() != "plugin p: f.m: no status (Unknown)" {
		t.Errorf("%v", err)
	}
}
