package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

// parsePattern reads a name path pattern in the common form or in the language's own spelling.
func parsePattern(d servers.Description, text string, substring bool) (symbols.Pattern, error) {
	if d.Pattern != nil {
		text = d.Pattern(text)
	}
	p, err := symbols.ParsePattern(text, substring)
	if err != nil {
		return p, sdk.Errorf(sdk.KindValue, "%w", err)
	}
	return p, nil
}

// target is one symbol that a caller named, in the file as it was just read.
type target struct {
	src  *source
	tree *symbols.Tree
	node *symbols.Node
}

// lookup finds the one symbol of a file that a name path means.
func (s *session) lookup(ctx context.Context, namePath, rel string) (target, error) {
	pattern, err := parsePattern(s.desc, namePath, false)
	if err != nil {
		return target{}, err
	}
	src, err := s.workspace.read(rel)
	if err != nil {
		return target{}, err
	}
	tree, err := s.tree(ctx, src)
	if err != nil {
		return target{}, err
	}
	switch found := tree.Unique(pattern); len(found) {
	case 0:
		return target{}, sdk.Errorf(sdk.KindLookup, "no symbol %s was found in %s as it is now%s", namePath, rel, suggestion(rel, tree, pattern))
	case 1:
		if !tree.InPlace(found[0]) {
			return target{}, sdk.Errorf(sdk.KindStale, "%s is no longer where %s says: look it up again", place(rel, tree, found[0]), s.desc.Server)
		}
		return target{src: src, tree: tree, node: found[0]}, nil
	default:
		return target{}, ambiguous(namePath, rel, tree, found)
	}
}

// suggestion names the nearest symbols of the file, with their places.
func suggestion(rel string, t *symbols.Tree, p symbols.Pattern) string {
	broken := ""
	if t.Broken {
		broken = ". " + brokenNote(rel, t.Index, t.BrokenAt, "symbols")
	}
	byName := map[string][]string{}
	var names []string
	for _, n := range t.All() {
		if byName[n.Name] == nil {
			names = append(names, n.Name)
		}
		byName[n.Name] = append(byName[n.Name], n.NamePath())
	}
	if len(names) == 0 {
		return ": the file declares no symbols" + broken
	}
	best, ok := nearest.Best(p.LastName(), names)
	if !ok {
		return "; get_symbols_overview lists what there is" + broken
	}
	return "; did you mean " + strings.Join(byName[best], " or ") + "?" + broken
}

func ambiguous(namePath, rel string, t *symbols.Tree, found []*symbols.Node) error {
	type candidate struct {
		NamePath string `json:"name_path"`
		Kind     string `json:"kind"`
		Line     int    `json:"line"`
	}
	var listing strings.Builder
	var data []candidate
	for _, n := range found {
		line := t.Index.PosAt(n.Ident).Line
		fmt.Fprintf(&listing, "\n  %s (%s, line %d)", n.NamePath(), n.Kind, line)
		data = append(data, candidate{n.NamePath(), n.Kind.String(), line})
	}
	return sdk.Errorf(sdk.KindValue, "%s means %d symbols of %s; name one of them by its whole name path:%s", namePath, len(found), rel, listing.String()).
		WithData(map[string]any{"candidates": data})
}
