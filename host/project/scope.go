package project

import "github.com/serena-go/serena/host/config"

// readScope reads what the project says of facades, tools and modes.
func (p *Project) readScope(l *layers) {
	p.Scope = config.ProjectScope{
		ScopeSource: config.ReadScope("project "+p.Name, l.texts),
		AddedModes:  l.texts(keyAddedModes), Folder: p.Root,
	}
	if _, ok := l.value(keyDefaultModes); ok {
		p.Scope.DefaultModes = append([]string{}, l.texts(keyDefaultModes)...) // [] is none, and not the global ones
	}
}
