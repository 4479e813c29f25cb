package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/protocol"
	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

// maxTrees bounds the files whose symbols are kept.
const maxTrees = 4096

// source is a file as it was read for this call. It belongs to one goroutine at a time.
type source struct {
	rel  string
	text string
	sum  sdk.Base // see base
}

// base identifies the file's bytes; it is worked out when first asked for.
func (s *source) base() sdk.Base {
	if s.sum == "" {
		s.sum = sdk.BaseOf([]byte(s.text))
	}
	return s.sum
}

// hash is what a symbol knows the file's bytes by.
func (s *source) hash() string { return string(s.base()[:hashLength]) }

// abs returns the absolute path of a file of the project.
func (w *workspace) abs(rel string) string {
	return filepath.Join(w.project.Root, filepath.FromSlash(rel))
}

func (w *workspace) uri(rel string) string { return protocol.URIFromPath(w.abs(rel)) }

// rel returns the project's path of a document; false when it lies outside the project.
func (w *workspace) rel(uri string) (string, bool) {
	abs, err := protocol.PathFromURI(uri)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(w.project.Root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// read reads a file afresh; its bytes are what every answer about it is made from.
func (w *workspace) read(rel string) (*source, error) {
	src, err := w.load(rel)
	if err != nil {
		return nil, err
	}
	return src, src.check()
}

// load is read for a file that need be no UTF-8.
func (w *workspace) load(rel string) (*source, error) {
	data, err := os.ReadFile(w.abs(rel))
	if err != nil {
		return nil, sdk.Errorf(sdk.KindFileNotFound, "%s cannot be read: %w", rel, err)
	}
	return &source{rel: rel, text: string(data)}, nil
}

// check refuses what no language server can be shown.
func (s *source) check() error {
	if utf8.ValidString(s.text) {
		return nil
	}
	return sdk.Errorf(sdk.KindUnicode, "%s is not UTF-8, which language servers want: read and edit it as text instead", s.rel)
}

// tree returns the file's symbols, from the cache when the same text was asked for before.
func (s *session) tree(ctx context.Context, src *source) (*symbols.Tree, error) {
	cached, other := s.workspace.trees.get(src.rel, src.base())
	if cached != nil {
		return cached, nil
	}
	uri := s.workspace.uri(src.rel)
	show := other || s.isDirty(src.rel)
	for {
		if _, open := s.client.Shown(uri); show || open {
			if err := s.client.Show(uri, s.desc.LanguageID, src.text); err != nil {
				return nil, err
			}
		}
		var raw []protocol.DocumentSymbol
		if err := s.client.Call(ctx, "textDocument/documentSymbol", protocol.DocumentParams{TextDocument: protocol.TextDocument{URI: uri}}, &raw); err != nil {
			return nil, err
		}
		tree := symbols.Build(lines.New(src.text), raw, s.desc.Normalize)
		if s.desc.SyntaxError != nil {
			tree.BrokenAt, tree.Broken = s.desc.SyntaxError(src.text)
		}
		switch bad := misplaced(tree); {
		case bad == nil:
			if len(raw) > 0 { // an empty answer may be one that came too early
				s.workspace.trees.put(src.rel, src.base(), tree)
			}
			return tree, nil
		case show:
			return nil, sdk.Errorf(sdk.KindRuntime, "%s places %s in %s where another text stands: the file has line ends that it does not count, or changed just now; call again", s.desc.Server, bad.NamePath(), src.rel)
		}
		s.markDirty(src.rel) // the server has another text: give it ours
		show = true
	}
}

// misplaced returns a symbol whose name does not stand at its place; nil when all do.
func misplaced(t *symbols.Tree) *symbols.Node {
	for _, n := range t.All() {
		if !strings.ContainsFunc(n.IdentText, notIdent) && !t.InPlace(n) {
			return n
		}
	}
	return nil
}

func notIdent(r rune) bool {
	return r < utf8.RuneSelf && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// treeCache holds the symbols of files by the hash of their content.
type treeCache struct {
	mu      sync.Mutex // guards entries
	entries map[string]cachedTree
}

type cachedTree struct {
	sum  sdk.Base
	tree *symbols.Tree
}

// get returns the tree of a file with that content; other reports that the file is known with other content.
func (c *treeCache) get(rel string, sum sdk.Base) (tree *symbols.Tree, other bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[rel]
	if !ok || e.sum != sum {
		return nil, ok
	}
	return e.tree, false
}

func (c *treeCache) put(rel string, sum sdk.Base, tree *symbols.Tree) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]cachedTree{}
	}
	if _, known := c.entries[rel]; !known && len(c.entries) >= maxTrees {
		for any := range c.entries {
			delete(c.entries, any)
			break
		}
	}
	c.entries[rel] = cachedTree{sum: sum, tree: tree}
}

// position returns a byte offset as the server counts.
func position(index *lines.Index, offset int) protocol.Position {
	p := index.PosAt(offset)
	return protocol.Position{Line: p.Line, Character: int(index.Col16(p))}
}

// place names a symbol's place for a message.
func place(rel string, t *symbols.Tree, n *symbols.Node) string {
	return fmt.Sprintf("%s (%s, %s line %d)", n.NamePath(), n.Kind, rel, t.Index.PosAt(n.Ident).Line)
}
