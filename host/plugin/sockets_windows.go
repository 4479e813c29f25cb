package plugin

import "os"

const shortBase = ""

// tryLock always succeeds: an open file cannot be removed on Windows, which is lock enough, and plugins use TCP there.
func tryLock(*os.File) bool { return true }
