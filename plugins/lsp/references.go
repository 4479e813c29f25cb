package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

// loadWait bounds the wait for a server that still loads the project. A large one takes minutes; the answer says then that it is not complete.
const loadWait = 60 * time.Second

type referenceParams struct {
	NamePath     string          `json:"name_path" doc:"name path of one symbol of the file"`
	RelativePath string          `json:"relative_path" doc:"the file that declares the symbol"`
	IncludeKinds []SymbolKind    `json:"include_kinds" default:"()" doc:"only references in symbols of these kinds; (): all"`
	ExcludeKinds []SymbolKind    `json:"exclude_kinds" default:"()" doc:"no references in symbols of these kinds"`
	MaxAnswer    sdk.AnswerLimit `json:"max_answer_chars"`
}

func (p *plugin) findReferencingSymbols(ctx context.Context, call *sdk.Call, params referenceParams) (LspReferenceCollection, error) {
	out := LspReferenceCollection{References: []ReferenceInLanguageServerSymbol{}, Complete: true, Notes: []string{}}
	w, err := p.workspace(call)
	if err != nil {
		return out, err
	}
	kinds, err := newKindFilter(params.IncludeKinds, params.ExcludeKinds)
	if err != nil {
		return out, err
	}
	rel, slot, err := w.file(params.RelativePath)
	if err != nil {
		return out, err
	}
	err = w.with(ctx, call, slot, func(s *session) error {
		collected, err := s.references(ctx, params.NamePath, rel)
		if err == nil {
			out = collected
			out.Root = w.project.Root
		}
		return err
	})
	if err != nil {
		return out, err
	}
	all := len(out.References)
	out.References = slices.DeleteFunc(out.References, func(r ReferenceInLanguageServerSymbol) bool { return !kinds.pass(symbols.Kind(r.Symbol.Kind)) })
	switch {
	case len(out.References) > 0:
	case all > 0:
		out.Notes = append(out.Notes, fmt.Sprintf("include_kinds and exclude_kinds leave out all %s", count(all, "reference")))
	case out.Complete:
		out.Notes = append(out.Notes, fmt.Sprintf("no references to %s in the project", params.NamePath))
	}
	out.fit()
	return out, nil
}

// references asks the server for the references to a symbol and tells what contains each.
func (s *session) references(ctx context.Context, namePath, rel string) (LspReferenceCollection, error) {
	out := LspReferenceCollection{References: []ReferenceInLanguageServerSymbol{}, Complete: true, Notes: []string{}}
	t, err := s.lookup(ctx, namePath, rel)
	if err != nil {
		return out, err
	}
	if !s.client.Provides("referencesProvider") {
		return out, sdk.Errorf(sdk.KindRuntime, "%s cannot find references: search for the name as text instead", s.desc.Server)
	}
	loaded, trouble, err := s.client.Ready(ctx, s.workspace.loadWait)
	if err != nil {
		return out, err
	}
	if !loaded {
		out.Complete = false
		out.Notes = append(out.Notes, fmt.Sprintf("%s still loads the project: there may be more references; call again later", s.desc.Server))
	}
	if trouble != "" {
		out.Complete = false
		out.Notes = append(out.Notes, fmt.Sprintf("%s could not load the whole project, there may be more references: %s", s.desc.Server, trouble))
	}
	known, err := s.workspace.survey(ctx, s.desc)
	if err != nil {
		return out, err
	}
	if module := moduleOf(known.modules, rel); module != "" {
		out.Complete = false
		out.Notes = append(out.Notes, fmt.Sprintf("only the module in %s was searched: the project has %d, and no %s joins them", module, len(known.modules), s.desc.Modules.Umbrella))
	}
	if err := s.refreshOpen(); err != nil {
		return out, err
	}
	uri := s.workspace.uri(rel)
	if err := s.client.Show(uri, s.desc.LanguageID, t.src.text); err != nil { // the position is one of this text
		return out, err
	}
	var found []protocol.Location
	err = s.client.Call(ctx, "textDocument/references", protocol.ReferenceParams{TextDocument: protocol.TextDocument{URI: uri}, Position: position(t.tree.Index, t.node.Ident)}, &found)
	if isRefusal(err) {
		self := servers.File{Path: rel, Text: t.src.text}
		if leftOut, _ := s.leftOut(ctx); leftOut != nil { // the refusal is the error to tell
			if reason := leftOut(t.node.Name, self, self); reason != "" {
				return out, sdk.Errorf(sdk.KindRuntime, "%w; %s is not in the build that %s looks at: %s. Search for the name as text instead", err, rel, s.desc.Server, reason)
			}
		}
		err = s.client.Explain(ctx, err)
	}
	if trouble != "" && isRefusal(err) {
		return out, sdk.Errorf(sdk.KindRuntime, "%w; it could not load the project: %s", err, trouble)
	}
	if err != nil {
		return out, err
	}
	if out, err = s.placed(ctx, t, found, out); err != nil {
		return out, err
	}
	missed, err := s.missed(ctx, t, known, out.References)
	if len(missed) > 0 {
		out.Complete, out.Notes = false, append(out.Notes, missed...)
	}
	slices.Sort(out.Notes)
	return out, err
}

// placed turns locations into references, file by file.
func (s *session) placed(ctx context.Context, t target, found []protocol.Location, out LspReferenceCollection) (LspReferenceCollection, error) {
	byFile := map[string][]protocol.Position{}
	outside := 0
	for _, l := range found {
		if rel, inside := s.workspace.rel(l.URI); inside {
			byFile[rel] = append(byFile[rel], l.Range.Start)
		} else {
			outside++
		}
	}
	if outside > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s outside the project not listed", count(outside, "reference")))
	}
	rules, err := s.workspace.matcher()
	if err != nil {
		return out, err
	}
	ignored := 0
	var unplaced []string
	for rel, positions := range byFile {
		if rules.Ignored(rel, false) && rel != t.src.rel {
			ignored += len(positions)
			continue
		}
		refs, err := s.inFile(ctx, t, rel, positions)
		if err != nil {
			if !isRefusal(err) && !sdk.IsKind(err, sdk.KindFileNotFound) && !sdk.IsKind(err, sdk.KindUnicode) {
				return out, err
			}
			unplaced = append(unplaced, fmt.Sprintf("%s in %s not listed: %v", count(len(positions), "reference"), rel, err))
			continue
		}
		out.References = append(out.References, refs...)
	}
	if len(unplaced) > 0 {
		slices.Sort(unplaced)
		out.Complete, out.Notes = false, append(out.Notes, first(unplaced, "references in %d more files not listed")...)
	}
	if ignored > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("%s in ignored files not listed", count(ignored, "reference")))
	}
	slices.SortFunc(out.References, func(a, b ReferenceInLanguageServerSymbol) int {
		return cmp.Or(cmp.Compare(a.RelativePath, b.RelativePath), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return out, nil
}

func (s *session) inFile(ctx context.Context, t target, rel string, positions []protocol.Position) ([]ReferenceInLanguageServerSymbol, error) {
	src, err := s.workspace.read(rel)
	if err != nil {
		return nil, err
	}
	tree, err := s.tree(ctx, src)
	if err != nil {
		return nil, err
	}
	var refs []ReferenceInLanguageServerSymbol
	for _, p := range positions {
		at := tree.Index.PosAt16(p.Line, lines.UTF16Col(p.Character))
		offset, err := tree.Index.Offset(at)
		if err != nil { // PosAt16 clamps
			return nil, err
		}
		if rel == t.src.rel && offset == t.node.Ident {
			continue // the declaration itself
		}
		refs = append(refs, ReferenceInLanguageServerSymbol{Symbol: containing(src, tree, offset), RelativePath: rel,
			Line: at.Line, Column: int(at.Col), Content: around(tree.Index, at.Line)})
	}
	return refs, nil
}

// containing is the innermost symbol around a place, the file as a last resort.
func containing(src *source, t *symbols.Tree, offset int) LanguageServerSymbol {
	if n := t.Container(offset); n != nil {
		return newSymbol(src, t, n, detail{})
	}
	return LanguageServerSymbol{Name: path.Base(src.rel), NamePath: fileKindPath, Kind: SymbolKind(symbols.File), KindName: symbols.File.String(), RelativePath: src.rel,
		EndLine: max(0, t.Index.Count()-1), Parent: topLevel, Hash: src.hash(), Range: [2]int{0, len(src.text)}}
}

// around is a line with the line before and the one after, without their endings.
func around(x *lines.Index, line int) string {
	var out []string
	for i := max(0, line-1); i <= line+1 && i < x.Count(); i++ {
		out = append(out, x.Line(i))
	}
	return strings.Join(out, "\n")
}
