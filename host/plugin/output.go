package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
)

// Bounds of what a plugin may write to the log. Everything beyond is read and dropped.
const (
	maxLogLine   = 8 << 10 // bytes
	logBurst     = 500     // lines
	logPerSecond = 100     // lines
	tailLines    = 20

	// While lines are left out the plugin is held up, so that reading what nobody wants keeps no processor busy.
	floodBytes = 32 << 10             // of a stream are read …
	floodPause = 4 * time.Millisecond // at a time, that far apart
)

// pluginLog takes the lines a plugin writes to its stderr: they go to the host's log at their own level, and the last ones
// are kept to explain the plugin's end.
type pluginLog struct {
	to  hclog.Logger
	now func() time.Time

	mu      sync.Mutex // guards the fields below
	tail    []logLine
	fatal   string // the line that a panic begins with: its stack may push it out of the tail
	credit  float64
	filled  time.Time
	dropped int
}

func newPluginLog(to hclog.Logger, now func() time.Time) *pluginLog {
	return &pluginLog{to: to, now: now, credit: logBurst, filled: now()}
}

// stream returns a writer that splits one stream into lines. It is not for concurrent use.
func (l *pluginLog) stream() *lineWriter { return &lineWriter{to: l} }

func (l *pluginLog) add(text string) {
	line := parseLogLine(text)
	admitted, dropped := l.admit(line)
	if dropped > 0 {
		l.to.Warn("lines left out: the plugin writes more than the log takes", "lines", dropped)
	}
	if admitted {
		l.to.Log(line.level, line.message, line.args...)
	}
}

// admit remembers the line and says whether the rate allows to log it, and how many were dropped before.
func (l *pluginLog) admit(line logLine) (admitted bool, dropped int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line.level > hclog.Debug || line.raw {
		if len(l.tail) == tailLines {
			l.tail = slices.Delete(l.tail, 0, 1)
		}
		l.tail = append(l.tail, line)
	}
	if l.fatal == "" && line.fatal() {
		l.fatal = line.message
	}
	now := l.now()
	l.credit = min(logBurst, l.credit+now.Sub(l.filled).Seconds()*logPerSecond)
	l.filled = now
	if l.credit < 1 {
		l.dropped++
		return false, 0
	}
	l.credit--
	dropped, l.dropped = l.dropped, 0
	return true, dropped
}

// floods reports whether lines are being left out.
func (l *pluginLog) floods() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped > 0
}

// lastLines is the end of what the plugin wrote, for an error: a panic's first line, then the last lines, each cut to a
// readable length. Empty when it wrote nothing of interest.
func (l *pluginLog) lastLines() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	seen := l.fatal == ""
	for _, t := range l.tail {
		if strings.TrimSpace(t.message) != "" {
			lines = append(lines, shorten(t.String(), 300))
		}
		seen = seen || t.message == l.fatal
	}
	if !seen {
		lines = append([]string{shorten(l.fatal, 300), "…"}, lines...)
	}
	return strings.Join(lines, "\n")
}

// logLine is one line of a plugin's stderr: one of hclog's JSON records or any other text.
type logLine struct {
	level   hclog.Level
	message string
	args    []any // of a record, key and value in turn
	raw     bool  // no record
}

func (l logLine) String() string {
	if l.raw {
		return l.message
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[%s] %s", strings.ToUpper(l.level.String()), l.message)
	for i := 0; i+1 < len(l.args); i += 2 {
		fmt.Fprintf(&b, " %v=%v", l.args[i], l.args[i+1])
	}
	return b.String()
}

func (l logLine) fatal() bool {
	return l.raw && (strings.HasPrefix(l.message, "panic: ") || strings.HasPrefix(l.message, "fatal error: "))
}

func parseLogLine(text string) logLine {
	var record map[string]any
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &record) == nil {
		name, _ := record["@level"].(string)
		message, isRecord := record["@message"].(string)
		if level := hclog.LevelFromString(name); isRecord && level != hclog.NoLevel {
			return logLine{level: level, message: message, args: recordArgs(record)}
		}
	}
	line := logLine{level: hclog.Debug, message: text, raw: true}
	if line.fatal() {
		line.level = hclog.Error
	}
	if !strings.HasPrefix(text, "[") {
		return line
	}
	for _, level := range []hclog.Level{hclog.Trace, hclog.Info, hclog.Warn, hclog.Error} {
		if strings.HasPrefix(text, "["+strings.ToUpper(level.String())+"]") {
			line.level = level
		}
	}
	return line
}

// recordArgs are a record's own fields, sorted; the log has its own time and the plugin's name.
func recordArgs(record map[string]any) []any {
	var keys []string
	for k := range record {
		if !strings.HasPrefix(k, "@") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	var args []any
	for _, k := range keys {
		args = append(args, k, record[k])
	}
	return args
}

// lineWriter cuts a stream into lines of bounded length.
type lineWriter struct {
	to      *pluginLog
	line    []byte
	skipped int // bytes of the line beyond the bound
	unpaid  int // bytes since the last pause
}

func (w *lineWriter) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		part := p
		if end >= 0 {
			part = p[:end]
		}
		keep := min(len(part), maxLogLine-len(w.line))
		w.line = append(w.line, part[:keep]...)
		w.skipped += len(part) - keep
		if end < 0 {
			break
		}
		w.flush()
		p = p[end+1:]
	}
	if w.unpaid += n; w.unpaid >= floodBytes {
		w.unpaid = 0
		if w.skipped > 0 || w.to.floods() {
			time.Sleep(floodPause)
		}
	}
	return n, nil
}

// flush passes on an unfinished line.
func (w *lineWriter) flush() {
	text := strings.ToValidUTF8(strings.TrimSuffix(string(w.line), "\r"), "\uFFFD")
	if w.skipped > 0 {
		text += fmt.Sprintf(" … (%d bytes more)", w.skipped)
	}
	if text != "" {
		w.to.add(text)
	}
	w.line, w.skipped = w.line[:0], 0
}

// shorten cuts text to n runes.
func shorten(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + " …"
	}
	return text
}
