package process

import (
	"errors"
	"fmt"
	"io"
)

// checkOptions refuses what Windows cannot do: only the three standard streams are inherited.
func checkOptions(opts Options) error {
	if opts.Lifeline != "" {
		return fmt.Errorf("a lifeline on its own descriptor: %w; give the child a StdinPipe and let it end at EOF", errors.ErrUnsupported)
	}
	return nil
}

func takePipe(int) error { return errors.ErrUnsupported }

// WatchLifeline is not available on Windows: watch stdin for EOF.
func WatchLifeline(int, func()) (io.Closer, error) {
	return nil, fmt.Errorf("watching a lifeline: %w; watch stdin for its end", errors.ErrUnsupported)
}
