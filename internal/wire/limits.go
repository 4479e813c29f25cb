package wire

import "time"

// ProtocolVersion is the version of plugin.proto that this code is generated from.
const ProtocolVersion = 1

// ProtocolVersions are all that this code speaks, ascending. Host and plugin agree on the highest that both speak, by
// PLUGIN_PROTOCOL_VERSIONS and the handshake line.
var ProtocolVersions = [...]int{ProtocolVersion}

// MaxMessageBytes bounds every message in either direction. gRPC's default of 4 MiB is too small for a file of generated
// code; without a bound a plugin could exhaust the host's memory.
const MaxMessageBytes = 64 << 20

// MaxValueBytes bounds the JSON of a value, leaving room for the message around it.
const MaxValueBytes = MaxMessageBytes - 1<<20

// A host pings the plugin's connection while a call is under way; a plugin that does not answer stands still. gRPC allows no
// shorter interval than ten seconds.
const (
	PingEvery = 10 * time.Second
	PingLimit = 10 * time.Second
)

// The handshake tells a plugin that it was started by a host, and the host that the program is a plugin. It is no
// security measure.
const (
	MagicCookieKey   = "SERENA_PLUGIN"
	MagicCookieValue = "b3c2b0f3a1de4f6f9b1c52c6f4f5a8d1"
)

// PluginName is the one name under which a plugin process serves.
const PluginName = "serena"

// AbsentBase stands for the hash of a file that was not there when it was read.
const AbsentBase = "absent"
