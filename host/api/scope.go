package api

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/internal/quoted"
	"github.com/serena-go/serena/sdk"
)

// Definition says what a level of the configuration adds to or takes from the scope. Items are `facade` or
// `facade.method`; within one definition exclusions come before inclusions.
type Definition struct {
	Origin   string // for messages: "the global configuration", "project x"
	Excluded []string
	Included []string
}

// Scope says which methods of a registry are enabled. It is immutable.
type Scope struct {
	registry *Registry
	enabled  map[*Method]bool
	readOnly bool
	tools    *toolSet      // nil: not of the classic interface
	digest   func() string // made when it is first asked for
}

// scopeState is what the definitions said so far.
type scopeState struct {
	registry *Registry
	facadeOn map[string]bool
	explicit map[*Method]bool // methods that were named, and how
	notes    []string
	unknowns int // of the present definition
}

// mostNamed is how many names of one list are noted one by one when nothing comes of them.
const mostNamed = 10

// NewScope applies the definitions in order, later ones winning: methods of a facade that is not included (excluded, or
// optional without inclusion) and optional methods are enabled only if they are named; all others unless excluded. To exclude a facade
// takes back what was said of its methods; to include it does not. In a read-only project no method that can edit is enabled, whatever
// was included. Methods that no model is told of are there for those of their facade that are enabled. Items that name nothing are
// reported.
func NewScope(r *Registry, definitions []Definition, readOnly bool) (*Scope, []string) {
	st := &scopeState{registry: r, facadeOn: map[string]bool{}, explicit: map[*Method]bool{}}
	for _, f := range r.facades {
		st.facadeOn[f.Name] = !f.Optional
	}
	for _, d := range definitions {
		st.unknowns = 0
		for _, item := range d.Excluded {
			st.apply(d.Origin, item, false)
		}
		for _, item := range d.Included {
			st.apply(d.Origin, item, true)
		}
		if st.unknowns > mostNamed {
			st.notes = append(st.notes, fmt.Sprintf("%s names %d more APIs that do not exist", d.Origin, st.unknowns-mostNamed))
		}
	}
	s := &Scope{registry: r, enabled: map[*Method]bool{}, readOnly: readOnly}
	for _, f := range r.facades {
		available := false
		for _, m := range f.Methods {
			if !sdk.Hidden(m.Name) && st.on(f, m, st.facadeOn[f.Name] && !m.Optional) && !(readOnly && m.CanEdit) {
				s.enabled[m], available = true, true
			}
		}
		for _, m := range f.Methods {
			if sdk.Hidden(m.Name) && st.on(f, m, available) && !(readOnly && m.CanEdit) {
				s.enabled[m] = true
			}
		}
	}
	s.digest = s.lazySum()
	return s, st.notes
}

// on reports whether a method is enabled: as it was named, else by default.
func (st *scopeState) on(f *Facade, m *Method, byDefault bool) bool {
	on, named := st.explicit[m]
	return on || !named && byDefault
}

func (st *scopeState) apply(origin, item string, on bool) {
	facade, method, isMethod := strings.Cut(item, ".")
	f := st.registry.Facade(facade)
	switch {
	case st.registry.elsewhere[item] != "": // no mistake, and of no effect
	case f == nil:
		st.unknown(origin, item, facadeNames(st.registry))
	case !isMethod:
		st.facadeOn[facade] = on
		if !on {
			for _, m := range f.Methods {
				delete(st.explicit, m)
			}
		}
	default:
		m := f.Method(method)
		if m == nil {
			names := methodNames(f, nil, f.Name+".")
			for _, name := range slices.Sorted(maps.Keys(st.registry.elsewhere)) {
				if strings.HasPrefix(name, f.Name+".") && !sdk.Hidden(name) {
					names = append(names, name)
				}
			}
			st.unknown(origin, item, names)
			return
		}
		st.explicit[m] = on
	}
}

func (st *scopeState) unknown(origin, item string, names []string) {
	if st.unknowns++; st.unknowns > mostNamed {
		return
	}
	note := fmt.Sprintf("%s names the API %s, which does not exist", origin, quoted.Short(item))
	if best, ok := nearest.Best(item, names); ok {
		note += fmt.Sprintf("; did you mean %q?", best)
	} else {
		note += "; there are: " + strings.Join(names, ", ")
	}
	st.notes = append(st.notes, note)
}

// method returns the registry's method of that name, or nil.
func (s *Scope) method(facade, method string) *Method {
	if f := s.registry.Facade(facade); f != nil {
		return f.Method(method)
	}
	return nil
}

// Enabled reports whether the method may be called.
func (s *Scope) Enabled(m *Method) bool { return s.enabled[m] }

// Available reports whether the facade has an enabled method that a model is told of.
func (s *Scope) Available(f *Facade) bool {
	for _, m := range f.Methods {
		if s.shows(m) {
			return true
		}
	}
	return false
}

// Digest identifies the enabled methods and their declarations.
func (s *Scope) Digest() string { return s.digest() }

func (s *Scope) lazySum() func() string { return sync.OnceValue(s.sum) }

func (s *Scope) sum() string {
	digest := sha256.New()
	fmt.Fprintln(digest, s.registry.Generation(), s.readOnly) // which is why a method is refused
	for _, f := range s.registry.facades {
		for _, m := range f.Methods {
			if s.enabled[m] {
				fmt.Fprintln(digest, f.Name, m.Name)
			}
		}
	}
	return hex.EncodeToString(digest.Sum(nil))[:16]
}

func facadeNames(r *Registry) []string {
	names := make([]string, len(r.facades))
	for i, f := range r.facades {
		names[i] = f.Name
	}
	return names
}

// methodNames lists a facade's methods that a model is told of, only the enabled ones where a scope is given.
func methodNames(f *Facade, s *Scope, prefix string) []string {
	var names []string
	for _, m := range f.Methods {
		if (s == nil || s.Enabled(m)) && !sdk.Hidden(m.Name) {
			names = append(names, prefix+m.Name)
		}
	}
	return names
}
