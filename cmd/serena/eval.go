package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/serena-go/serena/host"
	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/repl"
	"github.com/serena-go/serena/sdk"
)

// errCellFailed ends the command with status 1; what it has to say stands on stderr already.
var errCellFailed = errors.New("the cell failed")

func evalCommand() *cobra.Command {
	var start startOptions
	cmd := &cobra.Command{
		Use: "eval CELL", Short: "Run one Python cell and print its value",
		Long: `Run one Python cell against a project, as the tool serena_repl does. What it prints and its value go to stdout, with
status 0. A failing cell prints its error to stderr, nothing to stdout, and ends with status 1. CELL may be - for stdin.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code := args[0]
			if code == "-" {
				data, err := io.ReadAll(os.Stdin)
				if err != nil {
					return fmt.Errorf("the cell cannot be read from stdin: %w", err)
				}
				code = strings.TrimPrefix(string(data), "\ufeff")
			}
			return evaluate(cmd, start, code)
		},
	}
	cmd.Flags().StringVar(&start.project, "project", "", "path or name of the project that the cell works on")
	start.declare(cmd.Flags())
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return fmt.Errorf("%w; a cell that begins with - goes behind --, or to stdin with the argument -", err)
	})
	return cmd
}

func evaluate(cmd *cobra.Command, start startOptions, code string) error {
	flags := given(cmd.Flags())
	flags["agent-interface"] = config.InterfaceREPL
	run, err := begin(cmd.Context(), "eval", start, flags)
	if err != nil {
		return err
	}
	defer run.end()
	run.host.Probe(run.ctx)
	place := run.host.Sessions.Place()
	if place.Fault != nil {
		return place.Fault
	}
	for _, n := range host.ProjectNotes(place) {
		fmt.Fprintln(os.Stderr, "note: "+n)
	}
	result, err := run.host.Sessions.Create().Execute(run.ctx, code, nil)
	return report(result, err)
}

// report prints what a cell came to; err is that of a cell that did not run to its end.
func report(r repl.Result, err error) error {
	for _, n := range r.Notes {
		fmt.Fprintln(os.Stderr, "note: "+n)
	}
	if err != nil || r.Failure != nil {
		fmt.Fprint(os.Stderr, r.Stdout, r.Stderr)
		if r.Failure != nil {
			fmt.Fprintln(os.Stderr, strings.TrimRight(r.Failure.Text(), "\n"))
		}
		if err == nil {
			err = errCellFailed
		}
		return err
	}
	fmt.Fprint(os.Stderr, r.Stderr)
	if _, err := fmt.Fprint(os.Stdout, r.Stdout); err != nil {
		return err
	}
	if r.Value != nil {
		_, err := fmt.Fprintln(os.Stdout, *r.Value)
		return err
	}
	return nil
}

// describe is an error as a person reads it: its kind and its message.
func describe(err error) string {
	var e *sdk.Error
	if errors.As(err, &e) {
		return e.Kind + ": " + err.Error()
	}
	return err.Error()
}
