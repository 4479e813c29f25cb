package client

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

const (
	keptLines   = 12  // of stderr, for errors
	keptLineLen = 400 // bytes of one line
)

// stderrTail logs a server's stderr line by line and keeps the last lines.
type stderrTail struct {
	log  *slog.Logger
	name string

	mu      sync.Mutex // guards the fields below
	partial []byte
	lines   []string
}

func (t *stderrTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.partial = append(t.partial, p...)
	for {
		line, rest, found := bytes.Cut(t.partial, []byte("\n"))
		if !found {
			break
		}
		t.add(line)
		t.partial = rest
	}
	if len(t.partial) > keptLineLen {
		t.add(t.partial)
		t.partial = nil
	}
	return len(p), nil
}

func (t *stderrTail) add(line []byte) {
	text := strings.ToValidUTF8(strings.TrimRight(string(line[:min(len(line), keptLineLen)]), "\r"), "?")
	if strings.TrimSpace(text) == "" {
		return
	}
	t.log.Info(text, "server", t.name, "stream", "stderr")
	t.lines = append(t.lines, text)
	if over := len(t.lines) - keptLines; over > 0 {
		t.lines = append(t.lines[:0], t.lines[over:]...)
	}
}

// String returns the last lines.
func (t *stderrTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := t.lines
	if rest := strings.TrimSpace(string(t.partial)); rest != "" {
		lines = append(lines[:len(lines):len(lines)], strings.ToValidUTF8(rest, "?"))
	}
	return strings.Join(lines, "\n")
}
