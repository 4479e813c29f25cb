package lsp

import (
	"context"

	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

type overviewParams struct {
	RelativePath string          `json:"relative_path" doc:"the file"`
	Depth        int             `json:"depth" default:"-1" doc:"levels of members below the top level; -1: what suits the language, mostly 0"`
	MaxAnswer    sdk.AnswerLimit `json:"max_answer_chars"`
}

func (p *plugin) getSymbolsOverview(ctx context.Context, call *sdk.Call, params overviewParams) (LspSymbolCollection, error) {
	out := LspSymbolCollection{Symbols: []LanguageServerSymbol{}, Complete: true, Notes: []string{}}
	if params.Depth < -1 {
		return out, sdk.Errorf(sdk.KindValue, "depth is %d: it must be -1 or more", params.Depth)
	}
	w, err := p.workspace(call)
	if err != nil {
		return out, err
	}
	out.Root = w.project.Root
	rel, slot, err := w.file(params.RelativePath)
	if err != nil {
		return out, err
	}
	err = w.with(ctx, call, slot, func(s *session) error {
		src, err := w.read(rel)
		if err != nil {
			return err
		}
		tree, err := s.tree(ctx, src)
		if err != nil {
			return err
		}
		out.Symbols, out.Notes, out.Complete = out.Symbols[:0], out.Notes[:0], !tree.Broken
		if tree.Broken {
			out.Notes = append(out.Notes, brokenNote(rel, tree.Index, tree.BrokenAt, "symbols"))
		}
		for _, n := range tree.Roots {
			out.Symbols = append(out.Symbols, newSymbol(src, tree, n, detail{depth: overviewDepth(s.desc, params.Depth), keep: symbols.Kind.Holds}))
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	if len(out.Symbols) == 0 && out.Complete {
		out.Notes = append(out.Notes, rel+" declares no symbols")
	}
	out.fit()
	return out, nil
}
