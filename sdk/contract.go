package sdk

import "github.com/serena-go/serena/internal/wire"

// Contract returns the sources of the wire between host and plugin, by file name: what a plugin in another language generates
// its code from. plugin.proto is serena's own, go_plugin.proto what of go-plugin's services such a plugin serves beside it.
func Contract() map[string][]byte {
	return map[string][]byte{"plugin.proto": wire.Contract, "go_plugin.proto": wire.GoPluginContract}
}
