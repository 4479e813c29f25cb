package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/serena-go/serena/host/project"
	"github.com/serena-go/serena/host/session"
	"github.com/serena-go/serena/sdk"
)

// Overview is what a model is told of the facades before it asks: tier 0 of the built-in plugins for the start's
// configuration.
func (h *Host) Overview(p *project.Project) string { return h.offers.builtinScope(p).Overview() }

// Notes lists the faults and remarks of the start that users shall see.
func (h *Host) Notes() []string { return h.offers.told() }

// DescribePlace says which project is active, or why there is none and what to do.
func (h *Host) DescribePlace(p session.Place) string {
	switch {
	case p.Fault != nil:
		return "No project is active: " + sdk.AsError(p.Fault).Message + "\nCall activate_project with the path of a project before you work on files."
	case p.Project == nil:
		return "No project is active yet. Call activate_project with the path of a project before you work on files."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Active project: %s (%s)", p.Project.Name, p.Project.Root)
	if p.Project.ReadOnly {
		b.WriteString(", read-only: editing methods are refused")
	}
	if p.Project.Backend != h.Config.Backend {
		b.WriteString(", language backend: " + p.Project.Backend)
	}
	for _, n := range ProjectNotes(p) {
		b.WriteString("\nNote: " + n)
	}
	if p.Project.InitialPrompt != "" {
		b.WriteString("\n" + p.Project.InitialPrompt)
	}
	return b.String()
}

// ProjectNotes lists what users shall see of the project of a place: faults of its configuration for one.
func ProjectNotes(p session.Place) []string {
	if p.Project == nil {
		return nil
	}
	return slices.Concat(p.Project.Notes, p.Project.Files.Notes())
}

// Probe asks third parties' plugins that are not known yet for their declarations. It may take seconds and is meant for
// the background, after the first answer.
func (h *Host) Probe(ctx context.Context) {
	h.awake.Store(true)
	h.offers.probe(ctx, h.Sessions.Place().Project)
	h.report()
}

// Examine looks at what is allowed in a project and returns what is there to be told of it for the first time.
func (h *Host) Examine(p *project.Project) []string {
	told := len(h.Notes())
	h.look(p)
	return h.Notes()[told:]
}

// report tells early, and on stderr, what the configuration names and is not there.
func (h *Host) report() { h.look(h.Sessions.Place().Project) }

// look makes the scope of a project, which notes what is named in vain.
func (h *Host) look(p *project.Project) {
	if h.Classic() {
		h.offers.toolScope(p)
	} else {
		h.offers.scope(p)
	}
}
