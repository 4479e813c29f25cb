// Package protocol holds the part of the Language Server Protocol 3.17 that is used here: positions, symbols, text
// synchronisation and locations, and the one place in which a path becomes a "file" URI and back.
//
// Lines and characters are the protocol's own, 0-based and in UTF-16 units; nothing above the client sees them.
package protocol
