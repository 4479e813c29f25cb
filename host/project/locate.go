package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

// maxListed is how many known projects an error names.
const maxListed = 20

var errClosed = sdk.Errorf(sdk.KindRuntime, "the server is ending: no project can be opened any more")

// locate finds the root, absolute and real, that a name or a path means.
func (r *Registry) locate(pathOrName string) (string, error) {
	given := strings.TrimSpace(pathOrName)
	if given == "" {
		return "", sdk.Errorf(sdk.KindValue, "no project is named: give the path of its folder%s", r.known(""))
	}
	if isName(given) {
		if root, err := r.byName(given); root != "" || err != nil {
			return root, err
		}
	}
	path, err := config.Absolute(given)
	if err != nil {
		return "", sdk.Errorf(sdk.KindFileNotFound, "the path %q cannot be completed: %w; give an absolute path", given, err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "", sdk.Errorf(sdk.KindPermission, "%s may not be entered by this user: %w", path, err)
	case err != nil:
		tried := fmt.Sprintf("there is no folder %s", path)
		if isName(given) {
			tried = fmt.Sprintf("there is no project named %q and no folder %s", given, path)
		}
		return "", sdk.Errorf(sdk.KindFileNotFound, "%s: give the absolute path of the project's folder%s", tried, r.known(given))
	case !info.IsDir():
		return "", sdk.Errorf(sdk.KindNotADirectory, "%s is a file: give the folder that holds the project, such as %s", path, filepath.Dir(path))
	}
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", sdk.Errorf(sdk.KindFileNotFound, "%s cannot be followed to a folder: %w", path, err)
	}
	return root, nil
}

// isName reports whether the text could be a project's name as well as a path.
func isName(given string) bool {
	return !filepath.IsAbs(given) && !strings.HasPrefix(given, "~") && given != "." && given != ".." &&
		!strings.ContainsRune(filepath.ToSlash(given), '/')
}

func (r *Registry) byName(name string) (string, error) {
	var roots []string
	for _, p := range r.registered() {
		if p.name == name {
			roots = append(roots, p.root)
		}
	}
	switch len(roots) {
	case 0:
		return "", nil
	case 1:
		return roots[0], nil
	}
	return "", sdk.Errorf(sdk.KindValue, "%d projects are named %q: give the path of the one that is meant: %s", len(roots), name, strings.Join(roots, ", "))
}

// known says which projects there are, the nearest to what was given first.
func (r *Registry) known(given string) string {
	names := r.Names()
	if len(names) == 0 {
		return "; no projects are registered"
	}
	text := "; "
	if near, ok := nearest.Best(filepath.Base(given), names); ok && given != "" {
		text += fmt.Sprintf("did you mean %q? ", near)
	}
	more := ""
	if len(names) > maxListed {
		more = fmt.Sprintf(" and %d more", len(names)-maxListed)
		names = names[:maxListed]
	}
	return text + "registered projects: " + strings.Join(names, ", ") + more
}
