package repl

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
	"unicode/utf8"
)

// outbox holds the frames for the runtime until its goroutine has written them, so that nobody else waits for a runtime that
// does not read. What it holds is bounded by what the runtime asked for.
type outbox struct {
	mu     sync.Mutex // guards the fields below
	frames [][]byte
	closed bool
	wake   chan struct{} // holds a token while there may be something to do
}

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// send queues a frame; after close it is dropped. An error means that the frame has no JSON form.
func (o *outbox) send(frame any) error {
	line, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	if !utf8.Valid(line) { // raw JSON of a plugin; the runtime would refuse the line and nobody would get an answer
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	}
	line = append(line, '\n')
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	o.frames = append(o.frames, line)
	o.signal()
	return nil
}

// close lets write return once everything queued is written.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// write writes frames to w until close, or until w fails or stop is closed.
func (o *outbox) write(w io.Writer, stop <-chan struct{}) {
	for {
		frame, closed := o.next()
		switch {
		case frame != nil:
			if _, err := w.Write(frame); err != nil {
				return // the process has ended, which its owner sees by itself
			}
		case closed:
			return
		default:
			select {
			case <-o.wake:
			case <-stop:
				return
			}
		}
	}
}

func (o *outbox) next() (frame []byte, closed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.frames) == 0 {
		return nil, o.closed
	}
	frame = o.frames[0]
	o.frames[0] = nil
	o.frames = o.frames[1:]
	return frame, false
}
