package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
)

// pluginSwitchCommand is enable or disable.
func pluginSwitchCommand(on bool) *cobra.Command {
	word, short := "disable", "Have a plugin not be used, by plugins: NAME: enabled: false in serena_config.yml"
	if on {
		word, short = "enable", "Have a plugin be used, by plugins: NAME: enabled: true in serena_config.yml"
	}
	return &cobra.Command{
		Use: word + " NAME", Short: short, Args: cobra.ExactArgs(1),
		Long: short + ".\nComments and layout of the file stay as they are. A serena that runs already goes on as it began.",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadConfig()
			if err != nil {
				return err
			}
			return tended(cmd.Context(), func(context.Context) error { return switchPlugin(cfg, args[0], on, word) })
		},
	}
}

func switchPlugin(cfg *config.Config, name string, on bool, word string) error {
	all, _ := plugin.Survey(cfg) // nothing is run of what is perhaps to be disabled
	f, err := named(name, all)
	if _, said := cfg.Plugins[name]; err != nil && !said {
		return err
	}
	key := name
	if cfg.Plugins[f.File].Enabled != nil { // which counts more than what is said by the plugin's own name
		key = f.File
	}
	changed := false
	if now, _ := f.EnabledBy(cfg.Plugins); err != nil || now != on {
		if changed, err = config.SetPluginEnabled(cfg.File, key, on); err != nil {
			return err
		}
	}
	if !changed {
		_, err = fmt.Printf("%s is %sd already\n", name, word)
		return err
	}
	_, err = fmt.Printf("%s is %sd, in %s\n", name, word, cfg.File)
	return err
}
