package ignore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// above are rules that hold from a folder above the root, or from the repository's excludes.
type above struct {
	prefix []string // the parts from that folder to the root; patterns are relative to the folder
	rules  rules
}

// decideAbove asks the rules for a path below the root, the stronger first.
func decideAbove(all []above, path []string, isDir bool) (ignored, found bool) {
	for _, a := range all {
		if len(a.rules) == 0 {
			continue
		}
		if ignored, found := a.rules.decide(slices.Concat(a.prefix, path), isDir); found {
			return ignored, true
		}
	}
	return false, false
}

// readAbove reads the ignore files between the root and the top of the repository that it lies in, and that repository's excludes. Where
// they ignore the root itself the repository has nothing to say about it: a project in a folder that git ignores, or below a home that is a
// repository of its own.
func (m *Matcher) readAbove() {
	dirs, prefixes := m.upToRepository()
	if dirs == nil {
		return
	}
	for i, dir := range dirs {
		if i > 0 { // the root's own is read with the folders
			m.above = append(m.above, above{prefixes[i], m.read(filepath.Join(dir, ".gitignore"))})
		}
	}
	top := len(dirs) - 1
	exclude := excludeFile(dirs[top])
	m.above = append(m.above, above{prefixes[top], m.read(exclude)})
	if m.rootIgnored(prefixes[top]) {
		m.above = nil
		return
	}
	m.excludeFile = exclude
}

// upToRepository lists the folders from the root up to the one that holds .git, with the parts that lead from each to the root; nil where there
// is none.
func (m *Matcher) upToRepository() (dirs []string, prefixes [][]string) {
	dir, err := filepath.Abs(m.root)
	if err != nil {
		return nil, nil
	}
	var prefix []string
	for {
		dirs, prefixes = append(dirs, dir), append(prefixes, prefix)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dirs, prefixes
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, nil
		}
		prefix = append([]string{filepath.Base(dir)}, prefix...)
		dir = parent
	}
}

// rootIgnored reports whether the rules above ignore the root or a folder that it lies in. parts lead from the top to the root.
func (m *Matcher) rootIgnored(parts []string) bool {
	for n := 1; n <= len(parts); n++ {
		for _, a := range m.above {
			depth := len(parts) - len(a.prefix) // of the rules' folder, below the top
			if depth >= n {
				continue
			}
			if ignored, found := a.rules.decide(parts[depth:n], true); found {
				if ignored {
					return true
				}
				break
			}
		}
	}
	return false
}

// excludeFile returns the path of the root's info/exclude, "" if the root is no repository. In a linked worktree .git is a
// file that leads to the worktree's own folder, and that to the common one.
func excludeFile(root string) string {
	git := filepath.Join(root, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		text, err := os.ReadFile(git)
		target, ok := strings.CutPrefix(string(text), "gitdir: ")
		if err != nil || !ok {
			return ""
		}
		git = under(root, strings.TrimRight(target, "\r\n"))
		if text, err := os.ReadFile(filepath.Join(git, "commondir")); err == nil {
			git = under(git, strings.TrimRight(string(text), "\r\n"))
		}
	}
	return filepath.Join(git, "info", "exclude")
}

func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
