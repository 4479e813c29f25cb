package servers

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"

	"github.com/serena-go/serena/plugins/lsp/symbols"
)

func gopls() Description {
	return Description{
		Key: "go", Server: "gopls", LanguageID: "go", Extensions: []string{".go"},
		Find: goplsTool.find, Modules: Modules{Marker: "go.mod", Umbrella: "go.work", Skip: goSkips},
		ReadyTitle: "Setting up workspace", ReadyMessage: "Finished loading packages.",
		Normalize: normalizeGo, Pattern: goPattern, FitBody: fitGoBody, SyntaxError: goSyntaxError, Build: goLeftOut,
	}
}

// goReceiver is the name gopls gives a method: "(*List[T]).Push".
var goReceiver = regexp.MustCompile(`^\(\*?\s*([^\[\]()*\s]+)(?:\[.*\])?\)\.(.+)$`)

// goPattern turns "(*List[T]).Push" into "List/Push", in front of which a "/" may stand.
func goPattern(pattern string) string {
	inner := strings.TrimPrefix(pattern, "/")
	m := goReceiver.FindStringSubmatch(inner)
	if m == nil {
		return pattern
	}
	return pattern[:len(pattern)-len(inner)] + m[1] + "/" + m[2]
}

// normalizeGo makes a method a child of its receiver's type, and a declaration outside a group begin with its keyword.
func normalizeGo(text string, roots []*symbols.Node) []*symbols.Node {
	keywords(text, roots)
	types := map[string]*symbols.Node{}
	for _, n := range roots {
		if n.Keyword == "type" && types[n.Name] == nil {
			types[n.Name] = n
		}
	}
	var kept []*symbols.Node
	for _, n := range roots {
		m := goReceiver.FindStringSubmatch(n.Name)
		if m == nil || n.Kind != symbols.Method {
			kept = append(kept, n)
			continue
		}
		n.Name, n.IdentText = m[2], m[2]
		if owner := types[m[1]]; owner != nil {
			owner.Children = append(owner.Children, n)
			continue
		}
		n.Container = []string{m[1]} // the type stands in another file of the package
		kept = append(kept, n)
	}
	return kept
}

// keywords finds each symbol's declaration: gopls's ranges are those of the specification behind the keyword.
func keywords(text string, roots []*symbols.Node) {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution) // with what could be read of a faulty file, as gopls does
	if file == nil {
		return
	}
	offset := func(p token.Pos) int { return fset.File(p).Offset(p) } // not Position, which heeds //line comments
	at := map[int][]*symbols.Node{}                                   // several names may share one specification
	for _, n := range roots {
		at[n.Start] = append(at[n.Start], n)
	}
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok == token.IMPORT {
			continue
		}
		for _, spec := range group.Specs {
			for _, n := range at[offset(spec.Pos())] {
				n.Keyword, n.Grouped = group.Tok.String(), group.Lparen.IsValid()
				if !n.Grouped {
					n.Start = offset(group.TokPos)
				}
			}
		}
	}
}

// goSyntaxError finds the first one.
func goSyntaxError(text string) (offset int, found bool) {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return 0, false
	}
	offset = len(text)
	for _, e := range list {
		offset = min(offset, e.Pos.Offset) // the line is what a //line comment says
	}
	return offset, true
}

// fitGoBody gives a new declaration the one keyword that its place wants: none within a group, one outside.
func fitGoBody(n *symbols.Node, body string) string {
	if n.Keyword == "" {
		return body
	}
	rest, has := strings.CutPrefix(body, n.Keyword)
	has = has && strings.TrimLeft(rest, " \t") != rest
	switch {
	case n.Grouped && has:
		return strings.TrimLeft(rest, " \t")
	case !n.Grouped && !has && beginsWithName(body, n.Name):
		return n.Keyword + " " + body
	}
	return body
}

// beginsWithName reports whether a text begins with the whole identifier.
func beginsWithName(text, name string) bool {
	rest, ok := strings.CutPrefix(text, name)
	return ok && !(rest != "" && identByte(rest[0]))
}

func identByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// goSkips reports whether the go command, too, passes a folder by.
func goSkips(dir string) bool {
	return dir != "." && strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_") || dir == "testdata" || dir == "vendor" || dir == "node_modules"
}
