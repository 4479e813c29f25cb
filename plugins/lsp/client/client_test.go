package client_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/serena-go/serena/plugins/lsp/client"
	"github.com/serena-go/serena/plugins/lsp/fakeserver"
	"github.com/serena-go/serena/plugins/lsp/protocol"
)

const roleVariable = "SERENA_TEST_FAKE_SERVER"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(fakeserver.Main(role))
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a test waits for a fact that must come.
const patience = 20 * time.Second

// messages is a log whose records a test can wait for.
type messages struct {
	slog.Handler
	got chan string
}

func newMessages() *messages {
	return &messages{Handler: slog.DiscardHandler, got: make(chan string, 1000)}
}

func (m *messages) Enabled(context.Context, slog.Level) bool { return true }

func (m *messages) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.Value.String(); return true })
	m.got <- text
	return nil
}

// wait returns the first record that contains part.
func (m *messages) wait(t *testing.T, part string) string {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case text := <-m.got:
			if strings.Contains(text, part) {
				return text
			}
		case <-limit:
			t.Fatalf("nothing was logged of %q", part)
		}
	}
}

func config(t *testing.T, role string, log *messages) client.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return client.Config{Name: "fake", Command: []string{self}, Env: []string{roleVariable + "=" + role}, Root: t.TempDir(),
		RequestTimeout: patience, ReadyTitle: "", Log: slog.New(log)}
}

func start(t *testing.T, role string) (*client.Client, *messages) {
	t.Helper()
	log := newMessages()
	c, err := client.Start(t.Context(), config(t, role, log))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c, log
}

func stop(t *testing.T, c *client.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	c.Stop(ctx)
	select {
	case <-c.Dead():
	case <-ctx.Done():
		t.Errorf("the server (pid %d) lives on", c.Pid())
	}
}

func symbols(ctx context.Context, c *client.Client) ([]protocol.DocumentSymbol, error) {
	var out []protocol.DocumentSymbol
	err := c.Call(ctx, "textDocument/documentSymbol", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: "file:///f"}}, &out)
	return out, err
}

func names(list []protocol.DocumentSymbol) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func TestShow_followsTheText(t *testing.T) {
	t.Parallel()
	c, _ := start(t, fakeserver.Plain)
	for _, step := range [][2]string{{"def one\ndef two\n", "one two"}, {"def one\ndef two\n", "one two"}, {"def three", "three"}, {"", ""}} {
		if err := c.Show("file:///f", "fake", step[0]); err != nil {
			t.Fatal(err)
		}
		got, err := symbols(t.Context(), c)
		if err != nil || names(got) != step[1] {
			t.Errorf("%q: symbols %q, %v; want %q", step[0], names(got), err, step[1])
		}
	}
	if text, open := c.Shown("file:///f"); !open || text != "" {
		t.Errorf("shown: %q, %v", text, open)
	}
	if err := c.Hide("file:///f"); err != nil {
		t.Fatal(err)
	}
	if _, open := c.Shown("file:///f"); open {
		t.Error("still open after Hide")
	}
}

func TestShow_closesTheOldest(t *testing.T) {
	t.Parallel()
	c, _ := start(t, fakeserver.Plain)
	show := func(uri string) {
		t.Helper()
		if err := c.Show(uri, "fake", uri); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		show("file:///" + string(rune('A'+i)))
	}
	show("file:///A") // used again: B is the oldest now
	show("file:///new")
	_, a := c.Shown("file:///A")
	_, b := c.Shown("file:///B")
	if n := len(c.Opened()); !a || b || n != 100 {
		t.Errorf("A open %v, B open %v, %d open", a, b, n)
	}
}

func TestCall_cancelled(t *testing.T) {
	t.Parallel()
	c, log := start(t, fakeserver.Slow)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := symbols(ctx, c)
		done <- err
	}()
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	case <-time.After(patience):
		t.Fatal("the call does not return")
	}
	log.wait(t, "cancelled ") // the server was told, and answers late
	var answers map[string]any
	if err := c.Call(t.Context(), "fake/answers", nil, &answers); err != nil || len(answers) != 0 {
		t.Errorf("the next request: %v, %v", answers, err)
	}
}

func TestCall_timesOut(t *testing.T) {
	t.Parallel()
	log := newMessages()
	cfg := config(t, fakeserver.Slow, log)
	c, err := client.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	stop(t, c)
	cfg.RequestTimeout = 2 * time.Second
	if c, err = client.Start(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	defer stop(t, c)
	_, err = symbols(t.Context(), c)
	if !errors.Is(err, client.ErrTimeout) || !strings.Contains(err.Error(), "2s for textDocument/documentSymbol") {
		t.Errorf("error %v", err)
	}
	log.wait(t, "cancelled ")
}

func TestCall_serverDoesNotRead(t *testing.T) {
	t.Parallel()
	c, _ := start(t, fakeserver.Deaf)
	if err := c.Show("file:///f", "fake", strings.Repeat("x", 4<<20)); err != nil { // more than a pipe holds
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := symbols(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestCall_retriesModifiedContent(t *testing.T) {
	t.Parallel()
	c, _ := start(t, fakeserver.Busy)
	if err := c.Show("file:///f", "fake", "def x"); err != nil {
		t.Fatal(err)
	}
	if got, err := symbols(t.Context(), c); err != nil || names(got) != "x" {
		t.Errorf("symbols %q, %v", names(got), err)
	}
}

func TestExplain_waitsForTheReason(t *testing.T) {
	t.Parallel()
	c, _ := start(t, fakeserver.Sorry)
	_, err := symbols(t.Context(), c)
	var refused *client.ResponseError
	if err = c.Explain(t.Context(), err); !errors.As(err, &refused) || refused.Logged != "the reason" || refused.Message != "no" {
		t.Errorf("error %v", err)
	}
	other := errors.New("another")
	if err = c.Explain(t.Context(), other); err != other {
		t.Errorf("another error became %v", err)
	}
}
