package plugin

import "context"

// flight is work that many callers wait for and that none of them can cancel for the others.
type flight struct {
	done chan struct{} // closed by land
	err  error         // set before done is closed
}

func newFlight() *flight { return &flight{done: make(chan struct{})} }

// land ends the work; it is called once.
func (f *flight) land(err error) {
	f.err = err
	close(f.done)
}

// wait returns the work's error, or ctx's when that comes first.
func (f *flight) wait(ctx context.Context) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
