package plugin

import (
	"io/fs"
	"strings"
)

const executableSuffix = ".exe"

func mayRun(path string, _ fs.FileInfo) bool {
	return strings.HasSuffix(strings.ToLower(path), executableSuffix)
}
