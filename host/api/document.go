package api

import (
	"fmt"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

// Overview is tier 0: each available facade with its summary, its methods and their navigable result types.
func (s *Scope) Overview() string {
	var b strings.Builder
	for _, f := range s.registry.facades {
		if !s.Available(f) {
			continue
		}
		fmt.Fprintf(&b, "s.%s – %s: ", f.Name, f.Summary)
		sep := ""
		for _, m := range f.Methods {
			if !s.shows(m) {
				continue
			}
			b.WriteString(sep + m.Name)
			if t := navigable(f, m.Result); t != "" {
				b.WriteString(" -> " + t)
			}
			sep = ", "
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shows reports whether a model is told of the method: it may be called, and not by plugins and runtimes only.
func (s *Scope) shows(m *Method) bool { return s.Enabled(m) && !sdk.Hidden(m.Name) }

// navigable names the record type in a result, if there is one.
func navigable(f *Facade, t sdk.TypeRef) string {
	if d := f.Type(t.Name); d != nil && d.Kind == sdk.TypeRecord {
		return t.Name
	}
	for _, a := range t.Args {
		if name := navigable(f, a); name != "" {
			return name
		}
	}
	return ""
}

// Document answers `info(*items)`: without items the overview; a facade, a method (`facade.method`), a type (`Type` or
// `facade.Type`). An unknown item is reported in its place. described holds the types that the session has been told of
// and is updated: a contained type is documented once, an item that is asked for always in full. The caller serialises
// the use of described.
func (s *Scope) Document(items []string, described map[string]bool) string {
	if len(items) == 0 {
		return s.Overview() + "\nDetails: s.info(\"facade\"), s.info(\"facade.method\"), s.info(\"Type\")."
	}
	w := &docWriter{scope: s, described: described}
	parts := make([]string, len(items))
	for i, item := range items {
		parts[i] = strings.TrimRight(w.item(item), "\n")
	}
	return strings.Join(parts, "\n\n")
}

type docWriter struct {
	scope     *Scope
	described map[string]bool
}

func (w *docWriter) item(item string) string {
	name, member, qualified := strings.Cut(strings.TrimPrefix(item, "s."), ".")
	f := w.scope.registry.Facade(name)
	if f != nil && !w.scope.Available(f) {
		return w.scope.refusalOf(f)
	}
	switch {
	case f != nil && !qualified:
		return w.facade(f)
	case f != nil:
		if m := f.Method(member); m != nil && w.scope.shows(m) {
			return w.method(f, m, true)
		}
		if t := f.Type(member); t != nil {
			return w.types(f, t, map[string]bool{})
		}
		if m := f.Method(member); m != nil && !sdk.Hidden(member) {
			return w.scope.refusal(m).Error()
		}
	case !qualified:
		for _, f := range w.scope.registry.facades {
			if t := f.Type(name); t != nil && w.scope.Available(f) {
				return w.types(f, t, map[string]bool{})
			}
		}
	}
	hint := ""
	if best, ok := nearest.Best(item, w.names(f)); ok {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return fmt.Sprintf("%s: there is no such facade, method or type%s", item, hint)
}

// names lists what an item may be: within a facade its methods and types, else everything.
func (w *docWriter) names(within *Facade) []string {
	var names []string
	for _, f := range w.scope.registry.facades {
		if within != nil && f != within || !w.scope.Available(f) {
			continue
		}
		names = append(append(names, f.Name), methodNames(f, w.scope, f.Name+".")...)
		for _, t := range f.Types {
			names = append(names, t.Name, f.Name+"."+t.Name)
		}
	}
	return names
}

func (w *docWriter) facade(f *Facade) string {
	var b strings.Builder
	fmt.Fprintf(&b, "s.%s – %s\n", f.Name, f.Summary)
	if f.Doc != "" {
		b.WriteString(f.Doc + "\n")
	}
	for _, m := range f.Methods {
		if w.scope.shows(m) && !m.Niche {
			b.WriteString("\n" + w.method(f, m, false))
		}
	}
	for _, m := range f.Methods {
		if w.scope.shows(m) && m.Niche {
			fmt.Fprintf(&b, "\n%s: %s More: s.info(\"%s.%s\")\n", m.Name, m.Summary, f.Name, m.Name)
		}
	}
	var names []string
	for _, m := range f.Methods {
		if t := navigable(f, m.Result); t != "" && w.scope.shows(m) && !slices.Contains(names, t) {
			names = append(names, t)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, "\nResult types: %s. To use results in code: s.info(\"%s.%s\")\n", strings.Join(names, ", "), f.Name, names[0])
	}
	return b.String()
}

// method documents one method; its types are pointed to when it stands alone.
func (w *docWriter) method(f *Facade, m *Method, alone bool) string {
	var b strings.Builder
	flags := ""
	if m.Beta {
		flags += " [beta]"
	}
	if m.CanEdit {
		flags += " [edits]"
	}
	fmt.Fprintf(&b, "%s.%s%s\n    %s\n", f.Name, m.Signature(), flags, m.Summary)
	b.WriteString(indent(m.Doc))
	for _, p := range m.Params {
		if p.Doc != "" {
			fmt.Fprintf(&b, "    - %s: %s\n", p.Name, p.Doc)
		}
	}
	if t := navigable(f, m.Result); alone && t != "" {
		fmt.Fprintf(&b, "    Result type: s.info(\"%s.%s\")\n", f.Name, t)
	}
	return b.String()
}

// types documents a type and, transitively, those that it contains; done holds what this answer has.
func (w *docWriter) types(f *Facade, t *sdk.TypeDecl, done map[string]bool) string {
	done[t.Name], w.described[f.Name+"."+t.Name] = true, true
	var b strings.Builder
	b.WriteString(describeType(t))
	var more []*sdk.TypeDecl
	var pointed []string
	for _, m := range t.Members {
		if sdk.Hidden(m.Name) {
			continue
		}
		for _, c := range contained(f, m.Type) {
			if done[c.Name] {
				continue
			}
			done[c.Name] = true
			if w.described[f.Name+"."+c.Name] {
				pointed = append(pointed, c.Name)
			} else {
				more = append(more, c)
			}
		}
	}
	for _, name := range pointed {
		fmt.Fprintf(&b, "(%s was described before; s.info(%q) repeats it)\n", name, f.Name+"."+name)
	}
	for _, c := range more {
		b.WriteString("\n" + w.types(f, c, done))
	}
	return b.String()
}

func contained(f *Facade, t *sdk.TypeRef) []*sdk.TypeDecl {
	if t == nil {
		return nil
	}
	var out []*sdk.TypeDecl
	if d := f.Type(t.Name); d != nil {
		out = append(out, d)
	}
	for i := range t.Args {
		out = append(out, contained(f, &t.Args[i])...)
	}
	return out
}

func describeType(t *sdk.TypeDecl) string {
	var b strings.Builder
	if t.Kind == sdk.TypeEnum {
		fmt.Fprintf(&b, "enum %s\n%s", t.Name, indent(t.Doc))
		values := make([]string, len(t.Members))
		for i, m := range t.Members {
			values[i] = fmt.Sprintf("%s = %d", m.Name, m.Value)
		}
		return b.String() + "    " + strings.Join(values, ", ") + "\n"
	}
	fmt.Fprintf(&b, "class %s\n%s", t.Name, indent(t.Doc))
	if t.Items != "" {
		fmt.Fprintf(&b, "    iteration, len() and indexing work on %s; str() gives the text shown\n", t.Items)
	}
	for _, m := range t.Members {
		if sdk.Hidden(m.Name) {
			continue
		}
		fmt.Fprintf(&b, "    %s: %s", m.Name, m.Type.Annotation())
		if m.Lazy != "" {
			b.WriteString(" (fetched when read)")
		}
		if m.Doc != "" {
			b.WriteString(" – " + m.Doc)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}
