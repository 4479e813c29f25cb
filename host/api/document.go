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
	const maxListing = 2000 // characters of a facade's methods; ours need a quarter
	var b strings.Builder
	for _, f := range s.registry.facades {
		if !s.Available(f) {
			continue
		}
		fmt.Fprintf(&b, "s.%s – %s: ", f.Name, f.Summary)
		sep, begin, more := "", b.Len(), 0
		for _, m := range f.Methods {
			if !s.shows(m) {
				continue
			}
			if b.Len()-begin > maxListing {
				more++
				continue
			}
			b.WriteString(sep + m.Name)
			if t := navigable(f, m.Result); len(t) > 0 {
				b.WriteString(" -> " + t[0])
			}
			sep = ", "
		}
		if more > 0 {
			fmt.Fprintf(&b, " and %d more: s.info(%q)", more, f.Name)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// shows reports whether a model is told of the method: it may be called, and not by plugins and runtimes only.
func (s *Scope) shows(m *Method) bool { return s.Enabled(m) && !sdk.Hidden(m.Name) }

// navigable names the record types in a result.
func navigable(f *Facade, t sdk.TypeRef) []string {
	var names []string
	for _, d := range contained(f, &t) {
		if d.Kind == sdk.TypeRecord {
			names = append(names, d.Name)
		}
	}
	return names
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
	described map[string]bool // see key
}

func (w *docWriter) item(item string) string {
	asked := strings.TrimSpace(item)
	if call := strings.IndexByte(asked, '('); call >= 0 { // as it is called
		asked = asked[:call]
	}
	asked = strings.TrimPrefix(asked, "s.")
	if asked == "s" {
		return w.scope.Overview()
	}
	name, member, qualified := strings.Cut(asked, ".")
	f := w.scope.registry.Facade(name)
	if f != nil && !w.scope.Available(f) {
		return w.scope.refusalOf(f)
	}
	switch {
	case f != nil && !qualified:
		return w.facade(f)
	case f != nil:
		if text, found := w.member(f, member); found {
			return text
		}
	case !qualified:
		if text, found := w.bareType(name); found {
			return text
		}
	}
	hint := ""
	if best, ok := nearest.Best(asked, w.names(f)); ok {
		hint = fmt.Sprintf("; did you mean %q?", best)
	}
	return fmt.Sprintf("%s: there is no such facade, method or type%s", item, hint)
}

// member documents a method or type of a facade.
func (w *docWriter) member(f *Facade, name string) (text string, found bool) {
	m := f.Method(name)
	switch {
	case m != nil && w.scope.shows(m):
		return w.method(f, m, true), true
	case f.Type(name) != nil:
		return w.types(f, f.Type(name), map[string]bool{}), true
	case m != nil && !sdk.Hidden(name):
		return w.scope.refusal(m).Error(), true
	}
	if where := w.scope.registry.elsewhere[f.Name+"."+name]; where != "" {
		return ofBackend(f.Name+"."+name, where), true
	}
	return "", false
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

// facade is tier 1: all common methods in full, niche ones in short, types by name.
func (w *docWriter) facade(f *Facade) string {
	var b strings.Builder
	fmt.Fprintf(&b, "s.%s – %s\n", f.Name, f.Summary)
	if f.Doc != "" {
		b.WriteString(f.Doc + "\n")
	}
	var results, others, limits []string // names of types, documentation of answer limits
	for _, m := range f.Methods {
		if !w.scope.shows(m) {
			continue
		}
		if !m.Niche {
			b.WriteString("\n" + w.method(f, m, false))
			limits = append(limits, answerLimits(m)...)
		}
		results = append(results, navigable(f, m.Result)...)
		others = append(others, methodTypes(f, m)...)
	}
	niche := ""
	for _, m := range f.Methods {
		if w.scope.shows(m) && m.Niche {
			niche += fmt.Sprintf("%s.%s: %s More: s.info(\"%s.%s\")\n", f.Name, m.Name, m.Summary, f.Name, m.Name)
		}
	}
	if len(limits) > 0 {
		b.WriteString("\n" + strings.Join(unique(limits), "\n") + "\n")
	}
	if niche != "" {
		b.WriteString("\nRarely needed:\n" + niche)
	}
	results = unique(results)
	others = slices.DeleteFunc(unique(others), func(name string) bool { return slices.Contains(results, name) })
	if len(results) > 0 {
		fmt.Fprintf(&b, "\nResult types: %s. Only to process results in code: s.info(\"%s\")\n", strings.Join(results, ", "), w.pointer(f, results[0]))
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, "Further types: %s\n", strings.Join(others, ", "))
	}
	return b.String()
}

// answerLimits documents the parameters that mean the same in every method.
func answerLimits(m *Method) []string {
	var docs []string
	for _, p := range m.Params {
		if p.AnswerLimit && p.Doc != "" {
			docs = append(docs, p.Name+": "+p.Doc)
		}
	}
	return docs
}

// method documents one method. Where it stands alone its answer limit is documented with it, and its types are pointed to.
func (w *docWriter) method(f *Facade, m *Method, alone bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s%s\n", f.Name, m.Signature(), flags(m))
	if m.Kind == sdk.MethodContextManager {
		fmt.Fprintf(&b, "    with s.%s.%s as %s:\n", f.Name, shortCall(m), initial(m.Name))
	}
	b.WriteString(indent(m.Summary))
	b.WriteString(indent(m.Doc))
	for _, p := range m.Params {
		if p.Doc != "" && (alone || !p.AnswerLimit) {
			fmt.Fprintf(&b, "    - %s: %s\n", p.Name, p.Doc)
		}
	}
	if alone {
		for _, example := range m.Examples {
			fmt.Fprintf(&b, "    Example: s.%s\n", strings.TrimPrefix(example, "s."))
		}
		if types := methodTypes(f, m); len(types) > 0 {
			for i, t := range types {
				types[i] = fmt.Sprintf("s.info(%q)", w.pointer(f, t))
			}
			fmt.Fprintf(&b, "    Types: %s\n", strings.Join(types, ", "))
		}
	}
	return b.String()
}

func flags(m *Method) string {
	text := ""
	if m.Beta {
		text += " [beta]"
	}
	if m.CanEdit {
		text += " [edits]"
	}
	return text
}

// shortCall is the method as it is called with what it requires.
func shortCall(m *Method) string {
	var required []string
	for _, p := range m.Params {
		if p.Required() {
			required = append(required, p.Name)
		}
	}
	return m.Name + "(" + strings.Join(required, ", ") + ")"
}

// initial is a variable's name for what a context manager gives: the first letter of the method's last word.
func initial(method string) string {
	return strings.ToLower(method[strings.LastIndexByte(strings.TrimRight(method, "_"), '_')+1:][:1])
}

// methodTypes names the declared types that a method's result and parameters have, the result's first.
func methodTypes(f *Facade, m *Method) []string {
	var names []string
	for _, d := range contained(f, &m.Result) {
		names = append(names, d.Name)
	}
	for i := range m.Params {
		for _, d := range contained(f, &m.Params[i].Type) {
			names = append(names, d.Name)
		}
	}
	return unique(names)
}

// contained lists the declared types that a reference names.
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

// unique drops repetitions and keeps the order.
func unique(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}
