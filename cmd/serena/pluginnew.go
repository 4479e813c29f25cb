package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/cmd/serena/scaffold"
)

func pluginNewCommand() *cobra.Command {
	o := scaffold.Options{Parent: "."}
	cmd := &cobra.Command{
		Use: "new NAME", Short: "Write a small plugin as a Go module in the folder NAME, to begin with", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			o.Name, o.Taken = args[0], takenNames()
			if v := versionText(); strings.HasPrefix(v, "v") {
				o.Version = v
			}
			folder, err := scaffold.Write(o)
			if err != nil {
				return err
			}
			first := ""
			if o.SDK == "" {
				first = "go mod tidy && "
			}
			_, err = fmt.Printf("%s is written. What now: cd %s && %sgo test ./...; its README.md tells the rest.\n", folder, o.Name, first)
			return err
		},
	}
	cmd.Flags().StringVar(&o.SDK, "sdk", "", "folder of a checkout of serena to build against (default: a released version)")
	return cmd
}

// takenNames are those that are attributes of `s` already, or names of built-in plugins.
func takenNames() []string {
	names := append(builtinNames(), "info", "aio", "vars", "clear", "jb", "cfg", "ext")
	for _, b := range builtins() {
		for _, f := range b.Plugin.Facades {
			names = append(names, f.Name)
		}
	}
	return names
}
