package fs

import (
	"path"
	"strings"
)

// extensions are the files that have symbols, by the key of the language server that knows them. A key such as
// "python_jedi" is another server of the language before the "_".
var extensions = map[string]string{
	"ada": ".ads .adb .ada", "al": ".al .dal", "angular": ".html .htm .ts .tsx .mts .cts", "bash": ".sh .bash", "bsl": ".bsl .os",
	"clojure": ".clj .cljs .cljc .edn", "crystal": ".cr", "csharp": ".cs", "cue": ".cue", "dart": ".dart",
	"cpp":  ".c .h .c++ .cc .cp .cpp .cxx .hh .hpp .hxx .inl .ipp .tpp .txx .m .mm .c++m .cppm .cxxm .ixx .cu .hip .cl .clcpp .ino",
	"deno": ".ts .tsx .js .jsx .mts .cts .mjs .cjs", "elixir": ".ex .exs", "elm": ".elm", "erlang": ".erl .hrl .escript",
	"fortran": ".f90 .f95 .f03 .f08 .f .for .fpp", "fsharp": ".fs .fsx .fsi", "gdscript": ".gd .gdscript", "gleam": ".gleam", "go": ".go",
	"groovy": ".groovy .gvy", "haskell": ".hs .lhs", "haxe": ".hx",
	"hlsl": ".hlsl .hlsli .fx .fxh .cginc .compute .shader .glsl .vert .frag .geom .tesc .tese .comp .wgsl",
	"java": ".java", "julia": ".jl", "kotlin": ".kt .kts", "lean4": ".lean", "lua": ".lua", "luau": ".luau", "matlab": ".m .mlx .mlapp",
	"msl": ".mrc", "nextflow": ".nf", "nix": ".nix", "ocaml": ".ml .mli .re .rei", "pascal": ".pas .pp .lpr .dpr .dpk .inc", "perl": ".pl .pm .t",
	"php": ".php .phtml", "powershell": ".ps1 .psm1 .psd1", "python": ".py .pyi", "qml": ".qml", "r": ".r .rmd .rnw", "rego": ".rego",
	"ruby": ".rb .erb", "rust": ".rs", "scala": ".scala .sbt", "solidity": ".sol", "svelte": ".svelte .ts .js .mts .mjs .cts .cjs", "swift": ".swift",
	"systemverilog": ".sv .svh .v .vh", "terraform": ".tf .tfvars", "typescript": ".ts .js .tsx .jsx .mts .cts .mjs .cjs .mtsx .ctsx .mjsx .cjsx",
	"vue": ".vue .ts .js .tsx .jsx .mts .cts .mjs .cjs", "wolfram": ".wl .wls", "zig": ".zig .zon",
}

// documents are files whose symbols are headings, keys or rules: code only where their server is configured.
var documents = map[string]string{
	"ansible": ".yaml .yml", "html": ".html .htm", "json": ".json .jsonc", "latex": ".tex .bib .sty .cls", "markdown": ".md .markdown",
	"scss": ".scss .sass .css", "toml": ".toml", "yaml": ".yaml .yml",
}

// codeFiles tells which paths are code: the configured languages' files or, if none is configured, those of all languages.
func codeFiles(languages []string) func(rel string) bool {
	code := map[string]bool{}
	add := func(list string) {
		for _, e := range strings.Fields(list) {
			code[e] = true
		}
	}
	for _, key := range languages {
		language, _, _ := strings.Cut(key, "_")
		add(extensions[language])
		add(documents[language])
	}
	if len(code) == 0 {
		for _, list := range extensions {
			add(list)
		}
	}
	return func(rel string) bool { return code[strings.ToLower(path.Ext(rel))] }
}
