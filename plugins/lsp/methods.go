package lsp

import (
	_ "embed"

	"github.com/serena-go/serena/sdk"
)

// backend is the name by which projects choose language servers.
const backend = "lsp"

//go:embed docs/get_symbols_overview.md
var overviewDoc string

//go:embed docs/find_symbol.md
var findSymbolDoc string

//go:embed docs/find_referencing_symbols.md
var referencesDoc string

//go:embed docs/replace_symbol_body.md
var replaceBodyDoc string

func (p *plugin) lspFacade() sdk.Facade {
	flags := func(name string, more ...sdk.MethodOption) []sdk.MethodOption {
		return append([]sdk.MethodOption{sdk.Tool(name), sdk.UsesProjectServer(), sdk.Backend(backend)}, more...)
	}
	hidden := []sdk.MethodOption{sdk.UsesProjectServer(), sdk.Backend(backend)}
	return sdk.Facade{
		Name: "lsp", Summary: "the code's symbols and their relations, through language servers",
		Methods: []sdk.Method{
			sdk.NewMethod("get_symbols_overview", p.getSymbolsOverview, overviewDoc, flags("get_symbols_overview",
				sdk.Example(`lsp.get_symbols_overview("shop/cart.go")`))...),
			sdk.NewMethod("find_symbol", p.findSymbol, findSymbolDoc, flags("find_symbol", sdk.Alias("name_path_pattern", "name_path"),
				sdk.Example(`lsp.find_symbol("Cart/Total", relative_path="shop", include_body=True)`))...),
			sdk.NewMethod("find_referencing_symbols", p.findReferencingSymbols, referencesDoc, flags("find_referencing_symbols",
				sdk.Example(`lsp.find_referencing_symbols("Cart/Total", "shop/cart.go")`))...),
			sdk.NewMethod("symbol_body_", p.symbolBody, symbolBodyDoc, hidden...),
			sdk.NewMethod("symbol_parent_", p.symbolParent, symbolParentDoc, hidden...),
		},
	}
}

func (p *plugin) editFacade() sdk.Facade {
	return sdk.Facade{
		Name: "edit", Guest: true,
		Methods: []sdk.Method{
			sdk.NewMethod("replace_symbol_body", p.replaceSymbolBody, replaceBodyDoc, sdk.Tool("replace_symbol_body"), sdk.Backend(backend), sdk.CanEdit(),
				sdk.Example(`edit.replace_symbol_body("Cart/Total", "shop/cart.go", "func (c Cart) Total() int {\n\treturn 2 * c.price\n}")`)),
		},
	}
}
