// Package journal keeps on disk what edits replaced, so that they can be taken back: below `<Serena home>/undo`, a folder for each project,
// in it one for each session, in it a file for each edit.
//
// A session's folder belongs to the host that holds its lock file, see [filelock.Own]; the lock ends with the process. A group of
// edits that is open there while nobody owns the folder was left by a host that was killed: [Store.Orphans].
//
// The package never touches a project's files. Its one caller, host/files, has the project's lock in all calls that change something, and
// says which edits were made: [Log.Begin] comes before the first file is touched, then [Log.Done] or [Log.Abort]. An edit of which
// neither was said is settled by the caller's own record of the write, by [Settle], before the folder is opened again; without such
// a record it was never begun.
package journal
