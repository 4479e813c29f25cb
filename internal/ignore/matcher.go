package ignore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Matcher answers for one root. It reads each ignore file once, when it is first needed, and remembers it: after
// ignore files have changed, make a new one. It is safe for concurrent use.
type Matcher struct {
	root        string
	configured  rules
	excludeFile string
	above       []above // what holds from above the root and from the excludes, what outranks first
	top         *folder

	mu       sync.Mutex
	folders  map[place]*folder // those asked for by path, and the ones above them
	problems []error
}

// place is a directory's path relative to the root. A named one is treated as kept; see [Matcher.Dir].
type place struct {
	rel   string
	named bool
}

// folder is a directory with the rules that hold in it.
type folder struct {
	parent   *folder
	path     []string // its parts below the root
	excluded bool     // it or one above it is ignored: so is all below, and no file is read

	once  sync.Once
	rules rules
}

// New makes a Matcher for an existing directory. configured are further patterns in gitignore syntax, relative to the
// root; no file can take back what they say. The error is for a root that is no directory.
func New(root string, configured ...string) (*Matcher, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("ignore rules: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("ignore rules: %s is not a directory: name the project's folder", root)
	}
	m := &Matcher{root: root, top: &folder{}, folders: map[place]*folder{}}
	for _, line := range configured {
		if p, ok := parsePattern(line); ok {
			m.configured = append(m.configured, p)
		}
	}
	m.readAbove()
	return m, nil
}

// Problems returns the ignore files that could not be read so far; they count as empty.
func (m *Matcher) Problems() []error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]error(nil), m.problems...)
}

// Ignored tells whether a path is ignored: relative to the root, clean, "/"-separated; "." never is. It need not exist.
func (m *Matcher) Ignored(rel string, isDir bool) bool {
	dir, name := splitPath(rel)
	if name == "" {
		return false
	}
	_, ignored := m.lookup(dir, false).Child(name, isDir)
	return ignored
}

// Hidden tells whether not even walks that show ignored files show a path: it is configured to be ignored, or is in a ".git". The
// path is relative to the root, clean, "/"-separated, and need not exist.
func (m *Matcher) Hidden(rel string, isDir bool) bool {
	parts := strings.Split(rel, "/")
	dir := m.Root()
	for i, name := range parts {
		folder := isDir || i < len(parts)-1
		if rel != "." && dir.verdict(name, parts[:i+1], folder) == byConfig {
			return true
		}
		dir, _ = dir.Child(name, true)
	}
	return false
}

// ExcludeFile is the path of the repository's .git/info/exclude, which need not exist; "" if the root is in no repository.
func (m *Matcher) ExcludeFile() string { return m.excludeFile }

// Root returns the state of the root, from which a walk starts.
func (m *Matcher) Root() Dir { return Dir{m, m.top} }

// Dir returns the state of a directory that somebody named, relative to the root. It counts as not ignored even if the
// rules ignore it: they are asked only about what lies in it.
func (m *Matcher) Dir(rel string) Dir { return m.lookup(rel, true) }

func (m *Matcher) lookup(rel string, named bool) Dir {
	if rel == "." || rel == "" {
		return m.Root()
	}
	key := place{rel, named}
	m.mu.Lock()
	known := m.folders[key]
	m.mu.Unlock()
	if known != nil {
		return Dir{m, known}
	}
	dir, name := splitPath(rel)
	d, ignored := m.lookup(dir, named).Child(name, true)
	if named && ignored {
		d.f.excluded = false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.folders[key]; known != nil {
		return Dir{m, known}
	}
	m.folders[key] = d.f
	return d
}

// Dir is a directory during a walk, with the rules that hold in it carried down from the root.
type Dir struct {
	m *Matcher
	f *folder
}

// Child tells whether an entry of the directory is ignored, and gives the state for what lies in it, which is of use
// only for a directory. Below an ignored directory everything is ignored.
func (d Dir) Child(name string, isDir bool) (child Dir, ignored bool) {
	path := append(d.f.path[:len(d.f.path):len(d.f.path)], name)
	v := d.verdict(name, path, isDir)
	if !isDir {
		return Dir{}, v != kept
	}
	return Dir{d.m, &folder{parent: d.f, path: path, excluded: v != kept}}, v != kept
}

type verdict int

const (
	kept     verdict = iota
	byFiles          // ignored by an ignore file
	byConfig         // ignored by configuration, or as .git: not even walks that show ignored files show it
)

func (d Dir) verdict(name string, path []string, isDir bool) verdict {
	if name == ".git" {
		return byConfig
	}
	if ignored, found := d.m.configured.decide(path, isDir); found {
		switch {
		case ignored:
			return byConfig
		case d.f.excluded:
			return byFiles
		}
		return kept
	}
	if d.f.excluded {
		return byFiles
	}
	for f := d.f; f != nil; f = f.parent {
		if ignored, found := d.m.rulesOf(f).decide(path[len(f.path):], isDir); found {
			if ignored {
				return byFiles
			}
			return kept
		}
	}
	if ignored, _ := decideAbove(d.m.above, path, isDir); ignored {
		return byFiles
	}
	return kept
}

func (m *Matcher) rulesOf(f *folder) rules {
	f.once.Do(func() {
		f.rules = m.read(filepath.Join(m.root, filepath.Join(f.path...), ".gitignore"))
	})
	return f.rules
}

// noRules spares the look for an ignore file in a directory whose entries are known.
func (f *folder) noRules() { f.once.Do(func() {}) }

// read reads an ignore file. As in git, one that is a link is not followed.
func (m *Matcher) read(path string) rules {
	if path == "" {
		return nil
	}
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !isNotDir(err) {
			m.mu.Lock()
			m.problems = append(m.problems, fmt.Errorf("ignore file: %w", err))
			m.mu.Unlock()
		}
		return nil
	}
	return parseRules(string(text))
}

// splitPath returns the folder and the name of a clean relative path; the name is "" for the root itself.
func splitPath(rel string) (dir, name string) {
	if rel == "." || rel == "" {
		return "", ""
	}
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:]
	}
	return "", rel
}
