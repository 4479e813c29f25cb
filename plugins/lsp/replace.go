package lsp

import (
	"context"
	"strings"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/sdk"
)

type replaceParams struct {
	NamePath     string `json:"name_path" doc:"name path of one symbol of the file"`
	RelativePath string `json:"relative_path" doc:"the file that declares the symbol"`
	Body         string `json:"body" doc:"the whole new statement"`
}

func (p *plugin) replaceSymbolBody(ctx context.Context, call *sdk.Call, params replaceParams) (string, error) {
	body := strings.TrimSpace(params.Body)
	if body == "" {
		return "", sdk.Errorf(sdk.KindValue, "body is empty: give the symbol's whole new definition")
	}
	w, err := p.workspace(call)
	if err != nil {
		return "", err
	}
	rel, slot, err := w.file(params.RelativePath)
	if err != nil {
		return "", err
	}
	var change sdk.Change
	err = w.with(ctx, call, slot, func(s *session) error { // reads only: the write below is not repeated
		t, err := s.lookup(ctx, params.NamePath, rel)
		if err != nil {
			return err
		}
		text := body
		if s.desc.FitBody != nil {
			text = s.desc.FitBody(t.node, text)
		}
		text = lines.WithEnding(text, t.tree.Index.EndingAt(t.node.Start))
		change = sdk.EditFile(rel, t.src.base(), sdk.ByteEdit{Start: t.node.Start, End: t.node.End, Text: []byte(text)})
		return nil
	})
	if err != nil {
		return "", err
	}
	if _, err := call.WriteFiles(ctx, change); err != nil {
		return "", err
	}
	return "OK", nil
}
