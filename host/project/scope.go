package project

import "github.com/serena-go/serena/host/config"

// readScope reads what the project says of facades, tools and modes.
func (p *Project) readScope(l *layers) {
	p.Scope = config.ProjectScope{
		ScopeSource: config.ReadScope("project "+p.Name, l.texts),
		AddedModes:  l.texts(keyAddedModes), Folder: p.Root,
	}
	if v, ok := l.value(keyBaseModes); ok {
		l.notes = append(l.notes, v.Where+": base_modes has no effect in a project: name modes in default_modes, in the place of the global ones, or in added_modes")
	}
	if _, ok := l.value(keyDefaultModes); ok {
		p.Scope.DefaultModes = append([]string{}, l.texts(keyDefaultModes)...) // [] is none, and not the global ones
	}
}
