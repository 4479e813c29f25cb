// Package e2e tests the built binary from the outside, as a client sees it: over MCP with a client that is not ours and
// with a bare one, on real language servers, and with processes killed at bad moments.
package e2e
