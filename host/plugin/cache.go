package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/sdk"
)

// identity tells one state of an executable from another without reading it.
type identity struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	Mtime  int64  `json:"mtime_ns"`
	Ctime  int64  `json:"ctime_ns"` // 0 where the system has none
	Inode  uint64 `json:"inode"`    // likewise
	Device uint64 `json:"device"`   // likewise
}

// entry is what is remembered of one executable: its manifest, or why it is no plugin; neither, when only its sum was taken.
type entry struct {
	identity
	SHA256   string          `json:"sha256,omitempty"` // if it was taken
	Manifest json.RawMessage `json:"manifest,omitempty"`
	Fault    string          `json:"fault,omitempty"`
}

func identify(path string) (identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return identity{}, err
	}
	return identityOf(path, info), nil
}

// identifyFile identifies an open file.
func identifyFile(path string, f *os.File) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, err
	}
	return identityOf(path, info), nil
}

func identityOf(path string, info fs.FileInfo) identity {
	id := identity{Path: path, Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	id.Ctime, id.Inode, id.Device = statFacts(info)
	return id
}

func cacheFile(home, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(home, "cache", "manifests", hex.EncodeToString(sum[:8])+".json")
}

// remembered returns the entry of an executable in its present state. Whatever cannot be read or does not fit counts as not
// known: the executable is asked again.
func remembered(cfg *config.Config, id identity) (entry, bool) {
	data, err := os.ReadFile(cacheFile(cfg.Home, id.Path))
	if err != nil {
		return entry{}, false
	}
	var e entry
	if json.Unmarshal(data, &e) != nil || e.identity != id || e.Fault != "" && e.Manifest != nil || e.Fault == "" && e.Manifest == nil && e.SHA256 == "" {
		return entry{}, false
	}
	return e, true
}

// remember stores an entry: a reader sees the old or the new one, whole.
func remember(cfg *config.Config, e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file := cacheFile(cfg.Home, e.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".manifest-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // once renamed it is not there any more
	_, err = temp.Write(data)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// forget has an executable be asked again, although it is the same: what it starts is not.
func forget(home, path string) error {
	err := os.Remove(cacheFile(home, path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// spec makes an entry's Spec, or its fault.
func (e entry) spec() (Spec, error) {
	if e.Fault != "" {
		return Spec{}, sdk.Errorf(sdk.KindRuntime, "%s", e.Fault)
	}
	m, err := sdk.ParseManifest(e.Manifest)
	if err != nil {
		return Spec{}, fmt.Errorf("%s: %w", e.Path, err)
	}
	return Spec{Name: m.Name, Manifest: m, Command: []string{e.Path}, Path: e.Path}, nil
}
