package api

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/serena-go/serena/sdk"
)

// contract reads testdata/facades.txt, every facade and method that there is to be, as the sources that a registry is composed of.
func contract(t *testing.T) []Source {
	t.Helper()
	data, err := os.ReadFile("testdata/facades.txt")
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{plugins: map[string]*sdk.Manifest{}}
	for i, line := range strings.Split(string(data), "\n") {
		if err := f.line(line); err != nil {
			t.Fatalf("facades.txt:%d: %v", i+1, err)
		}
	}
	var sources []Source
	for _, name := range []string{"lsp", "fs", "memory", "shell", "jetbrains", "host"} {
		m := *f.plugins[name]
		if err := m.Validate(); err != nil {
			t.Fatalf("plugin %s:\n%v", name, err)
		}
		sources = append(sources, Source{Manifest: m})
	}
	return sources
}

// fixture is what was read so far. A line that is indented belongs to the last method or type.
type fixture struct {
	plugins map[string]*sdk.Manifest
	facade  sdk.FacadeDecl
	owner   string
	methods []*sdk.MethodDecl // one for each plugin that gives it
	types   []*sdk.TypeDecl   // one for each plugin that declares it
}

func (f *fixture) line(line string) error {
	switch {
	case strings.HasPrefix(line, "#"):
		return nil
	case strings.TrimSpace(line) == "":
		return nil
	case strings.HasPrefix(line, "    "):
		return f.detail(strings.TrimSpace(line))
	}
	f.methods, f.types = nil, nil
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "facade":
		return f.newFacade(rest)
	case sdk.TypeRecord, sdk.TypeEnum, sdk.TypeKeyedDict:
		return f.newType(word, rest)
	}
	return f.newMethod(line)
}

// newFacade reads `lsp [plugin] [flags] summary`.
func (f *fixture) newFacade(text string) error {
	name, rest, _ := strings.Cut(text, " ")
	owner, rest, ok := bracket(rest)
	if !ok {
		return fmt.Errorf("a facade needs its plugin")
	}
	flags, summary, optional := bracket(rest)
	if !optional {
		summary = rest
	}
	f.owner, f.facade = owner[0], sdk.FacadeDecl{Name: name, Summary: strings.TrimSpace(summary), Owner: true, Optional: slices.Contains(flags, "O")}
	return nil
}

// newMethod reads `name(params) -> result [flags]`.
func (f *fixture) newMethod(line string) error {
	open, end := strings.IndexByte(line, '('), strings.LastIndex(line, ") -> ")
	at := strings.LastIndex(line, " [")
	if at < end { // the last bracket belongs to a parameter
		at = len(line)
	}
	flags, _, _ := bracket(strings.TrimSpace(line[at:]))
	result, err := typeRef(strings.TrimSpace(line[end+5 : at]))
	if err != nil {
		return err
	}
	d := sdk.MethodDecl{Name: line[:open], Result: result, Params: []sdk.ParamDecl{}}
	for _, text := range splitOutside(line[open+1:end], ',') {
		p, err := param(strings.TrimSpace(text))
		if err != nil {
			return err
		}
		d.Params = append(d.Params, p)
	}
	var givers []string
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		switch name {
		case "O":
			d.Optional = true
		case "B":
			d.Beta = true
		case "E":
			d.CanEdit = true
		case "N":
			d.Niche = true
		case "P":
			d.UsesProjectServer = true
		case "with":
			d.Kind, d.Exit = sdk.MethodContextManager, d.Name+"_exit_"
		case "tool":
			if d.Tool = value; value == "" {
				d.Tool = d.Name
			}
		default:
			givers = append(givers, flag)
		}
	}
	if givers == nil {
		givers = []string{f.owner}
	}
	for _, plugin := range givers {
		f.give(plugin, d)
	}
	return nil
}

// give adds a method to a plugin, with its exit if it is a context manager.
func (f *fixture) give(plugin string, d sdk.MethodDecl) {
	if plugin == "lsp" || plugin == "jetbrains" {
		d.Backend = plugin
	}
	m := f.plugin(plugin)
	at := slices.IndexFunc(m.Facades, func(g sdk.FacadeDecl) bool { return g.Name == f.facade.Name })
	if at < 0 {
		decl := f.facade
		if plugin != f.owner {
			decl = sdk.FacadeDecl{Name: f.facade.Name}
		}
		decl.Methods = slices.Grow([]sdk.MethodDecl{}, 64) // the pointers in f.methods stay good
		m.Facades, at = append(m.Facades, decl), len(m.Facades)
	}
	facade := &m.Facades[at]
	facade.Methods = append(facade.Methods, d)
	f.methods = append(f.methods, &facade.Methods[len(facade.Methods)-1])
	if d.Kind == sdk.MethodContextManager {
		text := sdk.TypeRef{Name: "optional", Args: []sdk.TypeRef{{Name: "str"}}}
		null := json.RawMessage("null")
		facade.Methods = append(facade.Methods, sdk.MethodDecl{
			Name: d.Exit, Summary: "Leaves.", Doc: "At the end.", Result: sdk.TypeRef{Name: "None"}, CanEdit: d.CanEdit,
			Params: []sdk.ParamDecl{{Name: "entered", Type: d.Result}, {Name: "error", Type: text, Default: null}, {Name: "error_kind", Type: text, Default: null}},
		})
	}
}

func (f *fixture) plugin(name string) *sdk.Manifest {
	if f.plugins[name] == nil {
		f.plugins[name] = &sdk.Manifest{ManifestVersion: sdk.ManifestVersion, SDK: sdk.Version, Protocols: sdk.ProtocolVersions(), Name: name}
	}
	return f.plugins[name]
}

// newType reads `Name [plugins] items=member`.
func (f *fixture) newType(kind, text string) error {
	name, rest, _ := strings.Cut(text, " ")
	plugins, rest, ok := bracket(rest)
	if !ok {
		return fmt.Errorf("a type needs its plugins")
	}
	for _, plugin := range plugins {
		m := f.plugin(plugin)
		m.Types = slices.Grow(m.Types, 64)
		m.Types = append(m.Types, sdk.TypeDecl{Name: name, Kind: kind, Items: strings.TrimPrefix(strings.TrimSpace(rest), "items="), Members: []sdk.MemberDecl{}})
		f.types = append(f.types, &m.Types[len(m.Types)-1])
	}
	return nil
}

// detail reads a line of a method's documentation or of a type.
func (f *fixture) detail(line string) error {
	for _, m := range f.methods {
		name, doc, isParam := strings.Cut(strings.TrimPrefix(line, "- "), ": ")
		at := slices.IndexFunc(m.Params, func(p sdk.ParamDecl) bool { return p.Name == name })
		switch {
		case strings.HasPrefix(line, "- ") && isParam && at >= 0:
			m.Params[at].Doc = doc
		case m.Summary == "":
			m.Summary = line
		default:
			m.Doc = strings.TrimPrefix(m.Doc+"\n"+line, "\n")
		}
	}
	for _, t := range f.types {
		if err := member(t, line); err != nil {
			return err
		}
	}
	return nil
}

// member reads `name: type – doc`, `name() = calls – doc`, `NAME = value – doc`, or the type's documentation.
func member(t *sdk.TypeDecl, line string) error {
	text, doc, _ := strings.Cut(line, " – ")
	name, what, isMember := strings.Cut(text, ": ")
	if call, calls, isMethod := strings.Cut(text, "() = "); isMethod {
		t.Methods = append(t.Methods, sdk.RecordMethod{Name: call, Calls: calls, Doc: doc})
		return nil
	}
	if constant, value, isConstant := strings.Cut(text, " = "); isConstant && t.Kind == sdk.TypeEnum {
		n, err := strconv.Atoi(value)
		t.Members = append(t.Members, sdk.MemberDecl{Name: constant, Value: n, Doc: doc})
		return err
	}
	if !isMember || strings.Contains(name, " ") {
		t.Doc = line
		return nil
	}
	ref, err := typeRef(what)
	lazy, isLazy := strings.CutPrefix(doc, "lazy=")
	if !isLazy {
		lazy = ""
	} else {
		doc = ""
		ref = sdk.TypeRef{Name: "optional", Args: []sdk.TypeRef{ref}}
	}
	t.Members = append(t.Members, sdk.MemberDecl{Name: name, Type: &ref, Doc: doc, Lazy: lazy})
	return err
}

// bracket takes the words of a leading [a b].
func bracket(text string) (words []string, rest string, ok bool) {
	inner, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	if !ok || !strings.HasPrefix(text, "[") {
		return nil, text, false
	}
	return strings.Fields(inner), strings.TrimSpace(rest), true
}

func param(text string) (sdk.ParamDecl, error) {
	if text == "mac" {
		return sdk.ParamDecl{Name: "max_answer_chars", Type: sdk.TypeRef{Name: "int"}, Default: json.RawMessage("-1"), Output: true, AnswerLimit: true,
			Doc: "longest answer in characters; a longer one is shortened or left out. -1: the configured limit"}, nil
	}
	name, rest, _ := strings.Cut(text, ": ")
	annotation, value, hasDefault := strings.Cut(rest, " = ")
	ref, err := typeRef(annotation)
	p := sdk.ParamDecl{Name: name, Type: ref}
	if hasDefault {
		p.Default = json.RawMessage(map[string]string{"None": "null", "True": "true", "False": "false", "()": "[]"}[value])
		if len(p.Default) == 0 {
			p.Default = json.RawMessage(value)
		}
	}
	return p, err
}

// typeRef reads an annotation.
func typeRef(text string) (sdk.TypeRef, error) {
	if arms := splitOutside(text, '|'); len(arms) == 2 {
		first, err := typeRef(strings.TrimSpace(arms[0]))
		second := strings.TrimSpace(arms[1])
		if second == "None" || err != nil {
			return sdk.TypeRef{Name: "optional", Args: []sdk.TypeRef{first}}, err
		}
		other, err := typeRef(second)
		return sdk.TypeRef{Name: "union", Args: []sdk.TypeRef{first, other}}, err
	}
	name, inner, generic := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	switch {
	case !generic:
		return sdk.TypeRef{Name: text}, nil
	case name == "Literal":
		var values []string
		err := json.Unmarshal([]byte("["+inner+"]"), &values)
		return sdk.TypeRef{Name: "literal", Values: values}, err
	}
	element, err := typeRef(strings.TrimPrefix(inner, "str, "))
	return sdk.TypeRef{Name: name, Args: []sdk.TypeRef{element}}, err
}

// splitOutside splits at a separator that stands in no brackets; nothing has no parts.
func splitOutside(text string, sep rune) []string {
	if text == "" {
		return nil
	}
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		depth += strings.Count("[(", string(r)) - strings.Count("])", string(r))
		return r == sep && depth == 0
	})
}
