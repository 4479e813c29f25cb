package lsp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

const (
	parallelFiles = 8
	infoBudget    = 10 * time.Second // for the hovers of one call
	maxListed     = 1000             // matches that a refusal lists
)

type findParams struct {
	Pattern      string          `json:"name_path_pattern" doc:"name path or a part of it, see above"`
	Depth        int             `json:"depth" default:"0" doc:"levels of children to include; ignored with include_body"`
	RelativePath string          `json:"relative_path" default:"''" doc:"file or folder to search; '': the whole project"`
	IncludeBody  bool            `json:"include_body" default:"False" output:"true" doc:"include the symbols' source code"`
	IncludeInfo  bool            `json:"include_info" default:"False" doc:"include signature and documentation (never of children, and not with include_body)"`
	IncludeKinds []SymbolKind    `json:"include_kinds" default:"()" doc:"only symbols of these kinds; (): all"`
	ExcludeKinds []SymbolKind    `json:"exclude_kinds" default:"()" doc:"no symbols of these kinds"`
	Substring    bool            `json:"substring_matching" default:"False" doc:"the last part of the pattern need only be contained in the name"`
	MaxMatches   int             `json:"max_matches" default:"-1" doc:"more matches are an error that lists them; -1: no limit"`
	MaxAnswer    sdk.AnswerLimit `json:"max_answer_chars"`
}

// hit is a symbol that matches.
type hit struct {
	target
	session *session
}

func (p *plugin) findSymbol(ctx context.Context, call *sdk.Call, params findParams) (LspSymbolCollection, error) {
	out := LspSymbolCollection{Symbols: []LanguageServerSymbol{}, Complete: true, Notes: []string{}}
	w, err := p.workspace(call)
	if err != nil {
		return out, err
	}
	out.Root = w.project.Root
	kinds, err := newKindFilter(params.IncludeKinds, params.ExcludeKinds)
	if err != nil {
		return out, err
	}
	if params.Depth < 0 || params.MaxMatches < -1 {
		return out, sdk.Errorf(sdk.KindValue, "depth is %d and max_matches %d: depth must be 0 or more, max_matches -1 (no limit) or more", params.Depth, params.MaxMatches)
	}
	found, err := w.search(ctx, call, params.Pattern, params.Substring, params.RelativePath)
	if err != nil {
		return out, err
	}
	hits := slices.DeleteFunc(found.hits, func(h hit) bool { return !kinds.pass(h.node.Kind) })
	if params.MaxMatches >= 0 && len(hits) > params.MaxMatches {
		return out, tooMany(hits, params.MaxMatches)
	}
	d := detail{body: params.IncludeBody, depth: params.Depth}
	if d.body {
		d.depth = 0
	}
	for _, h := range hits {
		out.Symbols = append(out.Symbols, newSymbol(h.src, h.tree, h.node, d))
	}
	out.Notes = append(out.Notes, found.notes...)
	out.Complete = len(found.notes) == 0
	if len(hits) == 0 && (found.files > 0 || out.Complete) {
		out.Notes = append(out.Notes, found.none(params.Pattern, len(found.hits)))
	}
	if params.IncludeInfo && !params.IncludeBody {
		note, err := addInfo(ctx, hits, out.Symbols)
		if err != nil {
			return out, err
		}
		if note != "" {
			out.Complete, out.Notes = false, append(out.Notes, note)
		}
	}
	out.fit()
	return out, nil
}

// findings is what a search found.
type findings struct {
	hits  []hit // in the order of files and of the text
	files int   // that were looked at
	where string
	notes []string // what could not be looked at
}

// none says why nothing is listed; filtered is the number of matches that the kinds left out.
func (f findings) none(pattern string, filtered int) string {
	files := fmt.Sprintf("%d files", f.files)
	if f.files == 1 {
		files = "1 file"
	}
	if filtered > 0 {
		return fmt.Sprintf("no match in %s: include_kinds and exclude_kinds leave out all %d matches", files, filtered)
	}
	note := fmt.Sprintf("no match in %s (%s)", files, f.where)
	if strings.Contains(pattern, ".") && !strings.HasPrefix(strings.TrimPrefix(pattern, "/"), "(") {
		note += "; the parts of a name path are separated by \"/\""
	}
	return note
}

// search looks for a pattern in a file, a folder or ("") the whole project.
func (w *workspace) search(ctx context.Context, call *sdk.Call, pattern string, substring bool, relative string) (findings, error) {
	var f findings
	scope, err := w.scope(ctx, relative)
	if err != nil {
		return f, err
	}
	f.where, f.notes = scope.where, scope.notes
	plain, err := parsePattern(servers.Description{}, pattern, substring)
	if err != nil {
		return f, err
	}
	note, err := w.foreignNote(ctx, scope.foreign, wanted(plain, substring))
	if err != nil {
		return f, err
	}
	if note != "" {
		f.notes = append(f.notes, note)
	}
	for _, slot := range w.slots {
		p, err := parsePattern(slot.desc, pattern, substring)
		if err != nil {
			return f, err
		}
		files := scope.files[slot]
		f.files += len(files)
		words := wanted(p, substring)
		candidates, notes, err := w.candidates(ctx, files, words)
		if err != nil {
			return f, err
		}
		f.notes = append(f.notes, notes...)
		if len(candidates) == 0 {
			continue
		}
		err = w.with(ctx, call, slot, func(s *session) error {
			hits, notes, err := s.match(ctx, candidates, p, words, len(files) == 1)
			if err == nil {
				f.hits, f.notes = append(f.hits, hits...), append(f.notes, notes...)
			}
			return err
		})
		if err != nil {
			return f, err
		}
	}
	slices.SortStableFunc(f.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.src.rel, b.src.rel), cmp.Compare(a.node.Start, b.node.Start))
	})
	return f, nil
}

// match asks for the symbols of the files, which contain the words, and returns those that match. A file that the server cannot read is a note,
// unless it is the only one that was asked for.
func (s *session) match(ctx context.Context, files []*source, p symbols.Pattern, words wordList, only bool) ([]hit, []string, error) {
	hits := make([][]hit, len(files))
	notes := make([]string, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelFiles)
	for i, src := range files {
		group.Go(func() error {
			tree, err := s.tree(ctx, src)
			if err != nil && !only && isRefusal(err) {
				notes[i] = fmt.Sprintf("%s was not searched: %v", src.rel, err)
				return nil
			}
			if err != nil {
				return err
			}
			for _, n := range tree.Find(p) {
				hits[i] = append(hits[i], hit{target: target{src: src, tree: tree, node: n}, session: s})
			}
			if tree.Broken && (len(hits[i]) == 0 || words.last().in(src.text[tree.BrokenAt:])) {
				notes[i] = brokenNote(src.rel, tree.Index, tree.BrokenAt, "symbols")
			}
			return nil
		})
	}
	err := group.Wait()
	notes = slices.DeleteFunc(notes, func(n string) bool { return n == "" })
	return slices.Concat(hits...), first(notes, "%d more files were not searched, or not wholly"), err
}

// brokenNote says that a file has a syntax error at a byte offset.
func brokenNote(rel string, index *lines.Index, at int, what string) string {
	return fmt.Sprintf("%s has a syntax error at line %d: %s after it may be missing", rel, index.PosAt(at).Line, what)
}

// addInfo asks for the signature and documentation of each symbol, as long as the time for it lasts.
func addInfo(ctx context.Context, hits []hit, out []LanguageServerSymbol) (note string, err error) {
	limited, cancel := context.WithTimeout(ctx, infoBudget)
	defer cancel()
	for i, h := range hits {
		var hover protocol.Hover
		s := h.session
		uri := s.workspace.uri(h.src.rel)
		err := s.client.Call(limited, "textDocument/hover", protocol.PositionParams{TextDocument: protocol.TextDocument{URI: uri}, Position: position(h.tree.Index, h.node.Ident)}, &hover)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return "", ctx.Err()
		case limited.Err() != nil:
			return fmt.Sprintf("info is missing for %d symbols: it took longer than %s; ask for fewer symbols", len(hits)-i, infoBudget), nil
		default:
			return fmt.Sprintf("info is missing for %s and what follows: %v", out[i].NamePath, err), nil
		}
		if text := strings.TrimSpace(hover.Text()); text != "" {
			out[i].Info = &text
		}
	}
	return "", nil
}

// tooMany refuses with the list of what matches.
func tooMany(hits []hit, limit int) error {
	byFile := newOrdered()
	for _, h := range hits[:min(len(hits), maxListed)] {
		byFile.append(h.src.rel, h.node.NamePath())
	}
	which := "The matches"
	if len(hits) > maxListed {
		which = fmt.Sprintf("The first %d matches", maxListed)
	}
	return sdk.ListingErrorf(sdk.KindValue, map[string]any{"matches": len(hits), "name_paths": byFile},
		"%d symbols match, more than max_matches=%d; narrow the pattern or relative_path. %s:\n%s", len(hits), limit, which, byFile.JSON())
}
