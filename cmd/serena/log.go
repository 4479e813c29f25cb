package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"
)

// logFile is the process's logger: to a file under the Serena home and, warnings and errors only, to stderr. Nothing is
// ever logged to stdout, which belongs to MCP.
type logFile struct {
	hclog.InterceptLogger
	file *os.File
}

// openLog makes the logger; where the file cannot be made it logs to stderr alone and says why in the error.
func openLog(home, kind string, level hclog.Level) (*logFile, error) {
	now := time.Now()
	path := filepath.Join(home, "logs", now.Format("2006-01-02"), fmt.Sprintf("%s_%s_%d.txt", kind, now.Format("20060102-150405"), os.Getpid()))
	var out io.Writer = io.Discard
	var file *os.File
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		file, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err == nil {
		out = file
	} else {
		err = fmt.Errorf("no log file can be written: %w; check the rights of the Serena home", err)
	}
	l := &logFile{file: file, InterceptLogger: hclog.NewInterceptLogger(&hclog.LoggerOptions{Name: "serena", Level: level, Output: out})}
	l.RegisterSink(hclog.NewSinkAdapter(&hclog.LoggerOptions{Name: "serena", Level: hclog.Warn, Output: os.Stderr}))
	return l, err
}

// Close closes the file.
func (l *logFile) Close() {
	if l.file != nil {
		_ = l.file.Close() // nothing can be done about a failure to close a log
	}
}
