package lsp

import (
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/plugins/lsp/symbols"
)

// LanguageServerSymbol is one symbol of a file.
type LanguageServerSymbol struct {
	Name         string                 `json:"name"`
	NamePath     string                 `json:"name_path" doc:"path in the file's symbol tree; finds this symbol again together with relative_path"`
	Kind         SymbolKind             `json:"kind"`
	KindName     string                 `json:"kind_name"`
	RelativePath string                 `json:"relative_path"`
	Line         int                    `json:"line" doc:"0-based line of the identifier"`
	Column       int                    `json:"column" doc:"0-based column of the identifier, in code points"`
	StartLine    int                    `json:"start_line" doc:"0-based first line of the body"`
	EndLine      int                    `json:"end_line" doc:"0-based last line of the body, inclusive"`
	Body         *string                `json:"body,omitempty" lazy:"symbol_body_" doc:"the whole statement; a StaleError if it was not asked for with include_body and the file changed since"`
	Info         *string                `json:"info,omitempty" doc:"signature and documentation; None unless include_info was given"`
	Children     []LanguageServerSymbol `json:"children,omitempty" doc:"as deep as depth asked for"`
	Parent       **LanguageServerSymbol `json:"parent,omitempty" lazy:"symbol_parent_" doc:"the symbol that holds this one, None at the top level; a StaleError if the file changed since"`

	// What lazy members are fetched by. Children have their parent's file, all symbols of an answer its project.
	Root  string `json:"root_,omitempty" inherit:"true"` // of the project
	Hash  string `json:"hash_,omitempty" inherit:"true"` // the first digits of the file's Base
	Range [2]int `json:"range_"`                         // of the body, in bytes
}

// topLevel is the parent of a symbol that has none.
var topLevel = new(*LanguageServerSymbol)

// TypeDoc documents the type.
func (LanguageServerSymbol) TypeDoc() string {
	return "A symbol (function, type, constant …) of a file."
}

// LspSymbolCollection is a list of symbols.
type LspSymbolCollection struct {
	Symbols  []LanguageServerSymbol `json:"symbols" items:"true" doc:"in the order of files and, in a file, of the text"`
	Complete bool                   `json:"complete" doc:"False: notes say what is missing"`
	Notes    []string               `json:"notes" doc:"why the list is empty or not complete"`
	Root     string                 `json:"root_,omitempty"`
}

// TypeDoc documents the type.
func (LspSymbolCollection) TypeDoc() string {
	return "Symbols; iterating and indexing give LanguageServerSymbol."
}

// ReferenceInLanguageServerSymbol is one place that refers to a symbol.
type ReferenceInLanguageServerSymbol struct {
	Symbol       LanguageServerSymbol `json:"symbol" doc:"the innermost function, type, constant … around the place; of kind File where there is none"`
	RelativePath string               `json:"relative_path"`
	Line         int                  `json:"line" doc:"0-based line of the reference"`
	Column       int                  `json:"column" doc:"0-based, in code points"`
	Content      string               `json:"content" doc:"the line with one line around, where there is one"`
	Root         string               `json:"root_,omitempty" inherit:"true"`
}

// TypeDoc documents the type.
func (ReferenceInLanguageServerSymbol) TypeDoc() string {
	return "A reference to a symbol, with the symbol that contains it."
}

// LspReferenceCollection is a list of references.
type LspReferenceCollection struct {
	References []ReferenceInLanguageServerSymbol `json:"references" items:"true" doc:"in the order of files and, in a file, of the text"`
	Complete   bool                              `json:"complete" doc:"False: notes say what is missing"`
	Notes      []string                          `json:"notes" doc:"why the list is empty or not complete"`
	Root       string                            `json:"root_,omitempty"`
}

// TypeDoc documents the type.
func (LspReferenceCollection) TypeDoc() string {
	return "References; iterating and indexing give ReferenceInLanguageServerSymbol."
}

// fileKindPath is the name path of a file that stands for a symbol, because nothing smaller contains a reference.
const fileKindPath = "<file>"

// detail says what a symbol of a result holds.
type detail struct {
	body  bool
	depth int                     // of children
	keep  func(symbols.Kind) bool // children to keep; nil: all
}

// newSymbol makes a result's symbol. Whoever puts it into no collection gives it its Root.
func newSymbol(src *source, t *symbols.Tree, n *symbols.Node, d detail) LanguageServerSymbol {
	s := describe(src.rel, t, n, d)
	s.Hash = src.hash()
	return s
}

func describe(rel string, t *symbols.Tree, n *symbols.Node, d detail) LanguageServerSymbol {
	ident, first, last := t.Index.PosAt(n.Ident), t.Index.PosAt(n.Start), t.Index.PosAt(n.End)
	if last.Line > first.Line && last.Col == 0 && n.End > n.Start { // the end is the line break's
		last = t.Index.PosAt(n.End - 1)
	}
	s := LanguageServerSymbol{Name: n.Name, NamePath: n.NamePath(), Kind: SymbolKind(n.Kind), KindName: n.Kind.String(), RelativePath: rel,
		Line: ident.Line, Column: int(ident.Col), StartLine: first.Line, EndLine: last.Line, Range: [2]int{n.Start, n.End}}
	if n.Parent() == nil && len(n.Container) == 0 {
		s.Parent = topLevel
	}
	if d.body {
		body := t.Body(n)
		s.Body = &body
	}
	if d.depth <= 0 {
		return s
	}
	below := d
	below.depth--
	for _, c := range n.Children {
		if d.keep == nil || d.keep(c.Kind) {
			s.Children = append(s.Children, describe(rel, t, c, below))
		}
	}
	return s
}

// overviewDepth resolves a depth of -1.
func overviewDepth(d servers.Description, depth int) int {
	if depth < 0 {
		return d.OverviewDepth
	}
	return depth
}
