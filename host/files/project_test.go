//go:build !windows

package files

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// place is a project with its home, outside each other.
type place struct {
	root, home string
	store      *Store
}

func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{root: filepath.Join(base, "project"), home: filepath.Join(base, "home")}
	for name, content := range files {
		p.write(t, name, content)
	}
	if err := os.MkdirAll(p.root, 0o755); err != nil {
		t.Fatal(err)
	}
	p.store = p.open(t)
	return p
}

func (p *place) open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(p.root, Options{Home: p.home, DataFolder: filepath.Join(p.root, ".serena"), Further: []string{filepath.Join(p.home, "memories")}, IgnoredPaths: []string{"*.log"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func (p *place) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree is every name below a folder with its content; folders end with "/", links are "-> target".
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case d.IsDir():
			all[rel+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			all[rel] = "-> " + target
			return err
		default:
			data, err := os.ReadFile(path)
			all[rel] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// checkHome makes sure that a writer left nothing but its lock.
func (p *place) checkHome(t *testing.T) {
	t.Helper()
	for name := range tree(t, p.home) {
		if !strings.HasSuffix(name, "/") && !strings.HasPrefix(name, "locks/") {
			t.Errorf("left in the home: %s", name)
		}
	}
}

func (p *place) checkTree(t *testing.T, want map[string]string) {
	t.Helper()
	if got := tree(t, p.root); !maps.Equal(got, want) {
		t.Errorf("tree is\n%q\nwant\n%q", got, want)
	}
}

func base(content string) sdk.Base { return sdk.BaseOf([]byte(content)) }

func edit(start, end int, text string) sdk.ByteEdit {
	return sdk.ByteEdit{Start: start, End: end, Text: []byte(text)}
}

// stamps are the states of everything below a folder.
func stamps(t *testing.T, dir string) map[string]stamp {
	t.Helper()
	all := map[string]stamp{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			all[path], err = lstamp(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// umask reads the process's mask without changing it.
func umask(t *testing.T) uint32 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "probe")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := fstamp(f)
	if err != nil {
		t.Fatal(err)
	}
	return 0o666 &^ st.mode & 0o777
}
