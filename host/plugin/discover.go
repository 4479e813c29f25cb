package plugin

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/sdk"
)

// Found is what was found where a third party's plugin can lie.
type Found struct {
	File     string // the name under which it was found: of `plugins: NAME: path:`, else of the file or folder
	Path     string // of the executable, absolute
	SHA256   string // what its bytes must have, by the configuration; "": not checked
	Explicit bool   // the configuration names its path
	Ignored  string // why it is no executable at all; "": it is one
	Known    bool   // its manifest, or the fault of it, is known for the executable as it is now
	Spec     Spec   // if Known and without Fault
	Fault    error  // why it is not used
}

// Name is the plugin's name; that of the file as long as the manifest is not known.
func (f Found) Name() string {
	if f.Spec.Name != "" {
		return f.Spec.Name
	}
	return f.File
}

// EnabledBy reports what entries say of a plugin that was found: by the name of its file, or its own.
func (f Found) EnabledBy(entries map[string]config.PluginEntry) (on, said bool) {
	for _, name := range []string{f.File, f.Spec.Name} {
		if e := entries[name].Enabled; e != nil {
			return *e, true
		}
	}
	return true, false
}

// Again is the Found without what is remembered of it, where that may no longer hold although the executable is the same: it was no plugin when it
// was asked, or is a script, whose program may have changed.
func (f Found) Again() Found {
	if f.Ignored != "" || !f.Known || whyNoExecutable(f.Path) != "" || f.Fault == nil && !isScript(f.Path) {
		return f
	}
	return Found{File: f.File, Path: f.Path, SHA256: f.SHA256, Explicit: f.Explicit}
}

func isScript(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(f, start)
	return err == nil && string(start) == "#!"
}

// Survey tells what third parties' plugins there are by the global configuration, and starts nothing: one Found for each `plugins: NAME: path:`, and
// one for each entry of the home's folder "plugins" and of Config.PluginFolders: an executable file, or a folder with an executable "plugin".
// Names that begin with a dot are passed over. Those with a path come first, by name; the others by path within each folder.
//
// The faults are those of folders that cannot be read.
func Survey(cfg *config.Config) (all []Found, faults []error) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Plugins)) {
		if e := cfg.Plugins[name]; e.Path != "" {
			all = append(all, explicit(cfg, name, e))
		}
	}
	listed, faults := entries(cfg)
	for _, f := range listed {
		if slices.ContainsFunc(all, func(o Found) bool { return o.Path == f.Path }) {
			continue
		}
		f.SHA256 = cfg.Plugins[f.File].SHA256
		all = append(all, f.look(cfg))
	}
	OnePerName(all)
	return all, faults
}

// OnePerName makes a plugin a fault if one before it has its name.
func OnePerName(all []Found) {
	for i := range all {
		all[i].onlyOne(all[:i])
	}
}

// SurveyProject tells of the plugins that a project adds, which it can only do if it is trusted.
func SurveyProject(cfg *config.Config, p *project.Project) []Found {
	var all []Found
	for _, name := range slices.Sorted(maps.Keys(p.Plugins)) {
		if e := p.Plugins[name]; e.Path != "" {
			all = append(all, explicit(cfg, name, e))
		}
	}
	return all
}

func explicit(cfg *config.Config, name string, e config.PluginEntry) Found {
	f := Found{File: name, Path: e.Path, SHA256: e.SHA256, Explicit: true}
	if info, err := os.Stat(f.Path); err == nil && info.IsDir() {
		f.Path = filepath.Join(f.Path, "plugin"+executableSuffix)
	}
	if why := whyNoExecutable(f.Path); why != "" {
		f.Known, f.Fault = true, sdk.Errorf(sdk.KindFileNotFound, "the plugin %s cannot be used: %s %s; correct plugins.%s.path (%s)", name, f.Path, why, name, e.Where)
		return f
	}
	return f.look(cfg)
}

// entries lists what lies in the plugin folders, without a look at what is remembered.
func entries(cfg *config.Config) (all []Found, faults []error) {
	own := filepath.Join(cfg.Home, "plugins")
	for _, folder := range append([]string{own}, cfg.PluginFolders...) {
		entries, err := os.ReadDir(folder)
		if err != nil && !(folder == own && errors.Is(err, fs.ErrNotExist)) {
			faults = append(faults, sdk.Errorf(sdk.KindRuntime, "the plugins in %s cannot be found: %w; correct plugin_folders or the folder", folder, err))
		}
		for _, e := range entries { // sorted by name
			if strings.HasPrefix(e.Name(), ".") {
				continue
			}
			f := Found{File: strings.TrimSuffix(e.Name(), executableSuffix), Path: filepath.Join(folder, e.Name())}
			if info, err := os.Stat(f.Path); err == nil && info.IsDir() {
				f.File, f.Path = e.Name(), filepath.Join(f.Path, "plugin"+executableSuffix)
			}
			f.Ignored = whyNoExecutable(f.Path)
			if !slices.ContainsFunc(all, func(o Found) bool { return o.Path == f.Path }) {
				all = append(all, f)
			}
		}
	}
	return all, faults
}

func whyNoExecutable(path string) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is not there"
	case err != nil:
		return fmt.Sprintf("cannot be looked at (%v)", err)
	case !info.Mode().IsRegular():
		return "is no file"
	case !mayRun(path, info):
		return "is not executable: chmod +x it if it is a plugin"
	}
	return ""
}

// look adds what is remembered of the executable as it is now.
func (f Found) look(cfg *config.Config) Found {
	if f.Ignored != "" {
		return f
	}
	id, err := identify(f.Path)
	if err != nil {
		f.Ignored = "is not there" // it went away just now
		return f
	}
	if e, ok := remembered(cfg, id); ok {
		f = f.with(cfg, e)
	}
	return f
}

// with takes what is remembered of the executable, if it is enough.
func (f Found) with(cfg *config.Config, e entry) Found {
	if f.SHA256 != "" {
		switch {
		case e.SHA256 == "":
			return f // its sum has to be taken first
		case !strings.EqualFold(e.SHA256, f.SHA256):
			f.Known, f.Fault = true, changed(f.File, f.Path, f.SHA256, e.SHA256)
			return f
		}
	}
	if e.Fault == "" && e.Manifest == nil {
		return f // its sum was taken, and no more
	}
	f.Known = true
	if f.Spec, f.Fault = e.spec(); f.Fault != nil {
		return f
	}
	f.Spec.SHA256 = f.SHA256
	switch said := cfg.Plugins[f.Spec.Name].SHA256; {
	case f.Explicit && f.Spec.Name != f.File:
		f.Fault = sdk.Errorf(sdk.KindValue, "the plugin at %s is named %s, not %s: correct its name below plugins: in the configuration", f.Path, f.Spec.Name, f.File)
	case f.Explicit || f.SHA256 != "" || said == "":
	case e.SHA256 == "":
		f.SHA256, f.Known, f.Spec = said, false, Spec{} // it calls itself by a name that has a sum
	case !strings.EqualFold(e.SHA256, said):
		f.Fault = changed(f.Spec.Name, f.Path, said, e.SHA256)
	default:
		f.SHA256, f.Spec.SHA256 = said, said
	}
	return f
}

func (f *Found) onlyOne(others []Found) {
	if f.Spec.Name == "" || f.Fault != nil {
		return
	}
	for _, o := range others {
		if o.Spec.Name == f.Spec.Name && o.Fault == nil {
			f.Fault = sdk.Errorf(sdk.KindRuntime, "%s and %s are both a plugin named %s; the first one is used: remove or rename one", o.Path, f.Path, f.Spec.Name)
			return
		}
	}
}
