// Package api is the one road of every call: the Registry composes facades from the plugins' manifests, a Scope says what
// of it is allowed, the Dispatcher resolves, checks, runs and records a call, and Document writes what a model is told
// about it all. No other code calls a plugin.
package api
