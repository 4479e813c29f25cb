package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
)

// States of a plugin on the command line, beside those of a running host.
const (
	stateReady    = "ready"    // a host starts it when it is needed
	stateDisabled = "disabled" // by the configuration
	stateRefused  = "refused"  // it has a fault
	stateIgnored  = "ignored"  // it is no executable
)

func pluginListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List what is found where plugins of others lie", Args: cobra.NoArgs,
		Long: `List what is found where plugins of others lie, a line each: its name; its state; its path; its version and facades, or its fault.
States: ready (started when it is needed), running, starting, down (it crashed too often), disabled, refused, ignored (no executable).`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig()
			if err != nil {
				return err
			}
			return tended(cmd.Context(), func(ctx context.Context) error {
				all, err := survey(ctx, cfg)
				if err != nil {
					return err
				}
				return printList(cfg, all)
			})
		},
	}
}

func printList(cfg *config.Config, all []plugin.Found) error {
	if len(all) == 0 {
		fmt.Fprintf(os.Stderr, "no plugins of others are in %s/plugins, plugin_folders or plugins: NAME: path:\n", cfg.Home)
		return nil
	}
	hosts := plugin.Hosts(cfg.Home)
	out := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	for _, f := range all {
		state, about := describeFound(cfg, f, hosts)
		about, _, _ = strings.Cut(about, "\n")
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\n", oneLine(f.Name()), state, oneLine(f.Path), oneLine(about))
	}
	return out.Flush()
}

// describeFound tells a plugin's state, and its fault or what it offers.
func describeFound(cfg *config.Config, f plugin.Found, hosts []plugin.HostState) (state, about string) {
	on, _ := f.EnabledBy(cfg.Plugins)
	switch {
	case f.Ignored != "":
		return stateIgnored, f.Ignored
	case !on:
		return stateDisabled, offered(f)
	case f.Fault != nil:
		return stateRefused, f.Fault.Error()
	}
	state, about = stateReady, offered(f)
	for _, s := range statuses(hosts, f.Spec.Name, f.Path) {
		switch s.State {
		case plugin.Running, plugin.Starting:
			state = string(s.State)
		case plugin.Down:
			return string(s.State), s.LastEnd
		}
	}
	return state, about
}

func offered(f plugin.Found) string {
	var parts []string
	if f.Spec.Manifest.Version != "" {
		parts = append(parts, oneLine(f.Spec.Manifest.Version))
	}
	for _, facade := range f.Spec.Manifest.Facades {
		methods := "methods"
		if len(facade.Methods) == 1 {
			methods = "method"
		}
		parts = append(parts, fmt.Sprintf("s.%s (%d %s)", facade.Name, len(facade.Methods), methods))
	}
	return strings.Join(parts, " ")
}

// statuses are those of one plugin in all hosts that run.
func statuses(hosts []plugin.HostState, name, path string) []plugin.Status {
	var all []plugin.Status
	for _, h := range hosts {
		if n := slices.IndexFunc(h.Plugins, func(s plugin.Status) bool { return s.Name == name && s.Path == path }); n >= 0 {
			all = append(all, h.Plugins[n])
		}
	}
	return all
}
