package api

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/serena-go/serena/sdk"
)

// homes lists the available facades that have a type of that name, each declaration once: plugins may use one type in several
// facades, and two plugins may have two types of one name.
func (w *docWriter) homes(name string) []*Facade {
	var homes []*Facade
	for _, f := range w.scope.registry.facades {
		t := f.Type(name)
		if t == nil || !w.scope.Available(f) {
			continue
		}
		known := false
		for _, h := range homes {
			known = known || reflect.DeepEqual(h.Type(name), t)
		}
		if !known {
			homes = append(homes, f)
		}
	}
	return homes
}

// bareType documents a type that is named without its facade: each one that is meant.
func (w *docWriter) bareType(name string) (text string, found bool) {
	homes := w.homes(name)
	if len(homes) == 1 {
		return w.types(homes[0], homes[0].Type(name), map[string]bool{}), true
	}
	for _, f := range homes {
		text += fmt.Sprintf("%s.%s:\n%s\n", f.Name, name, w.types(f, f.Type(name), map[string]bool{}))
	}
	return text, len(homes) > 0
}

// pointer is what a type is asked for by: its name, behind the facade's where that alone would mean several.
func (w *docWriter) pointer(f *Facade, name string) string {
	if len(w.homes(name)) > 1 {
		return f.Name + "." + name
	}
	return name
}

// key identifies a type among those that a session was told of: one that several facades use has one key.
func (w *docWriter) key(f *Facade, t *sdk.TypeDecl) string {
	for _, g := range w.scope.registry.facades {
		if other := g.Type(t.Name); other != nil && reflect.DeepEqual(other, t) {
			return g.Name + "." + t.Name
		}
	}
	return f.Name + "." + t.Name
}

// types is tier 2: a type and, transitively, those that it contains; done holds what this answer has.
func (w *docWriter) types(f *Facade, t *sdk.TypeDecl, done map[string]bool) string {
	done[t.Name], w.described[w.key(f, t)] = true, true
	var b strings.Builder
	b.WriteString(w.describeType(f, t))
	var more []*sdk.TypeDecl
	for _, c := range w.within(f, t) {
		switch {
		case done[c.Name]:
		case w.described[w.key(f, c)]:
			fmt.Fprintf(&b, "(%s was described before; s.info(%q) repeats it)\n", c.Name, w.pointer(f, c.Name))
		default:
			more = append(more, c)
		}
		done[c.Name] = true
	}
	for _, c := range more {
		b.WriteString("\n" + w.types(f, c, done))
	}
	return b.String()
}

// within lists the declared types that a type's documentation names.
func (w *docWriter) within(f *Facade, t *sdk.TypeDecl) []*sdk.TypeDecl {
	var out []*sdk.TypeDecl
	for _, m := range t.DocumentedMembers() {
		out = append(out, contained(f, m.Type)...)
	}
	for _, r := range t.DocumentedMethods() {
		m := f.Method(r.Calls)
		if m == nil || !w.scope.Enabled(m) {
			continue
		}
		out = append(out, contained(f, &m.Result)...)
		for _, p := range m.OnRecord(r.Name).Params {
			out = append(out, contained(f, &p.Type)...)
		}
	}
	return out
}

func (w *docWriter) describeType(f *Facade, t *sdk.TypeDecl) string {
	var b strings.Builder
	switch t.Kind {
	case sdk.TypeEnum:
		return describeEnum(f, t)
	case sdk.TypeKeyedDict:
		fmt.Fprintf(&b, "dict %s, with the keys:\n%s", t.Name, indent(t.Doc))
	default:
		fmt.Fprintf(&b, "class %s\n%s", t.Name, indent(t.Doc))
	}
	if t.Items != "" {
		fmt.Fprintf(&b, "    iteration, len() and indexing work on %s; str() gives the text shown\n", t.Items)
	}
	for _, m := range t.DocumentedMembers() {
		fmt.Fprintf(&b, "    %s: %s", m.Name, m.Type.Annotation())
		if m.Lazy != "" {
			b.WriteString(" (fetched when read)")
		}
		if m.Doc != "" {
			b.WriteString(" – " + m.Doc)
		}
		b.WriteByte('\n')
	}
	for _, r := range t.DocumentedMethods() {
		m := f.Method(r.Calls)
		if m == nil || !w.scope.Enabled(m) {
			continue
		}
		fmt.Fprintf(&b, "    %s%s\n%s", m.OnRecord(r.Name).Signature(), flags(m), indent(strings.TrimRight(indent(r.Doc), "\n")))
	}
	return b.String()
}

func describeEnum(f *Facade, t *sdk.TypeDecl) string {
	var b strings.Builder
	fmt.Fprintf(&b, "enum %s\n%s", t.Name, indent(t.Doc))
	documented := false
	for _, m := range t.Members {
		documented = documented || m.Doc != ""
	}
	values := make([]string, len(t.Members))
	for i, m := range t.Members {
		values[i] = fmt.Sprintf("%s = %d", m.Name, m.Value)
		if m.Doc != "" {
			values[i] += " – " + m.Doc
		}
	}
	sep := ", "
	if documented {
		sep = "\n    "
	}
	fmt.Fprintf(&b, "    %s\n", strings.Join(values, sep))
	if len(t.Members) > 0 {
		fmt.Fprintf(&b, "    In code: s.%s.%s.%s\n", f.Name, t.Name, t.Members[0].Name)
	}
	return b.String()
}
