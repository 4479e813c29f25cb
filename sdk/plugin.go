package sdk

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Plugin is the whole declaration of a plugin. Name and Facades are required.
type Plugin struct {
	Name    string // a Python identifier; also the name of its settings
	Version string // free text, shown by `serena plugin list`
	Facades []Facade

	// Settings, a struct with json tags, declares the keys of `plugins: NAME:` in the configuration; its values are the defaults, which are
	// documented, and its tag `doc` the documentation. A project with settings that do not fit is refused before Open. Optional.
	Settings any

	// StartsPrograms says that the plugin starts programs, all of them through internal/process: it then inherits and ends
	// what they leave behind. Leave it false when programs are started by os/exec.
	StartsPrograms bool

	// LongLived says that the plugin holds what is costly to make again, such as servers or an index: the host does not end its
	// process when it has had nothing to do for a while.
	LongLived bool

	// Open prepares a project before its first call; it should return quickly. Optional.
	Open func(ctx context.Context, project *Project) error
	// Close releases what is held for a project. Optional.
	Close func(ctx context.Context, projectID string)
	// Stop releases everything; the process ends when it returns or when ctx is done. Children that are left then are
	// killed. It may be called more than once. Optional.
	Stop func(ctx context.Context)
}

// Facade is one attribute of `s`. Several plugins may give methods to one facade; exactly one of them owns it, and the
// owner's Summary and Doc are shown.
type Facade struct {
	Name     string // a Python identifier
	Summary  string // the domain in a few words; lists no operation
	Doc      string // optional, further text for `info`
	Methods  []Method
	Guest    bool // another plugin owns the facade: Summary and Doc are empty
	Optional bool // off unless it is included
}

// Method is one operation. It is made by NewMethod.
type Method struct {
	decl    MethodDecl
	types   []TypeDecl
	faults  []string                // of its options
	check   func() []string         // what cannot be made sense of in the parameters and the result; nil: somebody else's affair
	goTypes map[string]reflect.Type // their own, by name
	run     func(ctx context.Context, call *Call, args json.RawMessage) (any, error)
}

// Decl returns the declaration that goes into the manifest.
func (m Method) Decl() MethodDecl { return m.decl }

// MethodOption sets a flag of a method.
type MethodOption func(*MethodDecl)

// Tool names the classic tool that corresponds to the method.
func Tool(name string) MethodOption { return func(m *MethodDecl) { m.Tool = name } }

// CanEdit marks a method that changes files or runs commands: read-only projects refuse it.
func CanEdit() MethodOption { return func(m *MethodDecl) { m.CanEdit = true } }

// Optional marks a method that is off unless it is included.
func Optional() MethodOption { return func(m *MethodDecl) { m.Optional = true } }

// Beta marks a method whose contract may still change.
func Beta() MethodOption { return func(m *MethodDecl) { m.Beta = true } }

// Niche marks a method that is rarely needed: `info` shows its summary only, until it is asked for.
func Niche() MethodOption { return func(m *MethodDecl) { m.Niche = true } }

// UsesProjectServer marks a method that the project server runs when an external project is asked.
func UsesProjectServer() MethodOption { return func(m *MethodDecl) { m.UsesProjectServer = true } }

// Backend says that the method counts only while this is the project's backend ("lsp", "jetbrains").
func Backend(name string) MethodOption { return func(m *MethodDecl) { m.Backend = name } }

// Alias lets callers use another name for a parameter.
func Alias(param, alias string) MethodOption {
	return func(m *MethodDecl) {
		p := m.param(param)
		if p == nil {
			m.faults = append(m.faults, fmt.Sprintf("the alias %s is one of %s, which is no parameter%s", alias, param, suggestion(param, m.paramNames())))
			return
		}
		p.Aliases = append(p.Aliases, alias)
	}
}

// NewMethod declares a method. P is a struct: each exported field with a `json` tag is a parameter, in order; the tags
// `doc` and `default` (a Python literal: 'text', 3, None, True, ()) document it, a field without `default` is required.
// `output:"true"` marks a parameter that shapes the rendering only: it becomes part of the result's policy.
//
// R is the result: a string, number, bool, slice, map, or a struct, which becomes a record type (see Renderer for how it
// is shown, WithMethods for methods, Curated for what is documented) or, with KeyedDict, a plain dict with known keys. A pointer may be
// nil, which is None. Either is one of two types.
//
// A record's member with the tag `lazy:"method_"`, a pointer with omitempty, may be left out (nil): the member is then fetched
// when it is first read, by the facade's method of that name with the record's data as its one parameter, `record`
// json.RawMessage. A pointer to a nil pointer is None for good. A member with `inherit:"true"` and omitempty that is left out
// has the value that the record around it has under the same name. Members and methods whose names end in "_" are not shown
// to a model.
//
// doc's first paragraph is the summary, the rest the documentation. Faults of a declaration are reported by Validate.
func NewMethod[P, R any](name string, run func(ctx context.Context, call *Call, p P) (R, error), doc string, opts ...MethodOption) Method {
	d := newDeriver()
	summary, rest, _ := strings.Cut(strings.TrimSpace(doc), "\n\n")
	m := Method{decl: MethodDecl{
		Name:    name,
		Summary: strings.Join(strings.Fields(summary), " "),
		Doc:     strings.TrimSpace(rest),
		Params:  d.params(reflect.TypeFor[P]()),
		Result:  d.result(reflect.TypeFor[R]()),
	}}
	for _, o := range opts {
		o(&m.decl)
	}
	m.types, m.faults, m.goTypes = d.types, m.decl.faults, d.goTypes
	if run == nil {
		m.faults = append(m.faults, "the function that runs it is nil")
	}
	m.check = func() []string { // not above: a plugin's start does without it
		strict := newDeriver()
		strict.strict = true
		strict.params(reflect.TypeFor[P]())
		strict.result(reflect.TypeFor[R]())
		return strict.faults
	}
	m.run = func(ctx context.Context, call *Call, args json.RawMessage) (any, error) {
		var p P
		if err := decodeStrict(args, &p); err != nil {
			return nil, Errorf(KindType, "%s: %w", name, err)
		}
		return run(ctx, call, p)
	}
	return m
}

func decodeStrict(data json.RawMessage, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}
