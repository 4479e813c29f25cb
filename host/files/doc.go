// Package files is the one writer of a project's files, and the one source of what changed in them.
//
// A [Store] belongs to one project root. [Store.Apply] makes all of a list of changes or none of them, even when the
// process is killed in the middle: the next one that opens the project takes back what was half-done. [Store.Changes]
// tells what changed since a change number, whoever changed it.
//
// What the edits of a session replace goes into its journal, see host/journal, by which [Store.Undo] takes the last ones back, and
// [Store.RollBack] those of a transaction.
//
// It decides nothing about permissions of a caller (read-only projects, scopes): that is done before. It never reads or
// writes outside the project root, the data folder and the further folders it was opened with, except for its lock,
// its record of a write that is under way and the journals, all under the Serena home.
//
// On Linux a project on a local file system is watched from the first call of [Store.Changes] on, one inotify watch a folder that is not
// ignored; elsewhere, and where that is impossible, each call looks at all files. See watcher.
//
// Limits. A replaced file keeps its mode and owner and, on Linux, its access control list, user attributes and SELinux label; not its file
// capabilities, which were given to the old content. It does not keep its other names: a file with several hard links is replaced under the
// name that was edited, and the others keep the old content. Writing into it instead could leave half a file when the machine stops, and would
// change what belongs to others, such as the store of a package manager that links its packages into projects. What somebody writes
// between the last check and the rename, a few microseconds, is lost, as with any editor.
package files
