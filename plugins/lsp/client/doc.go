// Package client runs one language server and speaks the Language Server Protocol with it.
//
// A Client owns the server's process, its group and every goroutine that serves it, from Start until Stop or the server's own end.
// It knows which documents the server has open and in which text. It never restarts a server, reads no project files
// and knows no language: the callers do.
package client
