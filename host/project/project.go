// Package project knows projects: where one is, what its own files say of it, and whether it is trusted. A [Registry] gives one
// shared [Project] for each root, whoever asks and by whatever name.
//
// It reads project.yml and project.local.yml in the data folder and writes nothing: activating a project leaves no trace in it.
package project

import (
	"time"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/sdk"
)

// Project is one open project. It does not change, except for what its files hold; nobody changes what its slices hold.
type Project struct {
	ID         string // stable for the root, on this machine
	Root       string // absolute, links resolved
	Name       string
	DataFolder string // absolute; may lie elsewhere and may not exist
	Encoding   string // Python codec name of source files, as it was written; default "utf-8"
	ReadOnly   bool
	Trusted    bool // may its own files choose programs to run

	AgentInterface string              // config.InterfaceTools or config.InterfaceREPL: the project's choice, else the global one
	CellTimeout    time.Duration       // likewise
	ReplPython     string              // likewise; an untrusted project has no choice
	InitialPrompt  string              // given on activation
	Backend        string              // config.BackendLSP or config.BackendJetBrains: likewise
	Scope          config.ProjectScope // what the project itself says of facades, tools and modes

	Notes []string // what the user should be told on activation, besides Files.Notes
	Files *files.Store

	// Plugins is what the project itself says of plugins, see PluginEnabled and PluginSettings. A path is only there if the project is
	// trusted.
	Plugins map[string]config.PluginEntry

	settings      sdk.ProjectSettings
	globalPlugins map[string]config.PluginEntry
}
