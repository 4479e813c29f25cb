package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/serena-go/serena/sdk"
)

// Source is one plugin's declaration with what runs its methods.
type Source struct {
	Manifest sdk.Manifest
	Provider Provider
}

// Registry holds the facades of one backend, composed from the sources. It is immutable.
type Registry struct {
	facades    []*Facade          // in the order in which they first appeared
	added      []*Method          // in the order of the sources
	tools      map[string]*Method // by the name of the classic tool
	elsewhere  map[string]string  // what there is with another backend only, `facade` or `facade.method`: that backend
	generation func() string      // made when it is first asked for: a start does without it
}

// Facade is one attribute of `s`: the methods that all sources give it.
type Facade struct {
	Name     string
	Summary  string
	Doc      string
	Optional bool
	Methods  []*Method
	Types    []sdk.TypeDecl    // of its methods, transitively, each once
	owner    string            // the plugin whose summary it shows
	renders  map[string]Source // what declares each type
}

// Method is one operation and what runs it.
type Method struct {
	sdk.MethodDecl
	Facade   string
	plugin   string
	provider Provider
}

// Compose builds a registry for a backend ("lsp", "jetbrains"). Where sources contradict each other the earlier one
// stands; each contradiction is one of the faults, which name both.
func Compose(backend string, sources []Source) (*Registry, []error) {
	r := &Registry{elsewhere: map[string]string{}}
	var faults []error
	for _, src := range sources {
		types := map[string]sdk.TypeDecl{}
		for _, t := range src.Manifest.Types {
			types[t.Name] = t
		}
		for _, decl := range src.Manifest.Facades {
			faults = append(faults, r.add(backend, src, decl, types)...)
		}
	}
	for _, f := range r.facades {
		if f.owner == "" && len(f.Methods) > 0 { // with this backend
			faults = append(faults, f.ownerless())
		}
	}
	for _, f := range r.facades {
		if len(f.Methods) > 0 {
			delete(r.elsewhere, f.Name)
		}
		for _, m := range f.Methods { // the other backend has a method of this name, too
			delete(r.elsewhere, f.Name+"."+m.Name)
		}
	}
	r.facades = slices.DeleteFunc(r.facades, func(f *Facade) bool { return f.owner == "" })
	faults = append(faults, r.nameTools()...)
	r.generation = sync.OnceValue(func() string {
		digest := sha256.New()
		fmt.Fprintln(digest, backend)
		for _, src := range sources {
			fmt.Fprintln(digest, src.Manifest.Name, src.Manifest.Digest())
		}
		return hex.EncodeToString(digest.Sum(nil))[:16]
	})
	return r, faults
}

// ownerless tells that what plugins give a facade of another's is left out.
func (f *Facade) ownerless() error {
	var givers, methods []string
	for _, m := range f.Methods {
		givers, methods = append(givers, m.plugin), append(methods, m.Name)
	}
	return fmt.Errorf("facade %s is left out, with what other plugins give it (%s, from %s): no plugin that is on declares it as its own",
		f.Name, strings.Join(methods, ", "), strings.Join(unique(givers), ", "))
}

func (r *Registry) add(backend string, src Source, decl sdk.FacadeDecl, types map[string]sdk.TypeDecl) (faults []error) {
	plugin := src.Manifest.Name
	f := r.Facade(decl.Name)
	if f == nil {
		f = &Facade{Name: decl.Name, renders: map[string]Source{}}
		r.facades = append(r.facades, f)
	}
	if decl.Owner {
		if f.owner != "" {
			return []error{fmt.Errorf("facade %s belongs to plugin %s; plugin %s declares it too and is left out of it", f.Name, f.owner, plugin)}
		}
		f.owner, f.Summary, f.Doc, f.Optional = plugin, decl.Summary, decl.Doc, decl.Optional
	}
	for _, d := range decl.Methods {
		if d.Backend != "" && d.Backend != backend {
			r.elsewhere[f.Name+"."+d.Name], r.elsewhere[f.Name] = d.Backend, d.Backend
			continue
		}
		if other := f.Method(d.Name); other != nil {
			faults = append(faults, fmt.Errorf("method %s.%s is given by plugin %s and by plugin %s: the first stands", f.Name, d.Name, other.plugin, plugin))
			continue
		}
		m := &Method{MethodDecl: d, Facade: f.Name, plugin: plugin, provider: src.Provider}
		f.Methods, r.added = append(f.Methods, m), append(r.added, m)
		for _, p := range d.Params {
			faults = append(faults, f.collect(p.Type, types, src)...)
		}
		faults = append(faults, f.collect(d.Result, types, src)...)
	}
	return faults
}

// collect adds the declared types that t reaches. Two plugins' types of one name in one facade are a fault: the first stands.
func (f *Facade) collect(t sdk.TypeRef, types map[string]sdk.TypeDecl, src Source) (faults []error) {
	for _, a := range t.Args {
		faults = append(faults, f.collect(a, types, src)...)
	}
	decl, declared := types[t.Name]
	if !declared {
		return faults
	}
	if owner, have := f.renders[t.Name]; have {
		if owner.Manifest.Name != src.Manifest.Name {
			faults = append(faults, fmt.Errorf("type %s of facade %s is declared by plugin %s and by plugin %s: the first stands, so the second's values are shown wrongly", t.Name, f.Name, owner.Manifest.Name, src.Manifest.Name))
		}
		return faults
	}
	f.renders[t.Name] = src
	f.Types = append(f.Types, decl)
	for _, m := range decl.Members {
		if m.Type != nil {
			faults = append(faults, f.collect(*m.Type, types, src)...)
		}
	}
	return faults
}

// Generation identifies the registry's content.
func (r *Registry) Generation() string { return r.generation() }

// Facades lists all facades.
func (r *Registry) Facades() []*Facade { return r.facades }

// Facade returns the facade of that name, or nil.
func (r *Registry) Facade(name string) *Facade {
	for _, f := range r.facades {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Method returns the facade's method of that name, or nil.
func (f *Facade) Method(name string) *Method {
	for _, m := range f.Methods {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Type returns the declaration of the type of that name, or nil.
func (f *Facade) Type(name string) *sdk.TypeDecl {
	for i := range f.Types {
		if f.Types[i].Name == name {
			return &f.Types[i]
		}
	}
	return nil
}

// typesOf finds the types that a method's own plugin declares: another's of the same name may be different.
func (f *Facade) typesOf(m *Method) func(name string) *sdk.TypeDecl {
	return func(name string) *sdk.TypeDecl {
		if f.renders[name].Manifest.Name != m.plugin {
			return nil
		}
		return f.Type(name)
	}
}
