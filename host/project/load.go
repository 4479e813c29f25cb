package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/files"
	"github.com/serena-go/serena/sdk"
)

// load reads what the project's files say and opens its store. root is absolute and real.
func load(cfg *config.Config, root string) (*Project, error) {
	p := &Project{ID: identity(root), Root: root, DataFolder: dataFolder(cfg, root), Trusted: trusted(cfg.TrustedPatterns, root)}
	l, err := readLayers(p.DataFolder)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindValue, "the project %s cannot be opened: %w", root, err)
	}
	p.Name = nameFrom(l, root)
	p.Encoding = read(l, keyEncoding, "utf-8", encoding)
	p.ReadOnly = readOnly(l)
	p.AgentInterface = read(l, keyAgentInterface, cfg.AgentInterface, func(v config.Value) (string, error) {
		return v.OneOf(config.InterfaceTools, config.InterfaceREPL)
	})
	p.CellTimeout = read(l, keyCellTimeout, cfg.CellTimeout, func(v config.Value) (time.Duration, error) { return v.Seconds(0) })
	p.InitialPrompt = read(l, keyInitialPrompt, "", config.Value.Text)
	p.Backend = read(l, keyBackend, cfg.Backend, config.Value.Backend)
	p.readScope(l)
	p.ReplPython = cfg.ReplPython
	if p.mayChoose(l, keyReplPython) {
		p.ReplPython = read(l, keyReplPython, cfg.ReplPython, config.Value.Command)
	}

	p.readPlugins(cfg, l)
	p.settings = sdk.ProjectSettings{
		IgnoredPaths:           slices.Concat(cfg.IgnoredPaths, l.texts(keyIgnoredPaths)),
		ReadOnlyMemoryPatterns: slices.Concat(cfg.ReadOnlyMemory, l.texts(keyReadOnlyMemory)),
		IgnoredMemoryPatterns:  slices.Concat(cfg.IgnoredMemory, l.texts(keyIgnoredMemory)),
		Languages:              languages(l),
		LanguageServers:        p.languageServers(cfg, l),
		AutoInstall:            cfg.AutoInstall,
		RequestTimeoutSeconds:  cfg.RequestTimeout.Seconds(),
		Trusted:                p.Trusted,
		LineEnding:             read(l, keyLineEnding, cfg.LineEnding, config.Value.LineEnding),
	}
	if err := marshals(p.settings); err != nil {
		return nil, fmt.Errorf("settings of the project %s: %w", root, err)
	}
	global := filepath.Join(cfg.Home, "memories")
	p.Files, err = files.Open(root, files.Options{
		Home: cfg.Home, DataFolder: p.DataFolder, KeepSessions: cfg.SessionKeep, IgnoredPaths: p.settings.IgnoredPaths,
		Further: []string{global}, Protect: newMemories(p.settings, filepath.Join(p.DataFolder, "memories"), global).protect,
	})
	if err != nil {
		return nil, err
	}
	p.Notes = l.notes
	return p, nil
}

func identity(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:8])
}

// dataFolder is the configured place, unless only <root>/.serena is there. It makes none.
func dataFolder(cfg *config.Config, root string) string {
	place := config.ExpandDataFolder(cfg.DataFolder, root, filepath.Base(root))
	configured, err := config.Absolute(place)
	if err != nil {
		configured = filepath.Clean(place)
	}
	usual := filepath.Join(root, ".serena")
	if !isFolder(configured) && isFolder(usual) {
		return usual
	}
	return configured
}

// readOnly is false where the key is missing. A value that is neither true nor false means read-only: who wrote it wanted it.
func readOnly(l *layers) bool {
	if v, ok := l.value(keyReadOnly); !ok || v.IsNull() {
		return false
	}
	return read(l, keyReadOnly, true, config.Value.Bool)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func nameFrom(l *layers, root string) string {
	folder := filepath.Base(root)
	name := read(l, keyName, folder, func(v config.Value) (string, error) {
		name, err := v.Text()
		if err == nil && name == "" {
			err = errors.New(v.Where + ": " + v.Key + " is empty")
		}
		return name, err
	})
	return name
}

// languages returns the language servers' keys in order, each once.
func languages(l *layers) []string {
	for _, key := range languageKeys {
		if _, ok := l.value(key); !ok {
			continue
		}
		var names []string
		for _, name := range l.texts(key) {
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "javascript" { // one server has both
				name = "typescript"
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}

// languageServers puts the project's entries in the place of the global ones, a language at a time.
func (p *Project) languageServers(cfg *config.Config, l *layers) map[string]json.RawMessage {
	all := maps.Clone(cfg.LanguageServers)
	if !p.mayChoose(l, keyLanguageServers) {
		return all
	}
	v, _ := l.value(keyLanguageServers)
	objects, err := v.Objects()
	if err != nil {
		l.notes = append(l.notes, err.Error())
	}
	for key, object := range objects {
		all[key] = object
	}
	return all
}

// mayChoose reports whether a setting that chooses programs to run is there and counts. A setting that does not is told.
func (p *Project) mayChoose(l *layers, key string) bool {
	v, ok := l.value(key)
	if ok && !p.Trusted {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s is not used, because it can run programs and the project is not trusted: "+
			"add %q to trusted_project_path_patterns in serena_config.yml to trust it", v.Where, key, p.Root))
	}
	return ok && p.Trusted
}
