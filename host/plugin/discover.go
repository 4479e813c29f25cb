package plugin

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serena-go/serena/host/config"
	"github.com/serena-go/serena/sdk"
)

// Cached tells what third parties' plugins there are, and starts nothing: specs holds those whose manifest is known for the
// executable as it is now, unknown the paths of those that must be asked (Probe). Executables that were asked before and are no plugins are
// in neither; Refused tells of them.
//
// A plugin is an executable file in the home's folder "plugins" or one of Config.PluginFolders, or an executable "plugin" in a folder there.
// Names that begin with a dot are passed over. Both results are ordered by path within each folder.
func Cached(cfg *config.Config) (specs []Spec, unknown []string) {
	specs, unknown, _ = discover(cfg)
	return specs, unknown
}

// Refused tells why executables and folders in the plugin folders are not used, each error once.
func Refused(cfg *config.Config) []error {
	_, _, faults := discover(cfg)
	return faults
}

func discover(cfg *config.Config) (specs []Spec, unknown []string, faults []error) {
	paths, faults := executables(cfg)
	for _, path := range paths {
		id, err := identify(path)
		if err != nil {
			continue // it went away just now
		}
		e, known := remembered(cfg, id)
		if !known {
			unknown = append(unknown, path)
			continue
		}
		spec, err := e.spec()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if n := slices.IndexFunc(specs, func(s Spec) bool { return s.Name == spec.Name }); n >= 0 {
			faults = append(faults, sdk.Errorf(sdk.KindRuntime, "%s and %s are both a plugin named %s; the first one is used: remove or rename one", specs[n].Path, path, spec.Name))
			continue
		}
		specs = append(specs, spec)
	}
	return specs, unknown, faults
}

// executables lists the plugin executables, and the folders that cannot be read.
func executables(cfg *config.Config) (paths []string, faults []error) {
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
			path := filepath.Join(folder, e.Name())
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				path = filepath.Join(path, "plugin"+executableSuffix)
			}
			if isExecutable(path) && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return paths, faults
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && mayRun(path, info)
}
