package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/sdk"
)

// readPlugins reads what the project says of plugins. It may enable, disable and set each; it may add one, which runs a program, only
// if it is trusted. A relative path is below the project's root.
func (p *Project) readPlugins(cfg *config.Config, l *layers) {
	p.Plugins, p.globalPlugins = map[string]config.PluginEntry{}, cfg.Plugins
	v, ok := l.value(keyPlugins)
	if !ok {
		return
	}
	entries, notes := v.Plugins(func(path string) (string, error) {
		if !filepath.IsAbs(path) && (path == "" || path[0] != '~') {
			path = filepath.Join(p.Root, path)
		}
		return config.Absolute(path)
	})
	l.notes = append(l.notes, notes...)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		switch {
		case e.Path != "" && !p.Trusted:
			l.notes = append(l.notes, fmt.Sprintf("%s: the path of the plugin %s is not used, because it would run a program and the project is not trusted: "+
				"add %q to trusted_project_path_patterns in serena_config.yml to trust it", e.Where, name, p.Root))
			e.Path, e.SHA256 = "", ""
		case e.Path == "" && e.SHA256 != "":
			l.notes = append(l.notes, fmt.Sprintf("%s: the sha256 of the plugin %s has no effect without its path: write it into serena_config.yml", e.Where, name))
			e.SHA256 = ""
		}
		p.Plugins[name] = e
	}
}

// PluginEnabled reports whether a plugin is on in this project: as the project says, else the global configuration, else yes.
func (p *Project) PluginEnabled(name string) bool {
	for _, entries := range []map[string]config.PluginEntry{p.Plugins, p.globalPlugins} {
		if on := entries[name].Enabled; on != nil {
			return *on
		}
	}
	return true
}

// PluginSettings is a plugin's own settings as a JSON object: the global ones, and in their place, key by key, the project's.
func (p *Project) PluginSettings(plugin string) json.RawMessage {
	merged := map[string]json.RawMessage{}
	for _, settings := range []json.RawMessage{p.globalPlugins[plugin].Settings, p.Plugins[plugin].Settings} {
		_ = json.Unmarshal(settings, &merged) // an object, or nothing
	}
	data, err := json.Marshal(merged)
	if err != nil { // what was JSON before
		return json.RawMessage("{}")
	}
	return data
}

// SettingsFor is what a plugin is told of the project's configuration: sdk.ProjectSettings as JSON. What is said of language servers, which
// can hold secrets, is for built-in plugins alone.
func (p *Project) SettingsFor(builtin bool) json.RawMessage {
	s := p.settings
	if !builtin {
		s.LanguageServers, s.AutoInstall = nil, false
	}
	data, err := json.Marshal(s)
	if err != nil { // load has marshalled it
		return json.RawMessage("{}")
	}
	return data
}

// marshals reports settings that JSON cannot hold.
func marshals(s sdk.ProjectSettings) error {
	_, err := json.Marshal(s)
	return err
}
