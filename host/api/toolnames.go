package api

import (
	"fmt"
	"slices"
	"strings"
)

// HostTools are the tools of the classic interface that are no facade's method.
var HostTools = []string{"activate_project", "initial_instructions"}

// reservedTools are the names that no method's tool may take.
var reservedTools = append([]string{"serena_repl"}, HostTools...)

// isToolName tells whether all clients accept the name.
func isToolName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	return name != "" && len(name) <= 64 && strings.Trim(name, letters) == ""
}

// renamedTools are older names that configurations still use.
var renamedTools = map[string]string{"replace_regex": "replace_content"}

// removedTools are names of tools that configurations still use and that there are no more.
var removedTools = []string{
	"think_about_collected_information", "prepare_for_new_conversation", "summarize_changes", "think_about_whether_you_are_done",
	"think_about_task_adherence", "switch_modes", "check_onboarding_performed",
}

// otherTools are names that a configuration may rightly use although the tool is not among those of the moment: those of another backend,
// and of other versions that share the file.
var otherTools = []string{
	"read_file", "create_text_file", "list_dir", "find_file", "replace_content", "replace_in_files", "delete_lines", "replace_lines",
	"insert_at_line", "search_for_pattern", "get_symbols_overview", "find_symbol", "find_referencing_symbols", "find_implementations",
	"find_declaration", "get_diagnostics_for_file", "get_diagnostics_for_symbol", "replace_symbol_body", "insert_after_symbol",
	"insert_before_symbol", "rename_symbol", "safe_delete_symbol", "restart_language_server", "write_memory", "read_memory", "list_memories",
	"edit_memory", "delete_memory", "rename_memory", "onboarding", "serena_info", "remove_project", "get_current_config", "open_dashboard",
	"execute_shell_command", "list_queryable_projects", "query_project", "serena_repl",
}

func otherTool(name string) bool {
	return slices.Contains(otherTools, name) || strings.HasPrefix(name, "jet_brains_")
}

// nameTools finds the method behind each tool. Of two methods with one tool the first stands; the other, and one whose name cannot be a
// tool's, stays a method without a tool.
func (r *Registry) nameTools() (faults []error) {
	r.tools = map[string]*Method{}
	for _, m := range r.added {
		if m.Tool == "" || r.Facade(m.Facade) == nil { // of a facade without an owner
			continue
		}
		at := fmt.Sprintf("method %s.%s of plugin %s", m.Facade, m.Name, m.plugin)
		first, taken := r.tools[m.Tool]
		switch {
		case slices.Contains(reservedTools, m.Tool):
			faults = append(faults, fmt.Errorf("%s cannot be the tool %s, which is serena's own: it has no tool", at, m.Tool))
		case !isToolName(m.Tool):
			faults = append(faults, fmt.Errorf("%s cannot be the tool %q: a name has up to 64 letters, digits, - and _: it has no tool", at, m.Tool))
		case taken:
			faults = append(faults, fmt.Errorf("%s cannot be the tool %s, which is method %s.%s of plugin %s: the first stands, so it has no tool", at, m.Tool, first.Facade, first.Name, first.plugin))
		default:
			r.tools[m.Tool] = m
			continue
		}
		m.Tool = ""
	}
	return faults
}
