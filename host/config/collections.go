package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// readCollections takes what is no flat value from the file, with the letters and dots of its keys as they are.
func (c *Config) readCollections(doc *Document) {
	c.IgnoredPaths = c.texts(doc, keyIgnoredPaths)
	c.ReadOnlyMemory = c.texts(doc, keyReadOnlyMemory)
	c.IgnoredMemory = c.texts(doc, keyIgnoredMemory)
	c.TrustedPatterns = c.texts(doc, keyTrusted)
	c.Projects = c.paths(doc, keyProjects)
	c.PluginFolders = c.paths(doc, keyPluginFolders)
	c.LanguageServers = c.objects(doc, keyLanguageServers)
	c.readPlugins(doc)
}

func (c *Config) texts(doc *Document, key string) []string {
	value, ok := doc.Value(key)
	if !ok || value.IsNull() {
		return nil
	}
	texts, err := value.Texts()
	if err != nil {
		c.note(err.Error())
	}
	return texts
}

// paths leaves out what is relative: it would name another place in every working directory.
func (c *Config) paths(doc *Document, key string) []string {
	var paths []string
	for _, text := range c.texts(doc, key) {
		path, err := Absolute(text)
		if err != nil || (!filepath.IsAbs(text) && !strings.HasPrefix(text, "~")) {
			value, _ := doc.Value(key)
			c.note(fmt.Sprintf("%s: %s: %q is left out: write an absolute path", value.Where, key, text))
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

func (c *Config) objects(doc *Document, key string) map[string]json.RawMessage {
	value, ok := doc.Value(key)
	if !ok || value.IsNull() {
		return map[string]json.RawMessage{}
	}
	objects, err := value.Objects()
	if err != nil {
		c.note(err.Error())
	}
	if objects == nil {
		objects = map[string]json.RawMessage{}
	}
	return objects
}
