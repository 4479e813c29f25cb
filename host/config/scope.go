package config

import "slices"

// The keys by which a level of the configuration rules facades (REPL interface) and classic tools; they are the same in every file.
const (
	keyIncludedAPIs  = "included_apis"
	keyExcludedAPIs  = "excluded_apis"
	keyIncludedTools = "included_optional_tools"
	keyExcludedTools = "excluded_tools"
	keyFixedTools    = "fixed_tools"
)

// ScopeKeys are the keys that ReadScope reads.
var ScopeKeys = []string{keyIncludedAPIs, keyExcludedAPIs, keyIncludedTools, keyExcludedTools, keyFixedTools}

// ScopeSource is what one level of the configuration says of facades and classic tools. Nobody knows here which of them exist.
type ScopeSource struct {
	Origin string // for messages: "the global configuration", "mode planning"

	ExcludedAPIs []string // "facade" or "facade.method"
	IncludedAPIs []string // likewise

	ExcludedTools         []string
	IncludedOptionalTools []string
	FixedTools            []string
}

// ReadScope reads a level's lists; texts returns what a key is set to.
func ReadScope(origin string, texts func(key string) []string) ScopeSource {
	return ScopeSource{
		Origin: origin, ExcludedAPIs: texts(keyExcludedAPIs), IncludedAPIs: texts(keyIncludedAPIs),
		ExcludedTools: texts(keyExcludedTools), IncludedOptionalTools: texts(keyIncludedTools), FixedTools: texts(keyFixedTools),
	}
}

// ProjectScope is what a project's own files say of facades, tools and modes.
type ProjectScope struct {
	ScopeSource
	DefaultModes []string // in the place of the global ones; nil: not said
	AddedModes   []string // beside them
	Folder       string   // relative paths of modes begin there
}

// Modes are names of modes, or paths of their files.
type Modes struct {
	Base    []string // always active
	Default []string // active unless the project names its own
	Added   []string // by the command line, beside whichever are the default
	Chosen  bool     // the command line named the default ones, so that no project replaces them
}

// ScopeSources lists what each level says, in the order in which it counts: the global configuration, the context, the active modes,
// the project (nil: none). The notes tell of modes that are not there or make no sense.
func (c *Config) ScopeSources(project *ProjectScope) (sources []ScopeSource, notes []string) {
	sources = []ScopeSource{c.Scope, c.Context.Scope}
	for _, m := range c.activeModes(project) {
		mode, faults, err := c.profile(modes, m.name, m.folder)
		if err != nil {
			faults = append(faults, m.origin+": "+err.Error()+"; it has no effect")
		} else if !slices.ContainsFunc(sources, func(s ScopeSource) bool { return s.Origin == mode.Scope.Origin }) {
			sources = append(sources, mode.Scope)
		}
		notes = append(notes, faults...)
	}
	if project != nil {
		sources = append(sources, project.ScopeSource)
	}
	return sources, notes
}

// mostModes is how many modes can be active. Each is looked for on the disk.
const mostModes = 100

// chosenMode is a mode as somebody named it.
type chosenMode struct {
	name, folder, origin string
}

// activeModes are the base modes, then those that the command line, else the project, else the global configuration has as its default, then
// the added ones.
func (c *Config) activeModes(project *ProjectScope) (active []chosenMode) {
	add := func(names []string, folder, origin string) {
		for _, name := range names {
			if m := (chosenMode{name, folder, origin}); len(active) < mostModes && !slices.Contains(active, m) {
				active = append(active, m)
			}
		}
	}
	add(c.Modes.Base, c.Home, c.Scope.Origin)
	switch {
	case c.Modes.Chosen:
		add(c.Modes.Default, "", "--mode")
	case project != nil && project.DefaultModes != nil:
		add(project.DefaultModes, project.Folder, project.Origin)
	default:
		add(c.Modes.Default, c.Home, c.Scope.Origin)
	}
	if project != nil {
		add(project.AddedModes, project.Folder, project.Origin)
	}
	add(c.Modes.Added, "", "--add-mode")
	return active
}

// readScopes reads what the global configuration says of the scope and which context and modes are chosen. Only a context or mode
// that the command line names and that is not there is an error.
func (c *Config) readScopes(doc *Document, opts Options) error {
	texts := func(key string) []string { return c.texts(doc, key) }
	c.Scope = ReadScope("the global configuration", texts)
	c.Modes = Modes{Base: defaultBaseModes, Default: texts(keyDefaultModes), Added: opts.AddedModes}
	if value, ok := doc.Value(keyBaseModes); ok && !value.IsNull() {
		c.Modes.Base = texts(keyBaseModes)
	}
	if opts.Modes != nil {
		c.Modes.Default, c.Modes.Chosen = opts.Modes, true
	}
	name := opts.Context
	if name == "" {
		name = DefaultContext
	}
	context, notes, err := c.profile(contexts, name, "")
	if err != nil {
		return err
	}
	c.Context = context
	c.note(notes...)
	for _, name := range slices.Concat(opts.Modes, opts.AddedModes) {
		if _, _, err := c.profile(modes, name, ""); err != nil {
			return err
		}
	}
	return nil
}
