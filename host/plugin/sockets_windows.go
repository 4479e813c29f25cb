package plugin

import "os"

const shortBase = ""

// tryLock always succeeds: an open file cannot be removed on Windows, which is lock enough, and plugins use TCP there.
func tryLock(*os.File) bool { return true }

// checkPrivate accepts every address: plugins use TCP on the loopback interface here.
func checkPrivate(string, string, string, string) error { return nil }
