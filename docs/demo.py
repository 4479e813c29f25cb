# The cell of `make demo`: a symbol of this repository, and who references it.
found = s.lsp.find_symbol("Dispatcher/Call", relative_path="host/api")
references = s.lsp.find_referencing_symbols(found[0].name_path, found[0].relative_path)
for symbol in found:
    print(f"{symbol.kind_name} {symbol.name_path}  {symbol.relative_path}:{symbol.start_line}-{symbol.end_line}")
print(f"is referenced {len(references)} times:")
for r in references:
    print(f"  {r.relative_path}:{r.line}  in {r.symbol.name_path}")
