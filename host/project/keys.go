package project

import "github.com/serena-go/serena/host/config"

// The keys of project.yml and project.local.yml.
const (
	keyName            = "project_name"
	keyEncoding        = "encoding"
	keyReadOnly        = "read_only"
	keyIgnoredPaths    = "ignored_paths"
	keyLanguageServers = "ls_specific_settings"
	keyLineEnding      = "line_ending"
	keyAgentInterface  = "agent_interface"
	keyCellTimeout     = "repl_cell_timeout"
	keyReplPython      = "repl_python"
	keyReadOnlyMemory  = "read_only_memory_patterns"
	keyIgnoredMemory   = "ignored_memory_patterns"
	keyInitialPrompt   = "initial_prompt"
	keyDefaultModes    = "default_modes"
	keyBaseModes       = "base_modes"
	keyAddedModes      = "added_modes"
	keyBackend         = "language_backend"
	keyPlugins         = "plugins"
)

// languageKeys name the language servers; the first that is there counts, the others are of older versions.
var languageKeys = []string{"language_servers", "languages", "language"}

var usedKeys = []string{
	keyName, keyEncoding, keyReadOnly, keyIgnoredPaths, keyLanguageServers, keyLineEnding, keyAgentInterface, keyCellTimeout,
	keyReplPython, keyReadOnlyMemory, keyIgnoredMemory, keyInitialPrompt, keyDefaultModes, keyAddedModes, keyBackend, keyPlugins,
}

// unusedKeys are known and accepted in silence.
var unusedKeys = []string{
	"activation_command", "activation_command_timeout", "ignore_all_files_in_gitignore", "ls_workspace_folders",
	"ls_additional_workspace_folders", "additional_workspace_folders", keyBaseModes, "symbol_info_budget",
}

func known() []string {
	var all []string
	for _, keys := range [][]string{usedKeys, config.ScopeKeys, languageKeys, unusedKeys} {
		all = append(all, keys...)
	}
	return all
}
