// Package memory is the plugin that serves the facade mem: notes on a project, and on all projects, as Markdown files that
// outlive a session.
//
// It reads the files itself and writes through the host alone. It holds no state. A name is checked before anything is looked
// up, and what the settings ignore or make read-only is so for every method.
package memory

import (
	_ "embed"

	"github.com/serena-go/serena/sdk"
)

var (
	//go:embed docs/list_memories.md
	listMemoriesDoc string
	//go:embed docs/read_memory.md
	readMemoryDoc string
	//go:embed docs/write_memory.md
	writeMemoryDoc string
	//go:embed docs/edit_memory.md
	editMemoryDoc string
	//go:embed docs/rename_memory.md
	renameMemoryDoc string
	//go:embed docs/delete_memory.md
	deleteMemoryDoc string
	//go:embed docs/onboarding.md
	onboardingDoc string
)

// New returns the plugin.
func New() sdk.Plugin {
	return sdk.Plugin{Name: "memory", Facades: []sdk.Facade{{
		Name:    "mem",
		Summary: "notes on the project that outlive a session",
		Methods: []sdk.Method{
			sdk.NewMethod("list_memories", listMemories, listMemoriesDoc, sdk.Tool("list_memories"),
				sdk.Example(`mem.list_memories("auth")`)),
			sdk.NewMethod("read_memory", readMemory, readMemoryDoc, sdk.Tool("read_memory"),
				sdk.Example(`mem.read_memory("conventions")`)),
			sdk.NewMethod("write_memory", writeMemory, writeMemoryDoc, sdk.Tool("write_memory"), sdk.CanEdit(),
				sdk.Example(`mem.write_memory("auth/login", "Tokens live an hour: see auth/token.go.\n")`)),
			sdk.NewMethod("edit_memory", editMemory, editMemoryDoc, sdk.Tool("edit_memory"), sdk.CanEdit(),
				sdk.Example(`mem.edit_memory("auth/login", "an hour", "two hours", "literal")`)),
			sdk.NewMethod("rename_memory", renameMemory, renameMemoryDoc, sdk.Tool("rename_memory"), sdk.CanEdit(),
				sdk.Example(`mem.rename_memory("auth/login", "auth/tokens")`)),
			sdk.NewMethod("delete_memory", deleteMemory, deleteMemoryDoc, sdk.Tool("delete_memory"), sdk.CanEdit(),
				sdk.Example(`mem.delete_memory("auth/tokens")`)),
			sdk.NewMethod("onboarding", onboarding, onboardingDoc, sdk.Tool("onboarding")),
		},
	}}}
}
