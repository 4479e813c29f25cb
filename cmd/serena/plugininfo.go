package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/plugin"
	"github.com/serena-go/serena/internal/process"
	"github.com/serena-go/serena/sdk"
)

func pluginInfoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "info NAME", Short: "Tell what is known of a plugin: what it offers, its settings, and how it fares in running hosts", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadConfig()
			if err != nil {
				return err
			}
			return tended(cmd.Context(), func(ctx context.Context) error {
				all, err := survey(ctx, cfg)
				if err != nil {
					return err
				}
				f, err := named(args[0], all)
				if err != nil {
					return err
				}
				var text strings.Builder
				printInfo(&text, cfg, f)
				_, err = fmt.Print(eachLine(text.String()))
				return err
			})
		},
	}
}

// named finds a plugin by its name, or that of its file; a built-in one, too.
func named(name string, all []plugin.Found) (plugin.Found, error) {
	if b, ok := builtin(name); ok {
		return plugin.Found{File: name, Known: true, Spec: plugin.Spec{Name: name, Manifest: b.Plugin.Manifest(), Builtin: true}}, nil
	}
	names := builtinNames()
	for _, byFile := range []bool{false, true} {
		for _, f := range all {
			if f.Name() == name && !byFile || f.File == name && byFile {
				return f, nil
			}
			names = append(names, f.Name())
		}
	}
	slices.Sort(names)
	return plugin.Found{}, fmt.Errorf("there is no plugin %s", unknownName(name, slices.Compact(names)))
}

func printInfo(out io.Writer, cfg *config.Config, f plugin.Found) {
	hosts := plugin.Hosts(cfg.Home)
	m := f.Spec.Manifest
	state, about := describeFound(cfg, f, hosts)
	fmt.Fprintf(out, "%s", oneLine(f.Name()))
	if m.Version != "" {
		fmt.Fprintf(out, " %s", oneLine(m.Version))
	}
	fmt.Fprintf(out, "\nstate: %s\n", state)
	if state == stateRefused || state == stateIgnored || state == string(plugin.Down) {
		fmt.Fprintf(out, "fault: %s\n", strings.ReplaceAll(about, "\n", "\n  "))
	}
	if f.Spec.Builtin {
		fmt.Fprintln(out, "built in")
	} else {
		fmt.Fprintf(out, "path: %s\n", oneLine(f.Path))
		sum := "not checked"
		if f.SHA256 != "" {
			sum = f.SHA256
		}
		fmt.Fprintf(out, "sha256: %s\n", sum)
	}
	if m.SDK != "" {
		fmt.Fprintf(out, "sdk: %s\n", m.SDK)
	}
	printSettings(out, cfg, f)
	printProcesses(out, hosts, f)
	for _, facade := range m.Facades {
		printFacade(out, facade)
	}
}

func printSettings(out io.Writer, cfg *config.Config, f plugin.Found) {
	if settings := cfg.Plugins[f.Name()].Settings; settings != nil {
		fmt.Fprintf(out, "settings: %s\n", settings)
	}
	for _, s := range f.Spec.Manifest.Settings {
		fmt.Fprintf(out, "  setting %s: %s", s.Name, s.Type.Annotation())
		if s.Default != nil {
			fmt.Fprintf(out, " = %s", s.Default)
		}
		if s.Doc != "" {
			fmt.Fprintf(out, "  # %s", s.Doc)
		}
		fmt.Fprintln(out)
	}
}

func printProcesses(out io.Writer, hosts []plugin.HostState, f plugin.Found) {
	for _, h := range hosts {
		for _, s := range statuses([]plugin.HostState{h}, f.Name(), f.Spec.Path) {
			fmt.Fprintf(out, "in the serena of pid %d: %s", h.Pid, s.State)
			if s.Pid != 0 {
				fmt.Fprintf(out, ", pid %d", s.Pid)
				if bytes, err := process.ProportionalSetSize(s.Pid); err == nil {
					fmt.Fprintf(out, ", %.1f MiB", float64(bytes)/(1<<20))
				}
			}
			if s.Starts > 1 {
				fmt.Fprintf(out, ", restarted %d times", s.Starts-1)
			}
			fmt.Fprintln(out)
			if s.LastEnd != "" {
				fmt.Fprintf(out, "  last end: %s\n", strings.ReplaceAll(s.LastEnd, "\n", "\n    "))
			}
			if s.LastFault != "" {
				fmt.Fprintf(out, "  last error: %s\n", strings.ReplaceAll(s.LastFault, "\n", "\n    "))
			}
		}
	}
}

func printFacade(out io.Writer, f sdk.FacadeDecl) {
	fmt.Fprintf(out, "s.%s", f.Name)
	if f.Summary != "" {
		fmt.Fprintf(out, ": %s", f.Summary)
	}
	if f.Optional {
		fmt.Fprint(out, " [optional]")
	}
	fmt.Fprintln(out)
	for _, m := range f.Methods {
		if sdk.Hidden(m.Name) {
			continue
		}
		var flags []string
		for _, flag := range []struct {
			name string
			on   bool
		}{{"optional", m.Optional}, {"beta", m.Beta}, {"edits", m.CanEdit}, {"niche", m.Niche}, {"backend " + m.Backend, m.Backend != ""}, {"tool " + m.Tool, m.Tool != ""}} {
			if flag.on {
				flags = append(flags, flag.name)
			}
		}
		fmt.Fprintf(out, "  %s", m.Signature())
		if len(flags) > 0 {
			fmt.Fprintf(out, " [%s]", strings.Join(flags, ", "))
		}
		fmt.Fprintf(out, "  # %s\n", m.Summary)
	}
}
