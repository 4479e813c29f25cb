package mcp

import (
	"fmt"
	"strings"

	"github.com/serena-go/serena/host/session"
)

// instructions is what a client gives its model at the start: how to begin, and what is wrong already.
func (s *Server) instructions() string {
	text := "serena is an IDE for coding agents. Begin with the tool initial_instructions: it gives you a session id. " +
		"Then run Python cells with serena_repl(session_id, code) against the object `s`; s.info() tells what it offers."
	if place := s.host.Sessions.Place(); place.Fault != nil {
		text += "\n" + s.host.DescribePlace(place)
	}
	return text
}

// manual is the answer of initial_instructions.
func (s *Server) manual(sess *session.Session) string {
	scope := sess.Scope() // before the notes, which tell of it
	var b strings.Builder
	fmt.Fprintf(&b, "session_id: %s\n\n%s\n", sess.ID, s.host.DescribePlace(sess.Place()))
	for _, n := range s.host.Notes() {
		b.WriteString("Note: " + n + "\n")
	}
	b.WriteString(`
Work in cells: serena_repl(session_id, code). Each cell is Python; s is the entry point. Names persist in the session; the
last expression's value is the answer, shown as text. Results are objects: iterate over them, read their attributes.
Lines and columns are 0-based, end lines inclusive, paths relative to the project root.
Do several things in one cell, and return only what you need. Read before you edit; an edit that fails changes nothing.
`)
	if f := scope.Registry().Facade("lsp"); f != nil && scope.Available(f) {
		b.WriteString("Prefer symbols (s.lsp, s.edit.replace_symbol_body) to whole files, and patterns to reading file after file.\n")
	}
	b.WriteString("\nFacades, with their methods and the types they return:\n")
	b.WriteString(scope.Overview())
	b.WriteString("\nDocumentation: s.info(\"facade\") before you first use one; s.info(\"facade.method\"), s.info(\"Type\") for more.\n")
	return b.String()
}
