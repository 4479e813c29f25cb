// Package ignore knows which paths of a project git ignores, and walks a project without entering those.
//
// The rules are gitignore(5)'s: .gitignore files in every folder, read as a walk descends and never in an ignored folder;
// a deeper file outranks a higher one, and in one file the last pattern that matches decides; a path below an ignored
// folder stays ignored whatever matches it. Where the root lies in a repository, the .gitignore files above it count as well, up to the
// repository's top, unless they ignore the root itself; .git/info/exclude counts, below all .gitignore files. Not read are
// the user's global excludes (core.excludesFile) and core.ignoreCase: case always matters.
//
// Above all files stand the configured patterns, in the same syntax and relative to the root: if one matches, it
// decides. A name ".git" is ignored at every level.
//
// Names are bytes, as in git: "?" is one byte. The package reads ignore files and folders and changes nothing.
package ignore
