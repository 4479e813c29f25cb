package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// enterLimit is how long a message may be held back for the call before it; one that is no good may never take its place.
const enterLimit = 2 * time.Second

// callMark is found in every call of a tool.
var callMark = []byte(`"tools/call"`)

// paced hands over one message at a time, and the next one when the call before it has its place in the order: mcp-go has many
// goroutines take up calls, which would otherwise enter in any order.
type paced struct {
	in      *bufio.Reader
	order   *order
	rest    []byte // of what was read last
	err     error  // behind rest
	inside  bool   // of a message
	entered int    // how many calls have their place when the one that was handed over last has; 0: it was no call
}

func newPaced(in io.Reader, o *order) *paced {
	return &paced{in: bufio.NewReaderSize(in, 1<<16), order: o}
}

func (p *paced) Read(into []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.next()
	}
	n := copy(into, p.rest)
	if p.rest = p.rest[n:]; n == 0 {
		return 0, p.err
	}
	return n, nil
}

// next reads a message, or the next part of a long one.
func (p *paced) next() {
	if !p.inside && p.entered > 0 {
		p.order.await(p.entered, enterLimit)
		p.entered = 0
	}
	p.rest, p.err = p.in.ReadSlice('\n')
	if p.inside = errors.Is(p.err, bufio.ErrBufferFull); p.inside {
		p.err = nil
	}
	if p.entered == 0 && bytes.Contains(p.rest, callMark) {
		p.entered = p.order.places() + 1
	}
}

// refusals counts the calls that are answered with a protocol error, which never took a place. It gets one message a write.
type refusals struct {
	io.Writer
	order *order
}

// refusalMark is found in such an answer: inside of a JSON text the quotes would be escaped.
var refusalMark = []byte(`"error":{`)

func (w refusals) Write(p []byte) (int, error) {
	if bytes.Contains(p[:min(len(p), 256)], refusalMark) {
		w.order.pass()
	}
	return w.Writer.Write(p)
}
