package repl

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Bounds of what one cell's result keeps.
const (
	maxText         = 4 << 20  // bytes of the beginning and as many of the end of each stream
	maxDisplays     = 200      // number of displays
	maxDisplayBytes = 32 << 20 // of all displays together
	maxNotes        = 20
)

// Result is what a cell came to. Output that arrived since the cell before (of background tasks, threads and child processes) comes first
// in its streams.
type Result struct {
	Stdout string // at most 8 MiB; a line in the middle says what was dropped
	Stderr string
	// StdoutChars and StderrChars are the characters of each stream, those that were dropped included.
	StdoutChars, StderrChars int
	Displays                 []Display
	// Value is the text of the trailing expression; nil when there was none or it was None.
	Value *string
	// AskedChars is the largest answer, in characters, that a result which was shown may have by its own policy; 0: none was shown.
	AskedChars int
	// Failure is the cell's error; nil when it ran to its end.
	Failure *CellError
	// Interrupted tells that the cell was interrupted, by its context's end or by its time limit.
	Interrupted bool
	// Notes tell what is missing here and why, each in one line.
	Notes []string
}

// Display is what one emit() showed: JSON by MIME type.
type Display map[string]json.RawMessage

// CellError is the Python error that ended a cell.
type CellError struct {
	Name      string // class of the exception
	Value     string // its text
	Traceback []string
}

// Text is the error as a model reads it: the traceback with the failing lines, the exception with its message, and hints.
func (e CellError) Text() string {
	var b strings.Builder
	for _, part := range e.Traceback {
		b.WriteString(part)
		if !strings.HasSuffix(part, "\n") {
			b.WriteByte('\n')
		}
	}
	if !e.named(b.String()) { // an error without a traceback
		b.WriteString(e.message())
	}
	return strings.TrimRight(b.String(), "\n")
}

// named reports whether a line of the text tells the exception: "Name: …", also with its module before the name.
func (e CellError) named(text string) bool {
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(strings.TrimRight(line, "\n"), ":")
		if name == e.Name || strings.HasSuffix(name, "."+e.Name) {
			return true
		}
	}
	return false
}

func (e CellError) message() string {
	if e.Value == "" {
		return e.Name
	}
	return e.Name + ": " + e.Value
}

func (e CellError) Error() string { return e.message() }

// collector gathers what the runtime tells until a cell's end. It is not safe for concurrent use.
type collector struct {
	stdout, stderr headTail
	displays       []Display
	displayBytes   int
	dropped        int // displays
	value          *string
	failure        *CellError
	notes          []string
}

func newCollector() *collector {
	return &collector{stdout: headTail{limit: maxText}, stderr: headTail{limit: maxText}}
}

func (c *collector) display(data json.RawMessage) error {
	if len(c.displays) == maxDisplays || c.displayBytes+len(data) > maxDisplayBytes {
		c.dropped++
		return nil
	}
	var d Display
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	c.displayBytes += len(data)
	c.displays = append(c.displays, d)
	return nil
}

func (c *collector) note(format string, args ...any) {
	if len(c.notes) < maxNotes {
		c.notes = append(c.notes, fmt.Sprintf(format, args...))
	}
}

func (c *collector) result() Result {
	if c.dropped > 0 {
		c.note("%d of %d displays were dropped: more than %d, or more than %d MiB together", c.dropped, c.dropped+len(c.displays), maxDisplays, maxDisplayBytes>>20)
	}
	return Result{Stdout: c.stdout.text(), Stderr: c.stderr.text(), StdoutChars: c.stdout.chars, StderrChars: c.stderr.chars, Displays: c.displays, Value: c.value, Failure: c.failure, Notes: c.notes}
}
