package plugin

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// maxFirstLine bounds the handshake line. It has a socket's path in it and nothing long.
const maxFirstLine = 4 << 10

// firstLine passes on the first line that a plugin prints, which is the handshake, and drops everything after it: a plugin
// that prints to stdout must neither block on a full pipe nor fill the host's memory.
type firstLine struct {
	pipe *io.PipeWriter

	mu   sync.Mutex // guards the fields below
	line []byte     // without its end
	over bool       // the line is complete
}

func newFirstLine() (*firstLine, *io.PipeReader) {
	r, w := io.Pipe()
	return &firstLine{pipe: w}, r
}

func (f *firstLine) Write(p []byte) (int, error) {
	if f.take(p) {
		_, _ = f.pipe.Write([]byte(f.text() + "\n")) // an error means that nobody reads any more
	}
	return len(p), nil
}

// take adds p to the line and reports whether p completed it.
func (f *firstLine) take(p []byte) (complete bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	end := bytes.IndexByte(p, '\n')
	if f.over = end >= 0; f.over {
		p = p[:end]
	}
	f.line = append(f.line, p[:min(len(p), maxFirstLine-len(f.line))]...)
	f.over = f.over || len(f.line) == maxFirstLine
	return f.over
}

// close says that nothing more comes.
func (f *firstLine) close() {
	if f.take([]byte("\n")) && f.text() != "" {
		_, _ = f.pipe.Write([]byte(f.text() + "\n"))
	}
	f.pipe.Close()
}

// text is the line as far as it came.
func (f *firstLine) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.TrimSpace(string(f.line))
}
