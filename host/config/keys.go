package config

// The keys of the global configuration. All of them are known; those that are not used yet are accepted in silence, so that
// existing files stay as they are.

const (
	keyAgentInterface  = "agent_interface"
	keyMaxAnswerChars  = "default_max_tool_answer_chars"
	keyReplPython      = "repl_python"
	keyCellTimeout     = "repl_cell_timeout"
	keyMaxOutputChars  = "repl_max_output_chars"
	keyMaxMemory       = "repl_max_memory_mb"
	keyMaxSessions     = "repl_max_sessions"
	keySessionIdle     = "repl_session_idle_minutes"
	keySessionKeep     = "repl_session_keep_days"
	keyToolTimeout     = "tool_timeout"
	keyLineEnding      = "line_ending"
	keyAutoInstall     = "auto_install"
	keyLogLevel        = "log_level"
	keyDataFolder      = "project_serena_folder_location"
	keyLanguageServers = "ls_specific_settings"
	keyIgnoredPaths    = "ignored_paths"
	keyReadOnlyMemory  = "read_only_memory_patterns"
	keyIgnoredMemory   = "ignored_memory_patterns"
	keyBaseModes       = "base_modes"
	keyDefaultModes    = "default_modes"
	keyBackend         = "language_backend"
	keyProjects        = "projects"
	keyTrusted         = "trusted_project_path_patterns"
	keyPluginFolders   = "plugin_folders"
	keyPlugins         = "plugins"
	keyPluginIdle      = "plugin_idle_minutes"
)

// scalarKeys are those that the environment (SERENA_ and the key in capitals) and flags may give as well.
var scalarKeys = []string{
	keyAgentInterface, keyMaxAnswerChars, keyReplPython, keyCellTimeout, keyToolTimeout, keyLineEnding, keyAutoInstall, keyLogLevel,
	keyDataFolder, keyMaxOutputChars, keyMaxMemory, keyMaxSessions, keySessionIdle, keySessionKeep, keyPluginIdle, keyBackend,
}

var collectionKeys = []string{
	keyLanguageServers, keyIgnoredPaths, keyProjects, keyTrusted, keyPluginFolders, keyPlugins,
	keyReadOnlyMemory, keyIgnoredMemory, keyBaseModes, keyDefaultModes,
}

var unusedKeys = []string{
	"gui_log_window", "web_dashboard", "web_dashboard_open_on_launch", "web_dashboard_interface",
	"web_dashboard_listen_address", "web_dashboard_trusted_hosts", "jetbrains_plugin_server_address", "jetbrains_launch_command",
	"trace_lsp_communication", "ls_priorities", "token_count_estimator", "symbol_info_budget", "auth_secret",
	// of older versions
	"jetbrains", "gui_log_level", "edit_global_memories", "record_tool_usage_stats",
}

func known() []string {
	var all []string
	for _, keys := range [][]string{scalarKeys, collectionKeys, ScopeKeys, unusedKeys} {
		all = append(all, keys...)
	}
	return all
}
