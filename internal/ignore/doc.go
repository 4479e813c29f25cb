// Package ignore knows which paths of a project git ignores, and walks a project without entering those.
//
// The rules are gitignore(5)'s: .gitignore files in every folder, read as a walk descends and never in an ignored folder;
// a deeper file outranks a higher one, and in one file the last pattern that matches decides; a path below an ignored
// folder stays ignored whatever matches it. .git/info/exclude of the root counts, below all .gitignore files. Not read are
// the user's global excludes (core.excludesFile), ignore files above the root, and core.ignoreCase: case always matters.
//
// Above all files stand the configured patterns, in the same syntax and relative to the root: if one matches, it
// decides. A name ".git" is ignored at every level.
//
// Names are bytes, as in git: "?" is one byte. The package reads ignore files and folders and changes nothing.
package ignore
