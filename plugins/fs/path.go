package fs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

// resolve checks a path that a caller named, which need not exist, against the project and its data folder.
func resolve(p *sdk.Project, named string) (contain.Path, error) {
	got, err := contain.Resolve(p.Root, named, allowed(p)...)
	if err == nil {
		return got, nil
	}
	var outside *contain.OutsideError
	if errors.As(err, &outside) {
		return got, sdk.Errorf(sdk.KindPermission, "%w", err)
	}
	return got, fileError(named, err)
}

// allowed admits the data folder, which may lie elsewhere.
func allowed(p *sdk.Project) []contain.Option {
	if p.DataFolder == "" {
		return nil
	}
	return []contain.Option{contain.AlsoAllowed(p.DataFolder)}
}

// stat resolves a path and looks at what is there; what is not there is an error with the nearest name.
func stat(p *sdk.Project, named string) (contain.Path, fs.FileInfo, error) {
	at, err := resolve(p, named)
	if err != nil {
		return at, nil, err
	}
	info, err := os.Stat(at.Real)
	switch {
	case err == nil:
		return at, info, nil
	case errors.Is(err, fs.ErrNotExist):
		return at, nil, missing(p, at)
	}
	return at, nil, fileError(at.Rel, err)
}

// fileError gives a failed operation on a file its kind.
func fileError(named string, err error) error {
	kind := sdk.KindValue
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kind = sdk.KindFileNotFound
	case errors.Is(err, fs.ErrPermission):
		kind = sdk.KindPermission
	case errors.Is(err, syscall.ENAMETOOLONG):
		return sdk.Errorf(kind, "%q is too long for a path of the file system: give a shorter one", firstRunes(named, 60))
	case errors.Is(err, syscall.ENOTDIR):
		return sdk.Errorf(sdk.KindNotADirectory, "%q leads through a file as if it were a folder: %w; list the folder it is in", named, err)
	}
	return sdk.Errorf(kind, "%w", err)
}

// missing says that nothing is at a path, from which part on, and what was probably meant.
func missing(p *sdk.Project, at contain.Path) error {
	dir, name, rest := path.Dir(at.Rel), path.Base(at.Rel), ""
	var entries []os.DirEntry
	for {
		found, err := resolve(p, dir)
		if err == nil {
			if entries, err = os.ReadDir(found.Real); err == nil {
				break
			}
		}
		if dir == "." || dir == "/" || dir == path.Dir(dir) {
			break
		}
		dir, name, rest = path.Dir(dir), path.Base(dir), path.Join(name, rest)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	var text strings.Builder
	if to, err := os.Readlink(at.Abs); err == nil {
		return sdk.Errorf(sdk.KindFileNotFound, "%q is a link to %q, where nothing is: name a file that exists, or have the link put right", at.Rel, to)
	}
	fmt.Fprintf(&text, "%q does not exist", at.Rel)
	if slashed := strings.ReplaceAll(at.Rel, `\`, "/"); slashed != at.Rel {
		if meant, err := resolve(p, slashed); err == nil {
			if _, err := os.Stat(meant.Real); err == nil {
				return sdk.Errorf(sdk.KindFileNotFound, "%s; did you mean %q? (a path's parts are separated by / here)", text.String(), meant.Rel)
			}
		}
	}
	if rest != "" {
		fmt.Fprintf(&text, ": there is no folder %q", path.Join(dir, name))
	}
	if best, ok := nearest.Best(name, names); ok {
		fmt.Fprintf(&text, "; did you mean %q?", path.Join(dir, best))
	} else {
		fmt.Fprintf(&text, "; list %q to see what is there", dir)
	}
	return sdk.Errorf(sdk.KindFileNotFound, "%s (paths are relative to the project root)", text.String())
}
