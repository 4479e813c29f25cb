package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// told collects what a reporter sends.
type told struct {
	mu   sync.Mutex
	sent []string
}

func (l *told) send(params map[string]any) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent = append(l.sent, fmt.Sprint(params["progressToken"], " ", params["progress"], " ", params["message"]))
	return nil
}

func (l *told) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.sent, "; ")
}

func TestProgressIsRateLimitedAndEndsWithTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &told{}
		r := newReporter("t", l.send)
		for i := range 1000 { // 10 s
			time.Sleep(10 * time.Millisecond) // the bubble's clock
			r.report(float64(i), 1000, "indexing")
		}
		r.end()
		r.report(1, 1, "late")
		time.Sleep(time.Minute)
		sent := strings.Split(l.all(), "; ")
		if len(sent) != 100 {
			t.Errorf("%d notifications in 10 s, want 100", len(sent))
		}
		if sent[0] != "t 0.01 indexing (0 of 1000)" || sent[99] != "t 9.91 indexing (990 of 1000)" {
			t.Errorf("first %q, last %q", sent[0], sent[99])
		}
	})
}

func TestProgressOfASilentCallIsAHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &told{}
		r := newReporter(7, l.send)
		time.Sleep(7 * time.Second)
		r.report(3, 0, "half way")
		time.Sleep(14*time.Second - time.Millisecond)
		r.end()
		time.Sleep(time.Minute)
		if got := l.all(); got != "7 5 running for 5 s; 7 7 half way; 7 15 running for 15 s; 7 20 running for 20 s" {
			t.Errorf("got %q", got)
		}
	})
}

func TestProgressThatNobodyAskedForIsNone(t *testing.T) {
	t.Parallel()
	var r *reporter
	r.report(1, 2, "x")
	r.end()
}

func TestNoticesAreWrittenBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var n notices
		var out bytes.Buffer
		w := n.writer(&out)
		queue := make(chan string, 2)
		flush := n.queue(func() error {
			queue <- `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
			return nil
		})
		begun := time.Now()
		go func() {
			time.Sleep(300 * time.Millisecond)
			fmt.Fprintln(w, `{"jsonrpc":"2.0","id":1,"result":"\"method\":\"notifications/progress\""}`) // an answer that quotes one
			time.Sleep(300 * time.Millisecond)
			fmt.Fprintln(w, <-queue)
		}()
		flush()
		if took := time.Since(begun); took != 600*time.Millisecond {
			t.Errorf("it waited %v", took)
		}
		flush() // it is written
		if f := n.queue(func() error { return errors.New("full") }); f != nil {
			t.Error("what was not queued is waited for")
		}
		begun = time.Now()
		n.queue(func() error { return nil })() // a client that does not read
		if took := time.Since(begun); took != flushLimit {
			t.Errorf("it waited %v", took)
		}
	})
}
