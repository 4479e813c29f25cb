package config

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/internal/quoted"
)

// DefaultContext is the context of a client that names none.
const DefaultContext = "desktop-app"

var defaultBaseModes = []string{"interactive", "editing"}

// builtin holds the contexts and modes of this version, which files of the same name in the Serena home replace.
//
//go:embed profiles
var builtin embed.FS

// Profile is a context or mode: what kind of client works, or how it is to work. Of its files the lists of facades and tools are
// read, and whether a client works on one project alone.
type Profile struct {
	Name          string
	File          string // absolute; "": built in
	Scope         ScopeSource
	SingleProject bool // of a context: the project of the start is the only one
}

// kind is one of the two kinds of profiles.
type kind struct {
	noun    string   // "context"
	folder  string   // of the Serena home, and of the built-in ones
	keys    []string // that its files may have
	aliases map[string]string
}

var (
	contexts = kind{
		noun: "context", folder: "contexts", aliases: map[string]string{"ide-assistant": "claude-code"},
		keys: slices.Concat(ScopeKeys, []string{"name", "description", "prompt", "tool_description_overrides", "single_project", "structured_tool_output"}),
	}
	modes = kind{noun: "mode", folder: "modes", keys: slices.Concat(ScopeKeys, []string{"name", "description", "prompt"})}
)

// profile finds a context or mode: by path where the name has a separator or ends in .yml or .yaml, relative to folder ("": the working
// directory), else among the user's own, else among the built-in ones. An error says that there is none; a file that is there and
// makes no sense is told in the notes.
func (c *Config) profile(k kind, name, folder string) (Profile, []string, error) {
	file, err := c.profileFile(k, name, folder)
	if err != nil {
		return Profile{}, nil, err
	}
	p := Profile{Name: name, File: file}
	doc := &Document{File: file}
	if file == "" {
		if to, ok := k.aliases[name]; ok {
			p.Name = to
		}
		data, err := builtin.ReadFile(path.Join("profiles", k.folder, p.Name+".yml"))
		if err != nil {
			return Profile{}, nil, c.unknownProfile(k, name)
		}
		doc.File = k.noun + " " + p.Name
		if err := doc.parse(data); err != nil {
			return Profile{}, nil, err
		}
	} else {
		p.Name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".yml"), ".yaml")
		if doc, err = ReadDocument(file); err != nil {
			p.Scope.Origin = k.noun + " " + p.Name
			return p, []string{fmt.Sprintf("%s %s: %v; nothing that it says has an effect", k.noun, p.Name, err)}, nil
		}
	}
	return readProfile(k, p, doc)
}

// readProfile takes from a profile's file what is used.
func readProfile(k kind, p Profile, doc *Document) (Profile, []string, error) {
	c := &Config{} // collects the notes
	if value, ok := doc.Value("name"); ok && !value.IsNull() {
		name, err := value.Text()
		if err != nil {
			c.note(err.Error())
		} else if name != "" {
			p.Name = name
		}
	}
	origin := k.noun + " " + p.Name
	if p.File != "" {
		origin += " (" + p.File + ")"
	}
	if value, ok := doc.Value("single_project"); ok && k.noun == contexts.noun && !value.IsNull() {
		single, err := value.Bool()
		if err != nil {
			c.note(err.Error())
		}
		p.SingleProject = single
	}
	p.Scope = ReadScope(origin, func(key string) []string { return c.texts(doc, key) })
	c.note(doc.UnknownKeys(k.keys)...)
	return p, c.Notes, nil
}

// longestName is how long a file's path can be, in bytes.
const longestName = 4096

// profileFile returns the file that a name stands for; "" for one that only a built-in profile can have.
func (c *Config) profileFile(k kind, name, folder string) (string, error) {
	if len(name) > longestName {
		return "", c.unknownProfile(k, name)
	}
	ext := filepath.Ext(name)
	if strings.ContainsAny(name, `/\`) || ext == ".yml" || ext == ".yaml" {
		file := name
		if !filepath.IsAbs(name) && !strings.HasPrefix(name, "~") && folder != "" {
			file = filepath.Join(folder, name)
		}
		file, err := Absolute(file)
		if err != nil {
			return "", err
		}
		if _, err := os.Stat(file); err != nil {
			return "", fmt.Errorf("there is no %s file %s: %w", k.noun, file, errors.Unwrap(err))
		}
		return file, nil
	}
	for _, ext := range []string{".yml", ".yaml"} {
		file := filepath.Join(c.Home, k.folder, name+ext)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return file, nil
		}
	}
	return "", nil
}

func (c *Config) unknownProfile(k kind, name string) error {
	var names []string
	own, _ := os.ReadDir(filepath.Join(c.Home, k.folder)) // a folder that is missing has none
	others, _ := builtin.ReadDir(path.Join("profiles", k.folder))
	for _, e := range slices.Concat(own, others) {
		base, isYAML := strings.CutSuffix(strings.Replace(e.Name(), ".yaml", ".yml", 1), ".yml")
		if isYAML && !slices.Contains(names, base) {
			names = append(names, base)
		}
	}
	slices.Sort(names)
	hint := "."
	if best, ok := nearest.Best(name, names); ok {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return fmt.Errorf("there is no %s %s%s There are: %s", k.noun, quoted.Short(name), hint, strings.Join(names, ", "))
}
