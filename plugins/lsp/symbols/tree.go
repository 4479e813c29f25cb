package symbols

import (
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/plugins/lsp/protocol"
)

// Node is one symbol. Offsets are bytes.
type Node struct {
	Name      string
	Kind      Kind
	Start     int      // of the whole statement
	End       int      //
	Ident     int      // of the identifier
	IdentText string   // what stands at Ident
	Children  []*Node  // in document order
	Container []string // the parent's name path when the parent stands in another file

	// Keyword is what a declaration starts with where the server leaves it out of its ranges ("type"); Grouped says that it
	// stands once before a group and is no part of [Start, End).
	Keyword string
	Grouped bool

	parent   *Node
	overload int // among siblings of the same name; -1 when the name is unique
}

// Tree is a file's symbols.
type Tree struct {
	Index *lines.Index
	Roots []*Node // in document order

	Broken   bool // the text has a syntax error: symbols may be missing
	BrokenAt int  // where, in bytes

	all []*Node // every node, in document order
}

// Normalizer turns a server's own form into the common one: names, parents, ranges that are whole statements. It may
// change the nodes it is given and returns the new roots.
type Normalizer func(text string, roots []*Node) []*Node

// Build makes the tree of a text from a server's answer. normalize may be nil.
func Build(index *lines.Index, raw []protocol.DocumentSymbol, normalize Normalizer) *Tree {
	t := &Tree{Index: index, Roots: convert(index, raw)}
	if normalize != nil {
		t.Roots = normalize(index.Text(), t.Roots)
	}
	t.link(t.Roots, nil)
	slices.SortStableFunc(t.all, func(a, b *Node) int { return a.Start - b.Start })
	return t
}

func convert(index *lines.Index, raw []protocol.DocumentSymbol) []*Node {
	nodes := make([]*Node, 0, len(raw))
	for _, s := range raw {
		whole, ident := s.Normal()
		n := &Node{Name: s.Name, Kind: Kind(s.Kind), IdentText: s.Name, overload: -1,
			Start: offset(index, whole.Start), End: offset(index, whole.End), Ident: offset(index, ident.Start)}
		n.End = max(n.Start, n.End)
		n.Children = convert(index, s.Children)
		nodes = append(nodes, n)
	}
	return nodes
}

// offset returns the byte offset of a server's position; one that the text does not have is moved to the nearest it has.
func offset(index *lines.Index, p protocol.Position) int {
	at, err := index.Offset(index.PosAt16(p.Line, lines.UTF16Col(p.Character)))
	if err != nil { // PosAt16 clamps
		return len(index.Text())
	}
	return at
}

func (t *Tree) link(siblings []*Node, parent *Node) {
	slices.SortStableFunc(siblings, func(a, b *Node) int { return a.Start - b.Start })
	count := map[string]int{}
	for _, n := range siblings {
		count[n.siblingKey()]++
	}
	next := map[string]int{}
	for _, n := range siblings {
		n.parent, n.overload = parent, -1
		if key := n.siblingKey(); count[key] > 1 {
			n.overload = next[key]
			next[key]++
		}
		t.all = append(t.all, n)
		t.link(n.Children, n)
	}
}

func (n *Node) siblingKey() string {
	return strings.Join(append(slices.Clone(n.Container), n.Name), "/")
}

// path returns the parts of the node's name path, outermost first.
func (n *Node) path() []component {
	var path []component
	for ; n != nil; n = n.parent {
		path = append(path, component{name: n.Name, overload: n.overload})
		for _, c := range slices.Backward(n.Container) {
			path = append(path, component{name: c, overload: -1})
		}
	}
	slices.Reverse(path)
	return path
}

// NamePath is the path in the file's symbol tree, "Outer/inner[1]".
func (n *Node) NamePath() string {
	path := n.path()
	parts := make([]string, len(path))
	for i, c := range path {
		parts[i] = c.String()
	}
	return strings.Join(parts, "/")
}

// Parent is the node above in the same file; nil at the top level.
func (n *Node) Parent() *Node { return n.parent }

// ParentPath is the name path of what holds the node, in this file or another; "" at the top level.
func (n *Node) ParentPath() string {
	path := n.path()
	parts := make([]string, len(path)-1)
	for i := range parts {
		parts[i] = path[i].String()
	}
	return strings.Join(parts, "/")
}

// All returns every symbol in document order. The slice is the tree's own.
func (t *Tree) All() []*Node { return t.all }

// Node returns the symbol with that name path and range; nil when there is none.
func (t *Tree) Node(namePath string, start, end int) *Node {
	for _, n := range t.all {
		if n.Start == start && n.End == end && n.NamePath() == namePath {
			return n
		}
	}
	return nil
}

// Body is the node's statement.
func (t *Tree) Body(n *Node) string { return t.Index.Text()[n.Start:n.End] }

// InPlace reports whether the identifier stands where the tree says.
func (t *Tree) InPlace(n *Node) bool { return strings.HasPrefix(t.Index.Text()[n.Ident:], n.IdentText) }

// Container returns the innermost function, type, constant … around a byte offset; nil when there is only the file.
func (t *Tree) Container(offset int) *Node {
	var best *Node
	for _, n := range t.all {
		if n.Start > offset {
			break
		}
		if offset < n.End && n.Kind.contains() && (best == nil || n.End-n.Start <= best.End-best.Start) {
			best = n
		}
	}
	return best
}
