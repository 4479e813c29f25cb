package lsp

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/plugins/lsp/servers"
	"github.com/serena-go/serena/sdk"
)

// active returns the configured servers in their order; all when none is configured: the files decide then. unknown are the configured
// names that no server has.
func active(table []servers.Description, configured []string) (known []servers.Description, unknown []string) {
	if len(configured) == 0 {
		return table, nil
	}
	for _, key := range configured {
		if i := slices.IndexFunc(table, func(d servers.Description) bool { return d.Key == key }); i >= 0 {
			known = append(known, table[i])
		} else {
			unknown = append(unknown, key)
		}
	}
	return known, unknown
}

// unknownNote says that configured servers do not exist; "" when all do.
func unknownNote(table []servers.Description, unknown []string) string {
	if len(unknown) == 0 {
		return ""
	}
	var keys []string
	for _, d := range table {
		keys = append(keys, d.Key)
	}
	slices.Sort(keys)
	parts := make([]string, len(unknown))
	for i, name := range unknown {
		parts[i] = fmt.Sprintf("%q", name)
		if best, ok := nearest.Best(name, keys); ok {
			parts[i] += " (did you mean " + best + "?)"
		}
	}
	return fmt.Sprintf("language_servers asks for %s, and there is no such language server; known: %s", strings.Join(parts, ", "), strings.Join(keys, ", "))
}

// unsupported says that no server handles a file: "nothing found" would be taken for an answer.
func (w *workspace) unsupported(rel string) error {
	kind := "files of this type"
	if ext := path.Ext(rel); ext != "" {
		kind = ext + " files"
	}
	more := ""
	if w.unknown != "" {
		more = ". " + w.unknown
	}
	return sdk.Errorf(sdk.KindValue, "%s: no active language server handles %s; active: %s. Read or search it as text instead, or add its language to language_servers%s", rel, kind, w.servers(), more)
}

// servers lists the active ones for a message.
func (w *workspace) servers() string {
	if len(w.slots) == 0 {
		return fmt.Sprintf("none (configured: %s)", strings.Join(w.settings.Languages, ", "))
	}
	var names []string
	for _, s := range w.slots {
		names = append(names, fmt.Sprintf("%s (%s: %s)", s.desc.Key, s.desc.Server, s.desc.Files()))
	}
	return strings.Join(names, ", ")
}

// fileTypes counts files by their extension; "" is for those without.
type fileTypes map[string]int

// String names the most frequent types, ".py (12 files), .md (1 file)".
func (t fileTypes) String() string {
	var types []string
	for ext := range t {
		types = append(types, ext)
	}
	slices.SortFunc(types, func(a, b string) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b)) })
	parts := make([]string, len(types))
	for i, ext := range types {
		parts[i] = fmt.Sprintf("%s (%s)", cmp.Or(ext, "no extension"), count(t[ext], "file"))
	}
	return named(parts)
}

// named lists the first names and counts the others.
func named(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
