package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/sdk"
)

// protoCommand writes the wire's contract, from which a plugin in another language generates its code.
func protoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "proto DIR", Short: "Write the wire's .proto files into a folder, for a plugin in another language", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			for name, content := range sdk.Contract() {
				if err := os.WriteFile(filepath.Join(args[0], name), content, 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	}
}
