// Package session keeps what a conversation keeps: its id, its project, its Python runtime and what it was told already.
//
// Ids are chosen by the model and may be anything; an unknown id is a new session. A session belongs to the connection
// that named it (a Registry is one connection's), and its project to the session: two sessions may work on two projects
// at once.
//
// A session's variables outlive its runtime. They are kept on disk (package snapshots) when the session has been idle for a while after
// a cell, when it is evicted, and when the host ends, under a key of who uses it, the project it works in at that moment, and
// its id. The id's return revives them before its first cell, in another host too; so does the next cell after the runtime has died. What
// is not revived is said once, in the notes of the first result. Nothing else of a session is kept: one that comes back works
// where the connection does, and is told of types again.
package session
