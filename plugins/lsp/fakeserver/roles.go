package fakeserver

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// Roles of a fake server.
const (
	Plain    = "plain"    // answers every request; a symbol is each line "def NAME" of the document that was opened
	Silent   = "silent"   // answers nothing
	Exits    = "exits"    // ends at once, with words on stderr and exit code 3
	Dies     = "dies"     // ends when it is asked for symbols, with exit code 7
	DiesOnce = "diesonce" // the same, but only while the file that the environment variable FAKE_MARK names is missing
	Slow     = "slow"     // answers a request for symbols only after it was cancelled, and says so by a log message
	Deaf     = "deaf"     // stops reading after initialize
	Stubborn = "stubborn" // ends neither on exit nor on the end of its input
	Noisy    = "noisy"    // writes lines that are no messages around its messages
	Curious  = "curious"  // asks the client everything, and answers "fake/answers" with what it was told
	Loading  = "loading"  // begins the progress "Setting up workspace" and never ends it
	Busy     = "busy"     // refuses the first two requests for symbols because the content was modified
	Sorry    = "sorry"    // refuses requests for symbols, and logs the reason afterwards
	Garbled  = "garbled"  // answers a request for symbols with something that is no message
)

// Mark names the environment variable with the path of the file that DiesOnce looks for.
const Mark = "FAKE_MARK"

type server struct {
	*wire
	role    string
	docs    map[string]string
	waiting []json.RawMessage // ids of unanswered requests
	answers map[string]json.RawMessage
	refused int
}

// Main serves stdin and stdout in a role and returns the exit code.
func Main(role string) int {
	if role == Exits {
		fmt.Fprintln(os.Stderr, "cannot open the moon")
		fmt.Fprintln(os.Stderr, "giving up")
		return 3
	}
	s := &server{wire: newWire(os.Stdin, os.Stdout), role: role, docs: map[string]string{}, answers: map[string]json.RawMessage{}}
	for {
		m, err := s.read()
		if err != nil {
			if role == Stubborn {
				select {}
			}
			return 0
		}
		if code, end := s.handle(m); end {
			return code
		}
	}
}

func (s *server) handle(m message) (code int, end bool) {
	switch {
	case s.role == Silent:
	case m.Method == "":
		s.answers[string(m.ID)] = m.outcome()
	case m.Method == "initialize":
		s.answer(m.ID, map[string]any{"capabilities": map[string]any{"documentSymbolProvider": true, "referencesProvider": true}})
		if s.role == Deaf {
			select {}
		}
	case m.Method == "initialized":
		s.greet()
	case m.Method == "textDocument/didOpen":
		s.docs[m.uri()] = m.Params.TextDocument.Text
	case m.Method == "textDocument/didChange":
		s.docs[m.uri()] = m.Params.ContentChanges[0].Text
	case m.Method == "textDocument/documentSymbol":
		return s.symbols(m)
	case m.Method == "textDocument/references":
		s.answer(m.ID, s.references(m))
	case m.Method == "$/cancelRequest":
		s.notify("window/logMessage", map[string]any{"type": 4, "message": "cancelled " + string(m.Params.ID)})
		for _, id := range s.waiting {
			s.answer(id, []any{})
		}
		s.waiting = nil
	case m.Method == "fake/answers":
		s.answer(m.ID, s.answers)
	case m.Method == "exit":
		return 0, s.role != Stubborn
	case len(m.ID) > 0:
		s.answer(m.ID, nil)
	}
	return 0, false
}

// references finds the name of a symbol in its document, the declaration included whether wanted or not, as some servers do.
func (s *server) references(m message) []any {
	lines := strings.Split(s.docs[m.uri()], "\n")
	at := m.Params.Position
	if at.Line >= len(lines) || at.Character > len(lines[at.Line]) {
		return nil
	}
	name := lines[at.Line][at.Character:]
	list := []any{}
	for i, line := range lines {
		if c := strings.Index(line, name); c >= 0 {
			pos := map[string]any{"line": i, "character": c}
			list = append(list, map[string]any{"uri": m.uri(), "range": map[string]any{"start": pos, "end": pos}})
		}
	}
	return list
}

// greet does what the role does after initialize.
func (s *server) greet() {
	switch s.role {
	case Loading:
		s.notify("$/progress", map[string]any{"token": "t", "value": map[string]any{"kind": "begin", "title": "Setting up workspace"}})
	case Curious:
		s.ask("configuration", "workspace/configuration", map[string]any{"items": []any{map[string]any{"section": "a"}, map[string]any{}}})
		s.ask("register", "client/registerCapability", map[string]any{"registrations": []any{}})
		s.ask("progress", "window/workDoneProgress/create", map[string]any{"token": 1})
		s.ask("edit", "workspace/applyEdit", map[string]any{"edit": map[string]any{}})
		s.ask("unknown", "fake/unheardOf", map[string]any{})
	}
}

func (s *server) symbols(m message) (code int, end bool) {
	switch s.role {
	case Dies:
		fmt.Fprintln(os.Stderr, "panic: no such luck")
		return 7, true
	case DiesOnce:
		if _, err := os.Stat(os.Getenv(Mark)); err != nil {
			_ = os.WriteFile(os.Getenv(Mark), nil, 0o644)
			return 7, true
		}
	case Slow:
		s.waiting = append(s.waiting, m.ID)
		return 0, false
	case Garbled:
		s.raw("Content-Length: 7\r\n\r\n{\"a\":?}")
		return 0, false
	case Sorry:
		s.refuse(m.ID, -32603, "no")
		s.notify("window/logMessage", map[string]any{"type": 1, "message": "the reason"})
		return 0, false
	case Busy:
		if s.refused < 2 {
			s.refused++
			s.refuse(m.ID, -32801, "content modified")
			return 0, false
		}
	}
	list := []any{}
	for i, line := range strings.Split(s.docs[m.uri()], "\n") {
		if name, ok := strings.CutPrefix(line, "def "); ok {
			pos := func(c int) map[string]any { return map[string]any{"line": i, "character": c} }
			list = append(list, map[string]any{"name": name, "kind": 12,
				"range":          map[string]any{"start": pos(0), "end": pos(len(line))},
				"selectionRange": map[string]any{"start": pos(4), "end": pos(len(line))}})
		}
	}
	s.answer(m.ID, list)
	return 0, false
}
