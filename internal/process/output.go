package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// ErrOutputCut reports that the end of a child's output is missing: a process that left the child's group still held the pipe, or the
// writer blocked. What was written before is complete.
var ErrOutputCut = errors.New("output was cut off after the process had ended")

// outputs copies a child's output to writers that are no files. os/exec's own copying is not used, for its Wait would reap and
// copy in one step, and must be waited for without bound or told of a cut through the same error.
type outputs struct {
	streams []stream
	results chan error // one per stream
}

type stream struct {
	to   io.Writer
	from *os.File
}

// attach replaces the writers of cmd by pipes and returns the child's ends, also on error.
func (o *outputs) attach(cmd *exec.Cmd) (childEnds []*os.File, err error) {
	same := cmd.Stderr != nil && sameWriter(cmd.Stdout, cmd.Stderr)
	for _, w := range []*io.Writer{&cmd.Stdout, &cmd.Stderr} {
		if w == &cmd.Stderr && same {
			cmd.Stderr = cmd.Stdout // one pipe keeps the order, and the writer is called by one goroutine
			break
		}
		if _, isFile := (*w).(*os.File); *w == nil || isFile {
			continue
		}
		r, end, err := os.Pipe()
		if err != nil {
			return childEnds, err
		}
		o.streams = append(o.streams, stream{to: *w, from: r})
		childEnds = append(childEnds, end)
		*w = end
	}
	return childEnds, nil
}

func sameWriter(a, b io.Writer) bool {
	defer func() { recover() }() // a writer of an incomparable type is not the same
	return a == b
}

// copy starts one goroutine a stream; finish ends them.
func (o *outputs) copy() {
	o.results = make(chan error, len(o.streams))
	for _, s := range o.streams {
		go func() {
			_, err := io.Copy(s.to, s.from)
			if err != nil && !errors.Is(err, os.ErrClosed) {
				// The writer is broken: go on reading, or the child would block on a full pipe.
				io.Copy(io.Discard, s.from)
			}
			o.results <- err
		}()
	}
}

// finish waits for the rest of the output after the child's end, grace at most, and closes the pipes.
func (o *outputs) finish(grace time.Duration) error {
	defer o.abandon()
	var first error
	limit := time.NewTimer(grace)
	defer limit.Stop()
	for pending := len(o.streams); pending > 0; {
		select {
		case err := <-o.results:
			pending--
			if first == nil {
				first = err
			}
		case <-limit.C:
			return o.cut(pending)
		}
	}
	return first
}

// cut ends the copying from outside. A copier that is inside a Write gets a moment more, so that in all but a hopeless case nobody writes
// after Done.
func (o *outputs) cut(pending int) error {
	o.abandon()
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	for ; pending > 0; pending-- {
		select {
		case <-o.results:
		case <-limit.C:
			return ErrOutputCut
		}
	}
	return ErrOutputCut
}

func (o *outputs) abandon() {
	for _, s := range o.streams {
		s.from.Close()
	}
}
