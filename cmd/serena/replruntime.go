package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/repl"
)

func replRuntimeCommand() *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use: "repl-runtime", Short: "Become the Python runtime of cells, for a client of one's own", Args: cobra.NoArgs,
		Long: `Become the Python runtime: requests on stdin, events on stdout, one JSON object a line (protocol 3). It runs in the present
folder and has no facades. The Python is the configured one (repl_python), else $SERENA_PYTHON, else the first good python3 on PATH.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return becomeRuntime(cmd.Context(), root) },
	}
	cmd.Flags().StringVar(&root, "project", "", "path or name of a project whose repl_python counts, if the project is trusted")
	return cmd
}

// becomeRuntime returns only when there will be no runtime.
func becomeRuntime(ctx context.Context, root string) error {
	cfg, err := config.Load(config.Options{})
	if err != nil {
		return err
	}
	var p *project.Project
	if root != "" {
		projects := project.NewRegistry(cfg)
		if p, err = projects.Open(ctx, root); err != nil {
			return err
		}
		projects.Close()
	}
	python, err := repl.FindPython(ctx, repl.FindOptions{Configured: host.ConfiguredPython(cfg, p), Home: cfg.Home, Env: os.Environ()})
	if err != nil {
		return err
	}
	dir, err := repl.Extract(cfg.Home)
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	argv, environment := repl.Command(python, dir, folder, os.Environ())
	if err := os.Chdir(dir); err != nil {
		return err
	}
	return become(argv, environment)
}
