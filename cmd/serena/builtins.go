package main

import (
	"github.com/serena-go/serena/host"
	"github.com/serena-go/serena/plugins/fs"
	"github.com/serena-go/serena/plugins/lsp"
	"github.com/serena-go/serena/plugins/memory"
	"github.com/serena-go/serena/plugins/shell"
)

// builtins is the one list of the plugins that are linked in.
func builtins() []host.Builtin {
	return []host.Builtin{
		{Plugin: lsp.New(), OwnEnv: true},
		{Plugin: fs.New()},
		{Plugin: memory.New()},
		{Plugin: shell.New(), OwnEnv: true},
	}
}

func builtin(name string) (host.Builtin, bool) {
	for _, b := range builtins() {
		if b.Plugin.Name == name {
			return b, true
		}
	}
	return host.Builtin{}, false
}
