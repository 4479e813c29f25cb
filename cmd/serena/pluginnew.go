package main

import "github.com/spf13/cobra"

func pluginNewCommand() *cobra.Command { return &cobra.Command{Use: "new NAME"} }
