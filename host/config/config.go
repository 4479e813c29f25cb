package config

import (
	"encoding/json"
	"path/filepath"
	"time"
)

// FileName is the global configuration's name in the Serena home.
const FileName = "serena_config.yml"

// AgentInterface says what an agent is given.
const (
	InterfaceTools = "tools" // one tool a method
	InterfaceREPL  = "REPL"  // the tool serena_repl
)

// Backends: what the language intelligence comes from.
const (
	BackendLSP       = "lsp"       // language servers
	BackendJetBrains = "jetbrains" // an IDE
)

// Line endings of new files.
const (
	LF   = "lf"
	CRLF = "crlf"
)

// Config is the resolved global configuration. It is shared by everything in the process: nobody changes it, or what its
// maps and slices hold, after Load.
type Config struct {
	Home string // the Serena home, absolute; may not exist
	File string // the file that was looked for, absolute; may not exist

	AgentInterface string        // InterfaceTools (default) or InterfaceREPL
	MaxAnswerChars int           // characters of an answer when the call names no limit; > 0, default 150000
	ReplPython     string        // the Python that runs cells; "": the first good one on PATH
	CellTimeout    time.Duration // of one cell, > 0, default 240 s
	MaxOutputChars int           // characters of a cell's stdout, of its stderr and of its value, each; > 0, default MaxAnswerChars
	MaxMemory      int64         // bytes of address space of a session's Python; 0 (default): not limited
	MaxSessions    int           // sessions at once, > 0, default 100
	SessionIdle    time.Duration // after so long without a cell a session's Python is ended; > 0, default 1 h
	SessionKeep    time.Duration // how long a session's variables are kept on disk; default 7 days, 0: not at all
	ToolTimeout    time.Duration // of one classic tool call, default 240 s; 0: none
	RequestTimeout time.Duration // of one request to a language server: 5 s less than ToolTimeout; 0: none
	LineEnding     string        // LF or CRLF; the key's "native" is resolved
	PluginIdle     time.Duration // after so long without a call a plugin's process is ended; default 30 min, 0: never
	AutoInstall    bool          // may language servers be installed; default true
	LogLevel       string        // "debug", "info" (default), "warn" or "error"

	IgnoredPaths    []string                   // gitignore syntax, for every project
	LanguageServers map[string]json.RawMessage // ls_specific_settings: a JSON object a language-server key
	ReadOnlyMemory  []string                   // regular expressions in Python's syntax that must match a memory's whole name
	IgnoredMemory   []string                   // likewise
	Projects        []string                   // registered project roots, absolute; they may be gone
	DataFolder      string                     // project_serena_folder_location, with its placeholders
	TrustedPatterns []string                   // globs over project roots, "**" crosses separators; none trusts nothing
	PluginFolders   []string                   // further folders with plugins, absolute
	Plugins         map[string]PluginEntry     // what is said of each plugin, by its name

	Backend string      // of projects that name none: BackendLSP (default) or BackendJetBrains
	Scope   ScopeSource // what the global configuration itself says of facades and tools; see ScopeSources
	Context Profile     // the client's kind
	Modes   Modes

	Notes []string // what the user should be told once: keys nobody knows, values that make no sense
}

// Options is what the command line says.
type Options struct {
	// Home is the Serena home; "" means $SERENA_HOME, and without it ~/.serena.
	Home string
	// Flags holds the flags that were given, by name without dashes. Those that are keys of the file ("tool-timeout" is
	// tool_timeout) win over the environment and the file; others are ignored.
	Flags map[string]string
	// Context names the context, or is the path of its file; "" means DefaultContext.
	Context string
	// Modes are those in the place of the configured default_modes; nil: not given.
	Modes []string
	// AddedModes are active beside those.
	AddedModes []string
}

// Load reads the configuration. A file that is missing means defaults. With an error about the file, a *FileError, the Config
// holds what the environment and the flags say, and defaults: a server can start with it and tell the error. Only where there is no
// home at all, or the command line names a context or mode that is not there, is the Config nil.
func Load(opts Options) (*Config, error) {
	home, err := findHome(opts.Home)
	if err != nil {
		return nil, err
	}
	c := &Config{Home: home, File: filepath.Join(home, FileName)}
	doc, err := ReadDocument(c.File)
	if err != nil {
		doc = &Document{}
	}
	c.readScalars(doc, opts.Flags)
	c.readCollections(doc)
	if err := c.readScopes(doc, opts); err != nil {
		return nil, err
	}
	c.note(doc.UnknownKeys(known())...)
	return c, err
}

func (c *Config) note(notes ...string) { c.Notes = append(c.Notes, notes...) }
