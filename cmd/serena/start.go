package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/serena-go/serena/host"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/mcp"
	"github.com/serena-go/serena/internal/process"
)

// The orderly end, in stages with a budget each: a slow one takes nothing from the next.
const (
	closeLimit = 6 * time.Second // sessions and plugins, see host.Close
	sweepLimit = 2 * time.Second // the killing of what is left then
)

func startCommand() *cobra.Command {
	var start startOptions
	cmd := &cobra.Command{
		Use: "start-mcp-server", Short: "Serve MCP on stdin and stdout", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := given(cmd.Flags())
			if chosen, ok := flags["agent-interface"]; ok && !strings.EqualFold(chosen, config.InterfaceREPL) && !strings.EqualFold(chosen, config.InterfaceTools) {
				return fmt.Errorf("--agent-interface %s: there is no such interface; choose %s or %s", chosen, config.InterfaceREPL, config.InterfaceTools)
			}
			run, err := begin(cmd.Context(), "mcp", start, flags)
			if err != nil {
				return err
			}
			defer run.end()
			return mcp.New(run.host, versionText(), run.log).Serve(run.ctx, os.Stdin, os.Stdout)
		},
	}
	cmd.Flags().StringVar(&start.project, "project", "", "path or name of the project to activate at the start")
	start.declare(cmd.Flags())
	cmd.Flags().String("agent-interface", "", "tools: one tool a method; REPL: one tool that runs Python cells (default: the agent_interface of the project, else of the configuration, else tools)")
	cmd.Flags().String("log-level", "", "DEBUG, INFO, WARNING or ERROR (default: the configuration's log_level)")
	return cmd
}

// given holds the flags that were set, as the configuration takes them.
func given(flags *pflag.FlagSet) map[string]string {
	m := map[string]string{}
	flags.Visit(func(f *pflag.Flag) { m[f.Name] = f.Value.String() })
	return m
}

// run is a host with what belongs to a process: its log and the signals that end it.
type run struct {
	host *host.Host
	log  *logFile
	ctx  context.Context // done when a signal asks the process to end
	stop context.CancelFunc
}

// startOptions are the flags of commands that work in a context, with modes and on a project.
type startOptions struct {
	project, context string
	modes, added     []string
}

func (o *startOptions) declare(flags *pflag.FlagSet) {
	flags.StringVar(&o.context, "context", "", "name of the context, the client's kind, or path of its file (default "+config.DefaultContext+")")
	flags.StringArrayVar(&o.modes, "mode", nil, "name of a mode or path of its file, in the place of the configured default_modes; repeatable")
	flags.StringArrayVar(&o.added, "add-mode", nil, "a mode beside the others; repeatable")
	flags.String("language-backend", "", "LSP or JetBrains, for projects that name none (default: the configuration's language_backend)")
}

// begin makes the host of a command. A configuration that cannot be read is told of, and the defaults are used.
func begin(ctx context.Context, kind string, o startOptions, flags map[string]string) (*run, error) {
	cfg, err := config.Load(config.Options{Flags: flags, Context: o.context, Modes: o.modes, AddedModes: o.added})
	var notes []string
	if err != nil {
		if cfg == nil {
			return nil, err
		}
		notes = append(notes, err.Error())
	}
	if info, err := os.Stat(cfg.Home); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("the Serena home %s is a file: set SERENA_HOME to a folder, which need not exist", cfg.Home)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the path of this program is not known: %w", err)
	}
	logger, err := openLog(cfg.Home, kind, hclog.LevelFromString(cfg.LogLevel))
	if err != nil {
		notes = append(notes, err.Error())
	}
	if err := process.Mark(); err != nil {
		return nil, err
	}
	if err := process.BecomeSubreaper(); err != nil {
		logger.Warn("children of killed plugins cannot be inherited", "error", err)
	}
	go process.ReapOrphans(ctx) // for as long as the command runs
	// A client that is gone shows as the end of stdin; a line that its broken stderr refuses must not end the process first.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	h := host.New(ctx, host.Options{Config: cfg, Builtins: builtins(), Self: self, Project: o.project, Log: logger, Notes: notes, Passing: kind == "eval", InterfaceChosen: flags["agent-interface"] != ""})
	return &run{host: h, log: logger, ctx: ctx, stop: stop}, nil
}

// end closes everything in order and within closeLimit.
func (r *run) end() {
	r.stop()
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit) // detached: the command's context is done
	defer cancel()
	r.host.Close(ctx)
	sweep, cancelSweep := context.WithTimeout(context.Background(), sweepLimit)
	defer cancelSweep()
	if err := errors.Join(process.KillDescendants(sweep), process.KillCarrying(sweep, process.MarkEntry(), "")); err != nil {
		r.log.Warn("processes are left", "error", err)
	}
	r.log.Close()
}
