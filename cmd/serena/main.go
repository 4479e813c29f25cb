// Command serena gives a coding agent an IDE: an MCP server whose main tool runs Python cells against facades onto a
// project.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/serena-go/serena/sdk"
)

func main() {
	// A plugin process is started often and must be ready at once: it does without the command line's machinery.
	if len(os.Args) == 4 && os.Args[1] == "plugin" && os.Args[2] == "serve" {
		if p, ok := builtin(os.Args[3]); ok {
			sdk.ServeProcess(p.Plugin)
		}
	}
	if err := newRoot().Execute(); err != nil {
		if !errors.Is(err, errCellFailed) {
			fmt.Fprintln(os.Stderr, describe(err))
		}
		os.Exit(1)
	}
}
