package protocol

import "encoding/json"

// Position is a place in a document: 0-based line, 0-based UTF-16 units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is half open: End is the first place that does not belong to it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range in a document.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// TextDocument names a document.
type TextDocument struct {
	URI string `json:"uri"`
}

// DocumentParams are the parameters of requests about a whole document.
type DocumentParams struct {
	TextDocument TextDocument `json:"textDocument"`
}

// PositionParams are the parameters of requests about a place.
type PositionParams struct {
	TextDocument TextDocument `json:"textDocument"`
	Position     Position     `json:"position"`
}

// ReferenceParams are the parameters of textDocument/references.
type ReferenceParams struct {
	TextDocument TextDocument     `json:"textDocument"`
	Position     Position         `json:"position"`
	Context      ReferenceContext `json:"context"`
}

// ReferenceContext says whether the declaration counts as a reference.
type ReferenceContext struct {
	IncludeDeclaration bool `json:"includeDeclaration"`
}

// DocumentSymbol is one symbol of textDocument/documentSymbol's answer. A server that answers with a flat list gives
// Location instead of the two ranges; see Normal.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Kind           int              `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange *Range           `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children"`
	Location       *Location        `json:"location"`
}

// Normal returns the range of the whole symbol and that of its identifier, whatever form the answer has.
func (s DocumentSymbol) Normal() (whole, identifier Range) {
	whole = s.Range
	if s.Location != nil {
		whole = s.Location.Range
	}
	if s.SelectionRange != nil {
		return whole, *s.SelectionRange
	}
	return whole, whole
}

// Hover is the answer of textDocument/hover.
type Hover struct {
	Contents json.RawMessage `json:"contents"`
}

// Text returns the hover's text: a string, marked-up content or a list of such, joined by line breaks.
func (h Hover) Text() string { return hoverText(h.Contents) }

func hoverText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var marked struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(raw, &marked) == nil {
		return marked.Value
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	for _, e := range list {
		if t := hoverText(e); t != "" {
			if text != "" {
				text += "\n"
			}
			text += t
		}
	}
	return text
}

// DidOpen are the parameters of textDocument/didOpen.
type DidOpen struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// TextDocumentItem is a document with its text.
type TextDocumentItem struct {
	URI        string `json:"uri"`
	LanguageID string `json:"languageId"`
	Version    int    `json:"version"`
	Text       string `json:"text"`
}

// DidChange are the parameters of textDocument/didChange; each change is the whole text.
type DidChange struct {
	TextDocument   VersionedDocument `json:"textDocument"`
	ContentChanges []FullText        `json:"contentChanges"`
}

// VersionedDocument names a document in a version.
type VersionedDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// FullText is a content change without a range.
type FullText struct {
	Text string `json:"text"`
}

// DidChangeWatchedFiles are the parameters of workspace/didChangeWatchedFiles.
type DidChangeWatchedFiles struct {
	Changes []FileEvent `json:"changes"`
}

// FileEvent tells what happened to a file.
type FileEvent struct {
	URI  string `json:"uri"`
	Type int    `json:"type"`
}

// Types of file events.
const (
	FileCreated = 1
	FileChanged = 2
	FileDeleted = 3
)

// WorkspaceFolder is a root given to a server.
type WorkspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}
