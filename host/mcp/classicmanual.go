package mcp

import (
	"strings"

	"github.com/serena-go/serena/host/api"
)

// instructions is what a client gives its model at the start. Where the tool that says more is not there, it says all.
func (c *classic) instructions() string {
	if !c.isListed("initial_instructions") {
		return "serena is an IDE for coding agents.\n" + c.manual()
	}
	text := "serena is an IDE for coding agents. Begin with the tool initial_instructions."
	if place := c.host.Sessions.Place(); place.Fault != nil {
		text += "\n" + c.host.DescribePlace(place)
	}
	return text
}

// advice is how to work, each line where the tools that it is about are there.
var advice = []struct {
	tools []string
	text  string
}{
	{nil, "Lines and columns are 0-based, end lines inclusive, paths relative to the project root. An edit that fails changes nothing."},
	{nil, "Edits run one after the other, in the order of their calls; calls that only read may be made side by side."},
	{[]string{"get_symbols_overview", "find_symbol"}, "Prefer symbols to whole files: get_symbols_overview for what a file holds, find_symbol for a definition, with its body only where you need the code."},
	{[]string{"find_referencing_symbols"}, "find_referencing_symbols says who uses a symbol: ask it before you change one."},
	{[]string{"search_for_pattern"}, "Where you do not know the symbol's name, search_for_pattern finds it; do not read file after file."},
	{[]string{"replace_symbol_body"}, "Replace a whole definition with replace_symbol_body; read its body first."},
	{[]string{"replace_content"}, "For less than a definition use replace_content, in regex mode with wildcards for long passages."},
	{[]string{"replace_in_files"}, "The same change in many places is one call of replace_in_files."},
	{[]string{"list_memories", "read_memory"}, "list_memories names notes about the project; read those that concern your task."},
	{nil, "An answer that is incomplete or too long says so, and how to get the rest."},
}

// manual is the answer of initial_instructions.
func (c *classic) manual() string {
	place := c.host.Sessions.Place()
	scope := c.host.ToolScope(place.Project)
	var b strings.Builder
	b.WriteString(c.host.DescribePlace(place) + "\n")
	for _, n := range c.host.Notes() {
		b.WriteString("Note: " + n + "\n")
	}
	b.WriteString("\n")
	for _, a := range advice {
		if hasAll(scope, a.tools) {
			b.WriteString("- " + a.text + "\n")
		}
	}
	if text := c.differences(scope); text != "" {
		b.WriteString(strings.TrimPrefix(text, "\n") + "\n")
	}
	return b.String()
}

func hasAll(scope *api.Scope, tools []string) bool {
	for _, name := range tools {
		if _, err := scope.Tool(name); err != nil {
			return false
		}
	}
	return true
}
