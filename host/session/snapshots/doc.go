// Package snapshots keeps the variables of sessions on disk, below `<Serena home>/sessions`, one folder for each session.
//
// A folder belongs to the host that holds its lock file; the lock ends with the process. Each snapshot is a folder of its own that
// appears by a rename, whole: the last one stays good until the next one is complete. It is written for the crash of a process,
// not for the loss of power: then the last snapshots may be missing.
//
// The package never looks into a snapshot. Reading one runs code, so the folders are the user's alone (0700) and never in a project.
package snapshots
