// Package wire is the contract between the host and its plugins: the messages of plugin.proto, the handshake and the
// bounds of a message. Its types never appear in an exported signature of package sdk, so that a plugin's author never
// imports them. Only host/plugin and the serving side of sdk use it.
package wire
