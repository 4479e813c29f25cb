package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host/plugin"
)

func pluginCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check PATH", Short: "Try an executable as a plugin: its declaration, its start, the first call, its end", Args: cobra.ExactArgs(1),
		Long: `Try an executable, or a folder with an executable "plugin", as serena would: ask it for its manifest, start it, make the first call, stop it.
Status 1 and the reason on stderr if it cannot be used.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadConfig()
			if err != nil {
				return err
			}
			return tended(cmd.Context(), func(ctx context.Context) error {
				m, err := plugin.Check(ctx, cfg, args[0], hclog.NewNullLogger())
				if err != nil {
					return err
				}
				_, err = fmt.Printf("%s can be used: %s\n", oneLine(args[0]), m.Name+" "+offered(plugin.Found{Spec: plugin.Spec{Manifest: m}}))
				return err
			})
		},
	}
}
