// Package session keeps what a conversation keeps: its id, its project, its Python runtime and what it was told already.
//
// Ids are chosen by the model and may be anything; an unknown id is a new session. A session belongs to the connection
// that named it (a Registry is one connection's), and its project to the session: two sessions may work on two projects
// at once.
package session
