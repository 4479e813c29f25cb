package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
)

const (
	maxPending    = 256 << 20 // bytes the server has not read yet
	maxHeaderLine = 64 << 10
	loggedLine    = 300
)

// errStuck reports a server that does not read its input.
var errStuck = errors.New("the server does not read its input")

// pipes is a server's stdin and stdout as one stream. Writing never blocks, so that a caller whose context ends is not held by a
// server that does not read. Reading skips lines of output between messages that are no part of any.
type pipes struct {
	stdin  io.WriteCloser
	stdout io.ReadCloser
	in     *bufio.Reader
	skip   func(line string)

	header  bytes.Buffer // of the present message, not delivered yet
	body    int          // bytes of the present message's body still to come
	endOnce sync.Once
	ended   chan struct{} // closed when stdout has ended

	mu      sync.Mutex // guards the fields below
	pending []byte
	writing bool // the writer runs
	last    bool // close stdin when pending is written
	closed  bool
	writer  sync.WaitGroup
}

func newPipes(stdin io.WriteCloser, stdout io.ReadCloser, skip func(string)) *pipes {
	return &pipes{stdin: stdin, stdout: stdout, in: bufio.NewReaderSize(stdout, maxHeaderLine), skip: skip, ended: make(chan struct{})}
}

// Write queues p.
func (p *pipes) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed || p.last:
		return 0, io.ErrClosedPipe
	case len(p.pending)+len(data) > maxPending:
		return 0, errStuck
	}
	p.pending = append(p.pending, data...)
	if !p.writing {
		p.writing = true
		p.writer.Add(1)
		go p.write()
	}
	return len(data), nil
}

// write empties the queue and ends. A blocked write ends when stdin is closed or its reader is gone.
func (p *pipes) write() {
	defer p.writer.Done()
	for {
		p.mu.Lock()
		data := p.pending
		p.pending = nil
		if len(data) == 0 {
			p.writing = false
			if p.last {
				p.stdin.Close()
			}
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		if _, err := p.stdin.Write(data); err != nil {
			p.mu.Lock()
			p.closed, p.writing = true, false
			p.mu.Unlock()
			return
		}
	}
}

// finishWriting closes stdin once everything queued is written.
func (p *pipes) finishWriting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last {
		return
	}
	p.last = true
	if !p.writing {
		p.stdin.Close()
	}
}

// wait returns when the writer has ended; call it after Close.
func (p *pipes) wait() { p.writer.Wait() }

// Close closes both pipes.
func (p *pipes) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.stdin.Close()
	return p.stdout.Close()
}

// Read delivers messages with their headers.
func (p *pipes) Read(buf []byte) (n int, err error) {
	defer func() {
		if err != nil {
			p.endOnce.Do(func() { close(p.ended) })
		}
	}()
	for p.header.Len() == 0 && p.body == 0 {
		if err := p.nextHeader(); err != nil {
			return 0, err
		}
	}
	if p.header.Len() > 0 {
		return p.header.Read(buf)
	}
	n, err = p.in.Read(buf[:min(len(buf), p.body)])
	p.body -= n
	return n, err
}

// nextHeader reads up to the end of the next message's header.
func (p *pipes) nextHeader() error {
	length := -1
	for {
		line, err := p.in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if length < 0 { // junk may stand on the same line, in front
			at := strings.Index(strings.ToLower(text), "content-length:")
			n, ok := 0, false
			if at >= 0 {
				n, ok = parseLength(text[at+len("content-length:"):])
			}
			if ok {
				length = n
			}
			if skipped := text[:max(0, at)]; !ok && text != "" {
				p.skip(clip(text))
			} else if skipped != "" {
				p.skip(clip(skipped))
			}
			continue
		}
		if text == "" {
			break
		}
	}
	p.header.WriteString("Content-Length: " + strconv.Itoa(length) + "\r\n\r\n")
	p.body = length
	return nil
}

func parseLength(s string) (int, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	return int(n), err == nil && n > 0
}

func clip(line string) string {
	if len(line) > loggedLine {
		return strings.ToValidUTF8(line[:loggedLine], "") + "…"
	}
	return line
}
