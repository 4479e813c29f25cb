package repl

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// pythonCache keeps what candidates answered in <home>/cache/python.json. It is an aid: a file that cannot be read or written only
// costs a probe.
type pythonCache struct {
	file    string // empty: nothing is kept
	entries map[string]cachedPython
}

type cachedPython struct {
	Candidate fingerprint `json:"candidate"`
	Version   string      `json:"version"`
	Path      string      `json:"path"`
	Target    fingerprint `json:"target"` // of Path
}

// fingerprint tells whether a file is still the one that was asked.
type fingerprint struct {
	Size  int64     `json:"size"`
	MTime time.Time `json:"mtime"`
}

func fingerprintOf(path string) (fingerprint, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fingerprint{}, err
	}
	return fingerprint{info.Size(), info.ModTime().UTC()}, nil
}

func openPythonCache(home string) *pythonCache {
	c := &pythonCache{entries: map[string]cachedPython{}}
	if home == "" {
		return c
	}
	c.file = filepath.Join(home, "cache", "python.json")
	data, err := os.ReadFile(c.file)
	if err != nil || json.Unmarshal(data, &c.entries) != nil || c.entries == nil {
		c.entries = map[string]cachedPython{}
	}
	return c
}

// lookup returns what the candidate is, asking it only if it is not known. Failures are not kept.
func (c *pythonCache) lookup(ctx context.Context, path string, ask func(context.Context) (Interpreter, error)) (Interpreter, error) {
	present, err := fingerprintOf(path)
	if err != nil {
		return Interpreter{}, err
	}
	if e, ok := c.entries[path]; ok && e.Candidate == present {
		if target, err := fingerprintOf(e.Path); err == nil && target == e.Target {
			return Interpreter{Path: e.Path, Version: e.Version}, nil
		}
	}
	found, err := ask(ctx)
	if err != nil {
		return Interpreter{}, err
	}
	if target, err := fingerprintOf(found.Path); err == nil {
		c.entries[path] = cachedPython{present, found.Version, found.Path, target}
		c.save()
	}
	return found, nil
}

func (c *pythonCache) save() {
	if c.file == "" {
		return
	}
	data, err := json.MarshalIndent(c.entries, "", "  ")
	if err != nil {
		return
	}
	_ = replaceFile(c.file, append(data, '\n'))
}
