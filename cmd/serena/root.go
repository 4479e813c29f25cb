package main

import (
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker in a release.
var version = ""

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use: "serena", Short: "An IDE for coding agents, served over MCP",
		Version: versionText(), SilenceUsage: true, SilenceErrors: true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetErr(os.Stderr)
	root.AddCommand(startCommand(), evalCommand(), replRuntimeCommand(), pluginCommand())
	return root
}
