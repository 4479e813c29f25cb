package sdk

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/nearest"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// entrypointNames are what s has besides facades.
var entrypointNames = []string{"aio", "clear", "info", "vars"}

// plainTypes are the names of types that are not declared.
var plainTypes = strings.Fields("str int float bool None Any list dict optional literal union")

var pythonKeywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except finally for from
	global if import in is lambda nonlocal not or pass raise return try while with yield`)

// Validate reports every fault of the declaration, in the author's terms; nil when there is none. Call it in a test.
func (p Plugin) Validate() error {
	var faults []error
	types := map[string]reflect.Type{}
	add := func(at string, messages []string, named map[string]reflect.Type) {
		for _, message := range messages {
			faults = append(faults, fmt.Errorf("%s: %s", at, message))
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			if other, have := types[name]; have && other != named[name] {
				faults = append(faults, fmt.Errorf("%s: %s.%s and %s.%s have the same name, but Python knows types by their names alone: rename one of them",
					at, other.PkgPath(), name, named[name].PkgPath(), name))
			}
			types[name] = named[name]
		}
	}
	for _, f := range p.Facades {
		for _, m := range f.Methods {
			at := f.Name + "." + m.decl.Name
			if m.check != nil {
				add(at, m.check(), nil)
			}
			add(at, m.faults, m.goTypes)
		}
	}
	if len(p.Facades) == 0 {
		faults = append(faults, fmt.Errorf("plugin %s has no facades: it gives nothing to anybody", p.Name))
	}
	settings := p.declareSettings()
	add("Settings", settings.faults, settings.goTypes)
	return errors.Join(append(faults, p.Manifest().Validate())...)
}

// Validate reports every fault of the manifest; nil when there is none.
func (m Manifest) Validate() error {
	v := &validator{kinds: map[string]string{}, types: map[string]*TypeDecl{}, tools: map[string]string{}}
	if !v.wellFormed(m) {
		return errors.Join(v.faults...)
	}
	v.name("plugin", m.Name)
	for _, t := range m.Types {
		v.name("type", t.Name)
		if slices.Contains(plainTypes, t.Name) {
			v.fault("type %s has the name of a type that everybody has: rename it", t.Name)
		}
		if _, twice := v.kinds[t.Name]; twice {
			v.fault("type %s is declared twice", t.Name)
		}
		v.kinds[t.Name] = t.Kind
		v.types[t.Name] = &t
	}
	for _, t := range m.Types {
		v.typeDecl(t)
	}
	facades := map[string]bool{}
	for _, f := range m.Facades {
		if facades[f.Name] {
			v.fault("facade %s is declared twice", f.Name)
		}
		facades[f.Name] = true
		v.facade(f)
	}
	v.calledByRecords(m)
	v.settings(m.Settings)
	return errors.Join(v.faults...)
}

type validator struct {
	kinds  map[string]string // of the declared types, by name
	types  map[string]*TypeDecl
	tools  map[string]string // methods by the name of their tool
	faults []error
}

func (v *validator) typeOf(name string) *TypeDecl { return v.types[name] }

func (v *validator) fault(format string, args ...any) {
	v.faults = append(v.faults, fmt.Errorf(format, args...))
}

func (v *validator) name(what, name string) {
	if len(name) > maxNameLength {
		v.fault("the name of the %s, %.20s…, has %d characters, more than %d", what, name, len(name), maxNameLength)
	} else if !identifier.MatchString(name) || slices.Contains(pythonKeywords, name) {
		v.fault("the name of the %s, %q, must be a Python identifier and no keyword", what, name)
	} else if strings.HasPrefix(name, "_") {
		v.fault("the name of the %s, %q, must not begin with \"_\": Python takes such names for private ones", what, name)
	}
}

func (v *validator) facade(f FacadeDecl) {
	v.name("facade", f.Name)
	if slices.Contains(entrypointNames, f.Name) {
		v.fault("facade %s: s.%s is serena's own; there are also %s: name the facade otherwise", f.Name, f.Name, strings.Join(entrypointNames, ", "))
	}
	if !f.Owner && (f.Summary != "" || f.Doc != "") {
		v.fault("facade %s belongs to another plugin (Guest), which gives its summary and doc: remove them here", f.Name)
	}
	if f.Owner && strings.TrimSpace(f.Summary) == "" {
		v.fault("facade %s needs a summary of its domain", f.Name)
	}
	if n := utf8.RuneCountInString(f.Summary); n > maxSummaryLength {
		v.fault("facade %s: the summary has %d characters, more than %d; more belongs into the doc", f.Name, n, maxSummaryLength)
	}
	if strings.ContainsAny(f.Summary, "\r\n") {
		v.fault("facade %s: the summary must be one line; more belongs into the doc", f.Name)
	}
	seen := map[string]bool{}
	for _, m := range f.Methods {
		if seen[m.Name] {
			v.fault("%s.%s is declared twice", f.Name, m.Name)
		}
		seen[m.Name] = true
		if _, isType := v.kinds[m.Name]; isType {
			v.fault("%s.%s is a method and a type of that name as well, and s.%s.%s can be only one of them: rename one", f.Name, m.Name, f.Name, m.Name)
		}
		if strings.Contains(f.Summary, m.Name) && strings.Contains(m.Name, "_") {
			v.fault("facade %s: the summary speaks of the domain and lists no operation, but names %s", f.Name, m.Name)
		}
		v.method(f.Name+"."+m.Name, m)
		v.contextManager(f, m)
		v.examples(f, m)
	}
}

func (v *validator) method(at string, m MethodDecl) {
	v.name("method", m.Name)
	if m.Summary == "" || m.Doc == "" {
		v.fault("%s needs a summary (the first paragraph of its doc) and documentation (the rest)", at)
	}
	if m.Tool != "" {
		v.name("tool of "+at, m.Tool)
		if other, twice := v.tools[m.Tool]; twice {
			v.fault("%s and %s are both the tool %s", other, at, m.Tool)
		}
		v.tools[m.Tool] = at
	}
	if Hidden(m.Name) && m.Tool != "" {
		v.fault("%s is not shown to a model, as its name ends in \"_\", and so can be no tool", at)
	}
	names, optional := map[string]bool{}, false
	for _, p := range m.Params {
		v.name("parameter of "+at, p.Name)
		for _, alias := range p.Aliases {
			v.name("parameter of "+at, alias)
		}
		for _, n := range append([]string{p.Name}, p.Aliases...) {
			if names[n] {
				v.fault("%s: parameter %s is declared twice", at, n)
			}
			names[n] = true
		}
		v.ref(at+", parameter "+p.Name, p.Type)
		if p.Required() {
			if optional {
				v.fault("%s: parameter %s has no default but stands behind one that has", at, p.Name)
			}
			continue
		}
		optional = true
		if p.badDefault {
			continue
		}
		if err := (checker{v.typeOf}).check(p.Type, p.Default); err != nil {
			v.fault("%s: the default of %s does not fit its type: %v", at, p.Name, err)
		}
	}
	if m.Result.Name == "union" {
		v.union(at+", result", m.Result)
	} else {
		v.ref(at+", result", m.Result)
	}
}

func (v *validator) examples(f FacadeDecl, m MethodDecl) {
	for _, example := range m.Examples {
		args, err := m.ExampleArguments(f.Name, example)
		if err == nil {
			_, err = Binder{Types: v.typeOf}.Bind(m, f.Name, args)
		}
		if err != nil {
			v.fault("%s.%s: the example %s: %v", f.Name, m.Name, example, err)
		}
	}
}

// near is a name that does not exist, with the one that may have been meant.
func (v *validator) near(name string, names []string) string {
	if best, ok := nearest.Best(name, names); ok {
		return fmt.Sprintf("%s (did you mean %s?)", name, best)
	}
	return name
}

func (f FacadeDecl) method(name string) *MethodDecl {
	for i := range f.Methods {
		if f.Methods[i].Name == name {
			return &f.Methods[i]
		}
	}
	return nil
}

func (f FacadeDecl) methodNames() []string {
	names := make([]string, len(f.Methods))
	for i, m := range f.Methods {
		names[i] = m.Name
	}
	return names
}

func (v *validator) ref(at string, t TypeRef) {
	switch t.Name {
	case "str", "int", "float", "bool", "None", "Any":
	case "union":
		v.fault("%s: one of several types can be the whole result of a method only", at)
	case "list", "dict", "optional":
		v.ref(at, t.Args[0])
	case "literal":
		if len(t.Values) == 0 {
			v.fault("%s: a literal needs values", at)
		}
	default:
		if _, declared := v.kinds[t.Name]; !declared {
			v.fault("%s: type %s is not declared", at, v.near(t.Name, slices.Sorted(maps.Keys(v.kinds))))
		}
	}
}

func (v *validator) typeDecl(t TypeDecl) {
	if t.Kind != TypeRecord && t.Kind != TypeEnum && t.Kind != TypeKeyedDict {
		v.fault("type %s: unknown kind %q: there are %s, %s and %s", t.Name, t.Kind, TypeRecord, TypeEnum, TypeKeyedDict)
	}
	v.recordShape(t)
	items := t.Items == ""
	names, values := map[string]bool{}, map[int]string{}
	for _, m := range t.Members {
		if names[m.Name] {
			v.fault("type %s has two members named %s", t.Name, m.Name)
		}
		names[m.Name] = true
		if other, twice := values[m.Value]; twice && t.Kind == TypeEnum {
			v.fault("enum %s: %s and %s have the same value, %d", t.Name, other, m.Name, m.Value)
		}
		values[m.Value] = m.Name
		v.name("member of "+t.Name, m.Name)
		if t.Kind == TypeEnum {
			if m.Name == "mro" {
				v.fault("enum %s: Python keeps the name mro for itself: rename the member", t.Name)
			}
			continue
		}
		if m.Type == nil {
			v.fault("type %s: member %s has no type", t.Name, m.Name)
			continue
		}
		v.ref("type "+t.Name+", member "+m.Name, *m.Type)
		items = items || m.Name == t.Items && m.Type.Name == "list"
	}
	if !items {
		v.fault("type %s: items names %q, which is no list member", t.Name, t.Items)
	}
}
