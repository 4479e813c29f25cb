package wire

import _ "embed"

// The contract's sources, for plugins in other languages: Contract is plugin.proto, GoPluginContract what of go-plugin's own
// services such a plugin serves beside it.
var (
	//go:embed plugin.proto
	Contract []byte
	//go:embed go_plugin.proto
	GoPluginContract []byte
)
