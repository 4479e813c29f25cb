//go:build unix

package plugin

import "io/fs"

const executableSuffix = ""

func mayRun(_ string, info fs.FileInfo) bool { return info.Mode()&0o111 != 0 }
