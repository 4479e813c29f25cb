package files

import (
	"path/filepath"
	"slices"
	"strings"
)

// places are what a pass looks at: paths relative to the root, "/"-separated, "" for the root itself.
type places struct {
	folders map[string]bool // each with all below
	names   map[string]bool // single names that may be files
}

func newPlaces() places { return places{folders: map[string]bool{}, names: map[string]bool{}} }

func everything() places {
	p := newPlaces()
	p.folders[""] = true
	return p
}

func (p *places) isEmpty() bool { return len(p.folders)+len(p.names) == 0 }

func (p *places) isWhole() bool { return p.folders[""] }

// covers reports whether a path is one of the folders or lies in one.
func (p *places) covers(rel string) bool {
	if p.folders[""] || p.folders[rel] {
		return true
	}
	for i := strings.LastIndexByte(rel, '/'); i >= 0; i = strings.LastIndexByte(rel[:i], '/') {
		if p.folders[rel[:i]] {
			return true
		}
	}
	return false
}

// outermost lists the folders that lie in no other of them.
func (p *places) outermost() []string {
	if p.isWhole() {
		return []string{""}
	}
	var all []string
	for rel := range p.folders {
		if above, _ := parent(rel); above == "" || !p.covers(above) {
			all = append(all, rel)
		}
	}
	slices.Sort(all)
	return all
}

// parent splits a path into the folder and the name.
func parent(rel string) (folder, name string) {
	i := strings.LastIndexByte(rel, '/')
	if i < 0 {
		return "", rel
	}
	return rel[:i], rel[i+1:]
}

// child is the path of a name in a folder.
func child(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

// real is the absolute path of one relative to the root.
func (s *Store) real(rel string) string { return filepath.Join(s.root, filepath.FromSlash(rel)) }
