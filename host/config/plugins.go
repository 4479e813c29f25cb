package config

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// The keys below `plugins: NAME:` that are not the plugin's own settings.
const (
	keyPluginPath    = "path"
	keyPluginSHA256  = "sha256"
	keyPluginEnabled = "enabled"
)

// PluginEntry is what `plugins: NAME:` says of one plugin.
type PluginEntry struct {
	Path    string // of its executable, absolute; "": the plugin is one of those in the plugin folders
	SHA256  string // what the executable's bytes must have, as it was written; "": not checked
	Enabled *bool  // nil: not said
	// Settings is a JSON object of the plugin's own settings; nil: there are none.
	Settings json.RawMessage
	Where    string // for messages: file and line of `plugins:`
}

// Plugins returns a mapping from plugins' names to what is said of them; resolve makes a path that was written absolute, or
// refuses it. What makes no sense is told in the notes: an entry that is no mapping is left out, one with a wrong path or enabled
// is not enabled, and a sum that is none fits no executable.
func (v Value) Plugins(resolve func(path string) (string, error)) (entries map[string]PluginEntry, notes []string) {
	entries = map[string]PluginEntry{}
	all, ok := v.raw.(map[string]any)
	if !ok {
		return entries, []string{v.Wrong("a mapping of plugins' names to what is said of each").Error()}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] == nil {
			continue
		}
		object, ok := all[name].(map[string]any)
		if !ok {
			notes = append(notes, fmt.Sprintf(`%s: what is said of the plugin %s is left out: it must be a mapping, such as "enabled: false"`, v.Where, name))
			continue
		}
		entry, faults := v.plugin(name, maps.Clone(object), resolve)
		entries[name] = entry
		for _, fault := range faults {
			notes = append(notes, fault.Error())
		}
	}
	return entries, notes
}

func (v Value) plugin(name string, object map[string]any, resolve func(path string) (string, error)) (e PluginEntry, faults []error) {
	e.Where = v.Where
	no := false
	take := func(key string) (Value, bool) {
		raw, ok := object[key]
		delete(object, key)
		return Value{Key: "plugins." + name + "." + key, Where: v.Where, raw: raw}, ok && raw != nil
	}
	if enabled, ok := take(keyPluginEnabled); ok {
		on, err := enabled.Bool()
		if e.Enabled = &on; err != nil {
			faults = append(faults, fmt.Errorf("%w; the plugin is not enabled", err))
		}
	}
	if path, ok := take(keyPluginPath); ok {
		text, err := path.Text()
		if err == nil {
			e.Path, err = resolve(text)
		}
		if err != nil {
			faults, e.Enabled = append(faults, fmt.Errorf("%w; the plugin is not enabled", err)), &no
		}
	}
	if sum, ok := take(keyPluginSHA256); ok {
		text, err := sum.Text()
		if err != nil {
			text = fmt.Sprint(sum.raw)
		}
		e.SHA256 = text
		if !IsSHA256(text) {
			faults = append(faults, fmt.Errorf("%w; the plugin is refused", sum.Wrong("64 hexadecimal digits in quotes, as sha256sum prints them")))
		}
	}
	if len(object) > 0 {
		data, err := json.Marshal(object)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: the settings of the plugin %s are left out: %w", v.Where, name, err))
		}
		e.Settings = data
	}
	return e, faults
}

// IsSHA256 reports whether text is a SHA-256 sum in hexadecimal digits.
func IsSHA256(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}

// readPlugins reads what the global configuration says of plugins.
func (c *Config) readPlugins(doc *Document) {
	c.Plugins = map[string]PluginEntry{}
	value, ok := doc.Value(keyPlugins)
	if !ok || value.IsNull() {
		return
	}
	entries, notes := value.Plugins(func(path string) (string, error) {
		if !filepath.IsAbs(path) && !strings.HasPrefix(path, "~") {
			return "", fmt.Errorf("%s: %s: %q must be an absolute path", value.Where, value.Key, path)
		}
		return Absolute(path)
	})
	c.Plugins = entries
	c.note(notes...)
}
