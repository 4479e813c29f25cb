package contain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the number of links followed for one path; Linux itself stops at 40.
const maxLinks = 40

// resolve follows every link in an absolute, clean path. filepath.EvalSymlinks will not do: it fails where the end of
// the path does not exist yet, and a dangling link is just what must not be taken for a new file inside the root.
// Parts after the first missing one are taken as they are.
func resolve(path string) (string, error) {
	volume := filepath.VolumeName(path)
	top := volume + string(filepath.Separator)
	var (
		done  = top
		rest  = split(path[len(volume):])
		links int
	)
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == ".." { // only out of a link's target, and done has no link in it
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return missing(next, rest)
		}
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: more than %d links to follow; they may form a loop", next, maxLinks)
		}
		target, err := os.Readlink(next)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			volume = filepath.VolumeName(target)
			done = volume + string(filepath.Separator)
			target = target[len(volume):]
		}
		rest = append(split(target), rest...)
	}
	return done, nil
}

// missing joins the parts below one that does not exist. The system cannot step back out of such a place, so a ".."
// from a link's target is an error rather than a guess.
func missing(path string, rest []string) (string, error) {
	for _, part := range rest {
		if part == ".." {
			return "", &fs.PathError{Op: "resolve", Path: path, Err: fs.ErrNotExist}
		}
	}
	return filepath.Join(append([]string{path}, rest...)...), nil
}

// split returns a path's parts without empty ones and ".".
func split(path string) []string {
	var parts []string
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	return parts
}
