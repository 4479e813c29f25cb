package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// toolsBudget is the most characters of JSON that all tool definitions have in the REPL interface: clients send them with every request.
const toolsBudget = 4000

// TestToolDefinitionsAreBudgeted with an overview of every method of the contract.
func TestToolDefinitionsAreBudgeted(t *testing.T) {
	t.Parallel()
	overview, err := os.ReadFile("../api/testdata/overview.txt")
	if err != nil {
		t.Fatal(err)
	}
	var tools []mcp.Tool
	for _, tool := range (&Server{}).replTools(string(overview)) {
		tools = append(tools, tool.tool())
	}
	data, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	if n := utf8.RuneCount(data); n >= toolsBudget || !strings.Contains(string(data), "find_symbol -\\u003e LspSymbolCollection") {
		t.Errorf("%d characters: %s", n, data)
	}
}
