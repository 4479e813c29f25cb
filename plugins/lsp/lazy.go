package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strings"

	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

// hashLength is how many digits of its file's Base a symbol carries: enough to tell two texts of one file apart.
const hashLength = 32

const symbolBodyDoc = `Returns the statement of a symbol that was retrieved without it.

It is read from the symbol's file, which must be what it was then.`

const symbolParentDoc = `Returns the symbol that holds a symbol that was retrieved; None at the top level.

The symbol's file must be what it was then.`

// recordParams hold a LanguageServerSymbol of an earlier answer.
type recordParams struct {
	Record json.RawMessage `json:"record" doc:"a LanguageServerSymbol's data"`
}

// retrieved returns a symbol of an earlier answer with the file that it came from, which is unchanged.
func (p *plugin) retrieved(call *sdk.Call, params recordParams) (*workspace, LanguageServerSymbol, *source, error) {
	var s LanguageServerSymbol
	w, err := p.workspace(call)
	if err != nil {
		return nil, s, nil, err
	}
	if err := json.Unmarshal(params.Record, &s); err != nil {
		return nil, s, nil, sdk.Errorf(sdk.KindType, "record is no LanguageServerSymbol: %w", err)
	}
	if s.Root == "" || len(s.Hash) != hashLength || s.RelativePath == "" {
		return nil, s, nil, sdk.Errorf(sdk.KindValue, "record does not tell where it was retrieved: find the symbol again")
	}
	if s.Root != w.project.Root {
		return nil, s, nil, sdk.Errorf(sdk.KindValue, "%s was retrieved in the project %s, and the present one is %s: activate the former, or find the symbol again here", s.NamePath, s.Root, w.project.Root)
	}
	rel, _, err := w.resolve(s.RelativePath)
	switch {
	case sdk.IsKind(err, sdk.KindFileNotFound):
		return nil, s, nil, s.stale("it is not there any more")
	case err != nil:
		return nil, s, nil, err
	}
	data, err := os.ReadFile(w.abs(rel))
	if err != nil {
		return nil, s, nil, s.stale(fmt.Sprintf("it cannot be read: %v", err))
	}
	src := &source{rel: rel, text: string(data)}
	if src.hash() != s.Hash {
		return nil, s, nil, s.stale(fmt.Sprintf("find the symbol again: find_symbol(%q, relative_path=%q)", "/"+s.NamePath, s.RelativePath))
	}
	if from, to := s.Range[0], s.Range[1]; from < 0 || from > to || to > len(src.text) {
		return nil, s, nil, sdk.Errorf(sdk.KindValue, "record has the range %d to %d in a file of %d bytes: find the symbol again", from, to, len(src.text))
	}
	return w, s, src, nil
}

// stale refuses what only the file as it was could tell.
func (s LanguageServerSymbol) stale(rest string) error {
	return sdk.Errorf(sdk.KindStale, "%s: %s changed since it was retrieved; %s", s.NamePath, s.RelativePath, rest)
}

func (p *plugin) symbolBody(_ context.Context, call *sdk.Call, params recordParams) (string, error) {
	_, s, src, err := p.retrieved(call, params)
	if err != nil {
		return "", err
	}
	return src.text[s.Range[0]:s.Range[1]], nil
}

func (p *plugin) symbolParent(ctx context.Context, call *sdk.Call, params recordParams) (*LanguageServerSymbol, error) {
	w, record, src, err := p.retrieved(call, params)
	if err != nil || record.NamePath == fileKindPath {
		return nil, err
	}
	rel, slot, err := w.file(src.rel)
	if err != nil {
		return nil, err
	}
	var parent *LanguageServerSymbol
	err = w.with(ctx, call, slot, func(s *session) error {
		parent = nil
		tree, err := s.tree(ctx, src)
		if err != nil {
			return err
		}
		node := tree.Node(record.NamePath, record.Range[0], record.Range[1])
		if node == nil {
			return sdk.Errorf(sdk.KindLookup, "%s has no symbol %s in %s any more: find it again", s.desc.Server, record.NamePath, rel)
		}
		above := target{src: src, tree: tree, node: node.Parent()}
		if len(node.Container) > 0 {
			above, err = s.elsewhere(ctx, node, src.rel)
		}
		if err != nil || above.node == nil {
			return err
		}
		found := newSymbol(above.src, above.tree, above.node, detail{})
		found.Root = w.project.Root
		parent = &found
		return nil
	})
	return parent, err
}

// elsewhere finds a node's parent that stands in another file of the same folder.
func (s *session) elsewhere(ctx context.Context, n *symbols.Node, rel string) (target, error) {
	dir := path.Dir(rel)
	entries, err := os.ReadDir(s.workspace.abs(dir))
	if err != nil {
		return target{}, sdk.Errorf(sdk.KindPermission, "%s cannot be read: %w", dir, err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && s.desc.Handles(e.Name()) {
			files = append(files, path.Join(dir, e.Name()))
		}
	}
	name := n.ParentPath()
	pattern, err := parsePattern(s.desc, "/"+name, false)
	if err != nil {
		return target{}, err
	}
	words := wanted(pattern, false)
	candidates, unread, err := s.workspace.candidates(ctx, files, words)
	if err != nil {
		return target{}, err
	}
	hits, unsearched, err := s.match(ctx, candidates, pattern, words, false)
	if err != nil {
		return target{}, err
	}
	notes := append(unread, unsearched...)
	switch {
	case len(hits) == 1:
		return hits[0].target, nil
	case len(hits) > 1:
		return target{}, sdk.Errorf(sdk.KindValue, "%s in %s: %d symbols may be its parent %s: %s; find_symbol shows them", n.NamePath(), rel, len(hits), name, listed(hits))
	case len(notes) > 0:
		return target{}, sdk.Errorf(sdk.KindLookup, "%s in %s: its parent %s was not found in the folder %s; %s", n.NamePath(), rel, name, dir, notes[0])
	}
	return target{}, sdk.Errorf(sdk.KindLookup, "%s in %s: its parent %s is not declared in the folder %s", n.NamePath(), rel, name, dir)
}

// listed names the hits' places for a message.
func listed(hits []hit) string {
	parts := make([]string, len(hits))
	for i, h := range hits {
		parts[i] = place(h.src.rel, h.tree, h.node)
	}
	return strings.Join(parts, ", ")
}
