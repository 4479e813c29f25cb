package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/internal/process"
)

func pluginCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "plugin", Short: "List, check, enable and write plugins",
		Long: "Plugins of others are executables in the folder plugins of the Serena home (or NAME/plugin there), in plugin_folders, and at the\n" +
			"paths that `plugins: NAME: path:` of serena_config.yml names.",
	}
	cmd.AddCommand(pluginListCommand(), pluginInfoCommand(), pluginCheckCommand(), pluginSwitchCommand(true), pluginSwitchCommand(false),
		pluginNewCommand(), protoCommand(), pluginServeCommand())
	return cmd
}

func pluginServeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve NAME", Short: "Serve a built-in plugin (serena starts this itself)", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error { // main has served it if there is one
			return fmt.Errorf("there is no built-in plugin %s", unknownName(args[0], builtinNames()))
		},
	}
}

func builtinNames() []string {
	var names []string
	for _, b := range builtins() {
		names = append(names, b.Plugin.Name)
	}
	return names
}

// unknownName words a name that is none of those there are.
func unknownName(name string, there []string) string {
	text := fmt.Sprintf("%q", name)
	if best, ok := nearest.Best(name, there); ok {
		text += "; did you mean " + best + "?"
	} else {
		text += "."
	}
	if len(there) == 0 {
		return text + " There are none"
	}
	return text + " There are: " + strings.Join(there, ", ")
}

// loadConfig reads the global configuration and tells on stderr what is wrong with it.
func loadConfig() (*config.Config, error) {
	cfg, err := config.Load(config.Options{})
	if cfg == nil {
		return nil, err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "note: "+err.Error())
	}
	for _, n := range cfg.Notes {
		fmt.Fprintln(os.Stderr, "note: "+n)
	}
	return cfg, nil
}

// survey finds the plugins of others and asks those for their manifest that were not asked before, or whose answer may be another now.
func survey(ctx context.Context, cfg *config.Config) ([]plugin.Found, error) {
	all, faults := plugin.Survey(cfg)
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, "note: "+fault.Error())
	}
	enabled := func(f plugin.Found) bool {
		on, _ := f.EnabledBy(cfg.Plugins)
		return on
	}
	for i, f := range all {
		if enabled(f) {
			all[i] = f.Again()
		}
	}
	if err := plugin.ProbeAll(ctx, cfg, all, enabled); err != nil {
		return nil, err
	}
	plugin.OnePerName(all)
	for i, f := range all {
		if slices.Contains(builtinNames(), f.Spec.Name) && f.Fault == nil {
			all[i].Fault = fmt.Errorf("the name %s is that of a built-in plugin: rename it", f.Spec.Name)
		}
	}
	return all, nil
}

// tended runs what starts others' programs: a signal ends it, and nothing that they started is left.
func tended(ctx context.Context, run func(ctx context.Context) error) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := process.Mark(); err != nil {
		return err
	}
	_ = process.BecomeSubreaper() // what cannot be inherited is found by its environment
	go process.ReapOrphans(ctx)   // for as long as the command runs
	err := run(ctx)
	sweep, cancel := context.WithTimeout(context.Background(), sweepLimit) // detached: the command may have been interrupted
	defer cancel()
	return errors.Join(err, process.KillDescendants(sweep), process.KillCarrying(sweep, process.MarkEntry(), ""))
}
