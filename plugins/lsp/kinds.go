package lsp

import (
	"slices"

	"github.com/serena-go/serena/plugins/lsp/symbols"
	"github.com/serena-go/serena/sdk"
)

// SymbolKind is the protocol's kind of a symbol.
type SymbolKind int

// EnumMembers lists the protocol's kinds.
func (SymbolKind) EnumMembers() []sdk.EnumMember {
	var members []sdk.EnumMember
	for i, name := range symbols.KindNames() {
		members = append(members, sdk.EnumMember{Name: name, Value: i + 1})
	}
	return members
}

// TypeDoc documents the type.
func (SymbolKind) TypeDoc() string {
	return "Kind of a symbol, with the Language Server Protocol's numbers."
}

// kindFilter lets kinds through: those included, or all when none is, less those excluded.
type kindFilter struct{ include, exclude []SymbolKind }

func newKindFilter(include, exclude []SymbolKind) (kindFilter, error) {
	for name, kinds := range map[string][]SymbolKind{"include_kinds": include, "exclude_kinds": exclude} {
		for _, k := range kinds {
			if k < 1 || int(k) > len(symbols.KindNames()) {
				return kindFilter{}, sdk.Errorf(sdk.KindValue, "%s: %d is no symbol kind; they are 1 to %d, see SymbolKind", name, int(k), len(symbols.KindNames()))
			}
		}
	}
	return kindFilter{include: include, exclude: exclude}, nil
}

func (f kindFilter) pass(k symbols.Kind) bool {
	return (len(f.include) == 0 || slices.Contains(f.include, SymbolKind(k))) && !slices.Contains(f.exclude, SymbolKind(k))
}
