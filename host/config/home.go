package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func findHome(given string) (string, error) {
	home := given
	if home == "" {
		home = strings.TrimSpace(os.Getenv("SERENA_HOME"))
	}
	if home == "" {
		home = "~/.serena"
	}
	path, err := Absolute(home)
	if err != nil {
		return "", fmt.Errorf("the Serena home %q cannot be found: %w; set SERENA_HOME to an absolute path", home, err)
	}
	return path, nil
}

// Absolute makes a path that a user wrote absolute: a leading "~" is the user's home directory, and what is relative is
// relative to the working directory.
func Absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, "~"+string(filepath.Separator)) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		return filepath.Join(home, path[1:]), nil
	}
	return filepath.Abs(path)
}
