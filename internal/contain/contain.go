// Package contain is the one containment check: it decides whether a path that somebody named lies inside a project,
// after every link on the way has been followed.
//
// It looks at the file system and changes nothing. Its answer holds for the moment of the check: whoever can create
// links inside the project can swap a folder for a link between the check and the use. Use [Path.Real], which has
// no link left in it, for the operation itself, close to the check; that narrows the gap and does not close it.
//
// A path is cleaned by its text before links are followed, so "link/../x" is "x" whatever link points to. Hard links and
// mounts are not links here. On Linux and macOS a backslash is an ordinary character of a name.
package contain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Path is a path that was found to lie inside a root.
type Path struct {
	// Rel is the path relative to the root: cleaned, "/"-separated, "." for the root itself. For a path that lies in
	// a further root only, it is Abs with "/" separators.
	Rel string
	// Abs is the absolute path by its text: the root as it was given, joined with Rel. Links are not resolved.
	Abs string
	// Real is the absolute path with all links resolved, also where the last parts do not exist yet.
	Real string
}

// OutsideError reports a path that leads, by its text or through a link, out of the root.
type OutsideError struct {
	Path string // as it was given
	Root string // as it was given
	Real string // where the path leads
}

func (e *OutsideError) Error() string {
	return fmt.Sprintf("%q leads to %s, outside the project %s: only paths inside the project can be used; give a path relative to the project's root",
		e.Path, e.Real, e.Root)
}

// Root is a directory, resolved once, against which paths are checked. It is safe for concurrent use.
type Root struct {
	abs     string
	real    string
	further []string // real paths of the further roots
}

// Option changes what [NewRoot] admits.
type Option func(*Root) error

// AlsoAllowed admits a further directory, such as a data folder elsewhere. It need not exist yet.
func AlsoAllowed(dir string) Option {
	return func(r *Root) error {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("further root %q: %w", dir, err)
		}
		real, err := resolve(abs)
		if err != nil {
			return fmt.Errorf("further root %q: %w", dir, err)
		}
		r.further = append(r.further, real)
		return nil
	}
}

// NewRoot resolves an existing directory. It may be a link to one.
func NewRoot(dir string, opts ...Option) (*Root, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("project root %q: %w", dir, err)
	}
	real, err := resolve(abs)
	if err != nil {
		return nil, fmt.Errorf("project root %q: %w", dir, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, fmt.Errorf("project root %q: %w", dir, err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("project root %q is not a directory: name the folder that holds the project", dir)
	}
	r := &Root{abs: abs, real: real}
	for _, opt := range opts {
		if err := opt(r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Resolve checks one path against one root; a caller with many paths keeps a [Root].
func Resolve(root, path string, opts ...Option) (Path, error) {
	r, err := NewRoot(root, opts...)
	if err != nil {
		return Path{}, err
	}
	return r.Resolve(path)
}

// Abs returns the root's absolute path as it was given, links not resolved.
func (r *Root) Abs() string { return r.abs }

// Real returns the root's absolute path with links resolved.
func (r *Root) Real() string { return r.real }

// Resolve checks a path, which need not exist. It may be relative to the root, with "/" or the system's separators, or
// absolute; "" is the root. By its text a relative path must stay in the root; a further root is reached by an absolute
// path or through a link. The error is an [*OutsideError] for a path that leads out of the root and of every further
// root, and otherwise the file system's, for example for a loop of links or a file used as a folder.
func (r *Root) Resolve(path string) (Path, error) {
	if strings.ContainsRune(path, 0) {
		return Path{}, fmt.Errorf("%q holds a NUL byte, which no path can: remove it", path)
	}
	local := filepath.FromSlash(path)
	abs := filepath.Clean(local)
	if !filepath.IsAbs(local) {
		if filepath.VolumeName(local) != "" {
			return Path{}, &OutsideError{Path: path, Root: r.abs, Real: local}
		}
		abs = filepath.Join(r.abs, local)
	}
	rel, inText := within(r.abs, abs)
	if !inText {
		// The root may be named through its real path: the text is then the same below either.
		if rel, inText = within(r.real, abs); inText {
			abs = filepath.Join(r.abs, rel)
		}
	}
	if !inText && !filepath.IsAbs(local) {
		return Path{}, &OutsideError{Path: path, Root: r.abs, Real: abs}
	}
	real, err := resolve(abs)
	if err != nil {
		return Path{}, fmt.Errorf("path %q: %w", path, err)
	}
	realRel, inRoot := within(r.real, real)
	if !inRoot && !r.inFurther(real) {
		return Path{}, &OutsideError{Path: path, Root: r.abs, Real: real}
	}
	switch {
	case inText:
	case inRoot: // an absolute path that reaches the root by another name
		rel = realRel
		abs = filepath.Join(r.abs, rel)
	default:
		rel = abs
	}
	return Path{Rel: filepath.ToSlash(rel), Abs: abs, Real: real}, nil
}

func (r *Root) inFurther(real string) bool {
	for _, dir := range r.further {
		if _, ok := within(dir, real); ok {
			return true
		}
	}
	return false
}

// within returns path relative to dir if it is dir or lies below it; both are absolute and clean.
func within(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}
