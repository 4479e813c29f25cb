// Package lsp is the plugin that answers questions about code through language servers, and edits symbols by name: the facade
// lsp and the symbol methods of edit.
//
// One workspace per project holds one slot per language server; a slot starts its server at the first call that needs it,
// shares it among all callers, and starts it again when it has ended. A session is one life of a server with what it was told of
// the project's files: before each answer it catches up with the project's changes. A file's symbols are kept by the hash of its
// content, so that they are asked for once and never outlive the text.
//
// What is particular to a language stands in package servers, the protocol in client and protocol, name paths in symbols.
package lsp
