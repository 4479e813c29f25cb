package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/internal/nearest"
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

func pluginCommand() *cobra.Command {
	plugin := &cobra.Command{Use: "plugin", Short: "Work with plugins"}
	plugin.AddCommand(protoCommand())
	plugin.AddCommand(&cobra.Command{
		Use: "serve NAME", Short: "Serve a built-in plugin (serena starts this itself)", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			var names []string
			for _, b := range builtins() {
				names = append(names, b.Plugin.Name)
			}
			hint := ""
			if best, ok := nearest.Best(args[0], names); ok {
				hint = "; did you mean " + best + "?"
			}
			return fmt.Errorf("there is no built-in plugin %q%s There are: %s", args[0], hint, strings.Join(names, ", "))
		},
	})
	return plugin
}
