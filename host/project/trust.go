package project

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/serena-go/serena/host/config"
)

// trusted reports whether a root, absolute and real, matches one of the patterns. A pattern that is malformed or relative
// matches nothing; "**" alone is every project.
func trusted(patterns []string, root string) bool {
	path := filepath.ToSlash(root)
	for _, pattern := range patterns {
		if strings.HasPrefix(pattern, "~") {
			if expanded, err := config.Absolute(pattern); err == nil {
				pattern = expanded
			}
		}
		pattern = filepath.ToSlash(pattern)
		if len(pattern) > 1 {
			pattern = strings.TrimSuffix(pattern, "/")
		}
		if pattern == "**" {
			return true
		}
		if ok, err := doublestar.Match(pattern, path); err == nil && ok {
			return true
		}
	}
	return false
}
