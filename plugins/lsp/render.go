package lsp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

// form is one way to show a result; what says which, for a form that is not the full one.
type form struct {
	what string
	text func() string
}

// shortest shows the first form that fits into the policy's limit, and says that it is not the full one. total and more are for that notice: what
// there is in all, and how to get the rest.
func shortest(policy sdk.Policy, notes []string, total, more string, forms ...form) string {
	limit := policy.Int("max_answer_chars", 0)
	if limit <= 0 || limit > maxRendered {
		limit = maxRendered
	}
	full := forms[0].text()
	length := utf8.RuneCountInString(full)
	if length <= limit {
		return withNotes(full, notes)
	}
	for _, f := range forms[1:] {
		text := f.text()
		if utf8.RuneCountInString(text) <= limit {
			return withNotes(text, append([]string{fmt.Sprintf("shortened: the full answer has %d characters, the limit is %d; these are %s, %s in all; %s", length, limit, f.what, total, more)}, notes...))
		}
	}
	return withNotes(fmt.Sprintf("The answer has %d characters, the limit is %d: nothing is shown of %s; %s", length, limit, total, more), notes)
}

func withNotes(text string, notes []string) string {
	for _, n := range notes {
		text += "\n" + n
	}
	return text
}

// RenderText is the classic tools' text: an overview groups names by kind, a search lists what it found.
func (c LspSymbolCollection) RenderText(policy sdk.Policy) string {
	if _, search := policy["include_body"]; search {
		return shortest(policy, c.Notes, count(len(c.Symbols), "symbol"), "ask for less (without bodies, depth or info, or in one file), or raise max_answer_chars",
			form{text: func() string { return jsonText(c.list()) }},
			form{"the name paths by file", func() string { return c.namePaths().JSON() }})
	}
	return shortest(policy, c.Notes, count(len(c.Symbols), "top-level symbol"), "find_symbol shows one of them, max_answer_chars raises the limit",
		form{text: func() string { return grouped(c.Symbols, "", true).JSON() }},
		form{"the names at the top level", func() string { return grouped(c.Symbols, "", false).JSON() }},
		form{"the numbers of symbols by kind", func() string { return c.byKind().JSON() }})
}

// RenderText is one entry of a search's text.
func (s LanguageServerSymbol) RenderText(sdk.Policy) string { return s.entry().JSON() }

func (c LspSymbolCollection) list() []any {
	list := make([]any, len(c.Symbols))
	for i, s := range c.Symbols {
		list[i] = s.entry()
	}
	return list
}

func (s LanguageServerSymbol) entry() *ordered {
	e := newOrdered().set("name_path", s.NamePath).set("kind", s.KindName).set("relative_path", s.RelativePath).
		set("body_location", newOrdered().set("start_line", s.StartLine).set("end_line", s.EndLine))
	if s.Body != nil {
		e.set("body", *s.Body)
	}
	if s.Info != nil {
		e.set("info", *s.Info)
	}
	if len(s.Children) > 0 {
		e.set("children", grouped(s.Children, s.NamePath+"/", true))
	}
	return e
}

// grouped lists names by kind; a symbol with children is an object with its name for key. What is below parent is called by the rest of
// its name path, so that overloads, and methods of a type in another file, can be told apart.
func grouped(list []LanguageServerSymbol, parent string, deep bool) *ordered {
	out := newOrdered()
	for _, s := range list {
		name := strings.TrimPrefix(s.NamePath, parent)
		if deep && len(s.Children) > 0 {
			out.append(s.KindName, newOrdered().set(name, grouped(s.Children, s.NamePath+"/", deep)))
		} else {
			out.append(s.KindName, name)
		}
	}
	return out
}

func (c LspSymbolCollection) namePaths() *ordered {
	out := newOrdered()
	for _, s := range c.Symbols {
		out.append(s.RelativePath, s.NamePath)
	}
	return out
}

func (c LspSymbolCollection) byKind() *ordered {
	out := newOrdered()
	for _, s := range c.Symbols {
		out.add(s.KindName, 1)
	}
	return out
}

// RenderText is the classic tool's text.
func (c LspReferenceCollection) RenderText(policy sdk.Policy) string {
	return shortest(policy, c.Notes, count(len(c.References), "reference"), "include_kinds narrows the answer, max_answer_chars raises the limit",
		form{text: func() string { return jsonText(c.list(true)) }},
		form{"the references without their surroundings", func() string { return jsonText(c.list(false)) }},
		form{"the numbers of references by file", func() string { return c.byFile().JSON() }})
}

// RenderText is one entry of the collection's text.
func (r ReferenceInLanguageServerSymbol) RenderText(sdk.Policy) string { return r.entry(true).JSON() }

func (c LspReferenceCollection) list(content bool) []any {
	list := make([]any, len(c.References))
	for i, r := range c.References {
		list[i] = r.entry(content)
	}
	return list
}

func (r ReferenceInLanguageServerSymbol) entry(content bool) *ordered {
	e := newOrdered().set("name_path", r.Symbol.NamePath).set("kind", r.Symbol.KindName).set("relative_path", r.RelativePath).set("line", r.Line)
	if content {
		e.set("content_around_reference", r.numbered())
	}
	return e
}

// numbered is the content with its line numbers, the reference's own line marked.
func (r ReferenceInLanguageServerSymbol) numbered() string {
	lines := strings.Split(r.Content, "\n")
	first := max(0, r.Line-1)
	for i, text := range lines {
		mark := "..."
		if first+i == r.Line {
			mark = "  >"
		}
		lines[i] = fmt.Sprintf("%s%4d:%s", mark, first+i, text)
	}
	return strings.Join(lines, "\n")
}

func (c LspReferenceCollection) byFile() *ordered {
	out := newOrdered()
	for _, r := range c.References {
		out.add(r.RelativePath, 1)
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

var (
	_ sdk.Renderer = LspSymbolCollection{}
	_ sdk.Renderer = LanguageServerSymbol{}
	_ sdk.Renderer = LspReferenceCollection{}
	_ sdk.Renderer = ReferenceInLanguageServerSymbol{}
)
