// Package scaffold writes a small plugin as a Go module of its own, to begin with.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/serena-go/serena/sdk"
)

//go:embed files
var files embed.FS

// Options of a new plugin.
type Options struct {
	Name    string   // of the plugin, its facade and its folder
	Parent  string   // the folder in which the plugin's folder is made
	SDK     string   // folder of a checkout of serena to build against; "": a released version
	Version string   // the released version, such as v1.2.0; "": the newest
	Taken   []string // names that a plugin cannot have
}

// Write makes the plugin's folder, whole or not at all, and returns its path. It overwrites nothing.
func Write(o Options) (string, error) {
	if err := checkName(o.Name, o.Taken); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(filepath.Join(o.Parent, o.Name))
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(folder); err == nil {
		return "", sdk.Errorf(sdk.KindFileExists, "%s is there already and is left as it is: choose another name, or remove it", folder)
	}
	module, sums, err := goModule(o)
	if err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(folder), "."+o.Name+"-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp) // once renamed it is not there any more
	if err := fill(temp, o, module, sums); err != nil {
		return "", err
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		return "", err
	}
	return folder, os.Rename(temp, folder)
}

func fill(folder string, o Options, module string, sums []byte) error {
	all := map[string][]byte{"go.mod": []byte(module)}
	if sums != nil {
		all["go.sum"] = sums
	}
	data := struct {
		Name string
		Tidy bool
	}{o.Name, o.SDK == ""}
	entries, err := fs.ReadDir(files, "files")
	if err != nil {
		return err
	}
	for _, e := range entries {
		t, err := template.ParseFS(files, "files/"+e.Name())
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, data); err != nil {
			return err
		}
		all[strings.TrimSuffix(e.Name(), ".tmpl")] = text.Bytes()
	}
	for name, content := range all {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses what is no Python identifier, with one that is.
func checkName(name string, taken []string) error {
	if slices.Contains(taken, name) {
		return sdk.Errorf(sdk.KindValue, "the name %s is taken by serena itself: choose another, such as my_%s", name, name)
	}
	if (sdk.Manifest{Name: name}).Validate() == nil {
		return nil
	}
	return sdk.Errorf(sdk.KindValue, "%q cannot be a plugin's name, which must be a Python identifier and no keyword: try %s", name, nearestName(name, taken))
}

var (
	noLetter = regexp.MustCompile(`[^A-Za-z0-9_]+`)
	upper    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

func nearestName(name string, taken []string) string {
	name = strings.Trim(noLetter.ReplaceAllString(name, "_"), "_")
	if (sdk.Manifest{Name: name}).Validate() != nil || slices.Contains(taken, name) {
		name = strings.TrimRight("my_"+name, "_")
	}
	return strings.ToLower(upper.ReplaceAllString(name, "${1}_${2}"))
}

const sdkModule = "github.com/serena-go/serena"

var (
	moduleLine  = regexp.MustCompile(`(?m)^module\s+(\S+)\s*$`)
	goLine      = regexp.MustCompile(`(?m)^go\s+\S+\s*$`)
	requireLine = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+)\s+(v\S+)(?:\s*//.*)?\s*$`)
)

// goModule is the text of go.mod, and of go.sum where it is known: against a checkout it requires what that requires, so that nothing has to be
// looked up.
func goModule(o Options) (module string, sums []byte, err error) {
	var b strings.Builder
	fmt.Fprintf(&b, "module example.org/%s\n\n", o.Name)
	if o.SDK == "" {
		fmt.Fprint(&b, "go 1.26.0\n")
		if o.Version != "" {
			fmt.Fprintf(&b, "\nrequire %s %s\n", sdkModule, o.Version)
		}
		return b.String(), nil, nil
	}
	dir, err := filepath.Abs(o.SDK)
	if err != nil {
		return "", nil, err
	}
	theirs, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	if name := moduleLine.FindSubmatch(theirs); name == nil || string(name[1]) != sdkModule {
		return "", nil, sdk.Errorf(sdk.KindValue, "%s is no checkout of serena: its go.mod must say \"module %s\"", dir, sdkModule)
	}
	if sums, err = os.ReadFile(filepath.Join(dir, "go.sum")); err != nil {
		return "", nil, err
	}
	fmt.Fprintf(&b, "%s\n\nrequire %s v0.0.0\n\nrequire (\n", strings.TrimSpace(string(goLine.Find(theirs))), sdkModule)
	for _, m := range requireLine.FindAllSubmatch(theirs, -1) {
		fmt.Fprintf(&b, "\t%s %s // indirect\n", m[1], m[2])
	}
	fmt.Fprintf(&b, ")\n\nreplace %s => %s\n", sdkModule, quotePath(dir))
	return b.String(), sums, nil
}

// quotePath writes a path as go.mod wants it.
func quotePath(path string) string {
	if strings.ContainsAny(path, " \t()[]{},\"'`") || strings.Contains(path, "//") {
		return fmt.Sprintf("%q", path)
	}
	return path
}
