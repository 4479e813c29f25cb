package languages

import (
	"path"
	"slices"
	"strings"
)

// Files that several rows share.
const (
	clangFiles  = ".c .h .c++ .cc .cp .cpp .cxx .hh .hpp .hxx .inl .ipp .tpp .txx .m .mm .hip .ino"
	scriptFiles = ".ts .js .tsx .jsx .mts .mjs .mtsx .mjsx .cts .cjs .ctsx .cjsx"
	pythonFiles = ".py .pyi"
	phpFiles    = ".php .phtml"
)

func ends(list string) []string { return strings.Fields(list) }

// table is sorted by key.
var table = []Language{
	{Key: "ada", Files: ends(".ads .adb .ada"), AnyCase: true, Priority: ordinary},
	{Key: "al", Files: ends(".al .dal"), Priority: ordinary},
	{Key: "angular", Files: ends(".html .htm .ts .tsx .mts .cts .mtsx .ctsx"), Experimental: true, Document: true},
	{Key: "ansible", Files: ends(".yaml .yml"), Experimental: true, Document: true, path: isAnsible},
	{Key: "bash", Files: ends(".sh .bash"), Priority: ordinary},
	{Key: "bsl", Files: ends(".bsl .os"), Priority: ordinary},
	{Key: "clojure", Files: ends(".clj .cljs .cljc .edn"), Priority: ordinary},
	{Key: "cpp", Files: ends(clangFiles + " .c++m .cppm .cxxm .ixx .cu .cl .clcpp"), AnyCase: true, Priority: ordinary},
	{Key: "cpp_ccls", Files: ends(clangFiles), AnyCase: true, Experimental: true},
	{Key: "crystal", Files: ends(".cr"), Priority: ordinary},
	{Key: "csharp", Files: ends(".cs"), Priority: ordinary},
	{Key: "csharp_omnisharp", Files: ends(".cs"), Experimental: true},
	{Key: "cue", Files: ends(".cue"), Priority: ordinary},
	{Key: "dart", Files: ends(".dart"), Priority: ordinary},
	{Key: "deno", Files: ends(scriptFiles), Experimental: true},
	{Key: "elixir", Files: ends(".ex .exs"), Not: []string{"mix.exs"}, Priority: ordinary},
	{Key: "elm", Files: ends(".elm"), Priority: ordinary},
	{Key: "erlang", Files: ends(".erl .hrl .escript .config .app .app.src"), Priority: ordinary, Doubtful: ends(".config .app")},
	{Key: "fortran", Files: ends(".f90 .f95 .f03 .f08 .f .for .fpp"), AnyCase: true, Priority: ordinary},
	{Key: "fsharp", Files: ends(".fs .fsx .fsi"), Priority: ordinary},
	{Key: "gdscript", Files: ends(".gd .gdscript"), Priority: ordinary},
	{Key: "gleam", Files: ends(".gleam"), Priority: ordinary},
	{Key: "go", Files: ends(".go"), Priority: ordinary},
	{Key: "groovy", Files: ends(".groovy .gvy"), Experimental: true},
	{Key: "haskell", Files: ends(".hs .lhs"), Priority: ordinary},
	{Key: "haxe", Files: ends(".hx"), Priority: ordinary},
	{Key: "hlsl", Files: ends(".hlsl .hlsli .fx .fxh .cginc .compute .shader .glsl .vert .frag .geom .tesc .tese .comp .wgsl"), Priority: ordinary, Doubtful: ends(".compute .comp")},
	{Key: "html", Files: ends(".html .htm"), Experimental: true, Document: true},
	{Key: "java", Files: ends(".java"), Priority: ordinary},
	{Key: "json", Files: ends(".json .jsonc"), Experimental: true, Document: true},
	{Key: "julia", Files: ends(".jl"), Priority: ordinary},
	{Key: "kotlin", Files: ends(".kt .kts"), Priority: ordinary},
	{Key: "latex", Files: ends(".tex .bib .sty .cls"), Experimental: true, Document: true},
	{Key: "lean4", Files: ends(".lean"), Priority: ordinary},
	{Key: "lua", Files: ends(".lua"), Priority: ordinary},
	{Key: "luau", Files: ends(".luau"), Priority: ordinary},
	{Key: "markdown", Files: ends(".md .markdown"), Experimental: true, Document: true},
	{Key: "matlab", Files: ends(".m .mlx .mlapp"), Priority: ordinary},
	{Key: "msl", Files: ends(".mrc"), Priority: ordinary},
	{Key: "nextflow", Files: ends(".nf"), Priority: ordinary},
	{Key: "nix", Files: ends(".nix"), Priority: ordinary},
	{Key: "ocaml", Files: ends(".ml .mli .re .rei"), Priority: ordinary},
	{Key: "pascal", Files: ends(".pas .pp .lpr .dpr .dpk .inc"), Priority: ordinary, Doubtful: ends(".inc")},
	{Key: "perl", Files: ends(".pl .pm .t"), Priority: ordinary},
	{Key: "php", Files: ends(phpFiles), Priority: ordinary},
	{Key: "php_phpactor", Files: ends(phpFiles), Experimental: true},
	{Key: "php_phpantom", Files: ends(phpFiles), Experimental: true},
	{Key: "powershell", Files: ends(".ps1 .psm1 .psd1"), Priority: ordinary},
	{Key: "python", Files: ends(pythonFiles), Priority: ordinary},
	{Key: "python_basedpyright", Files: ends(pythonFiles), Experimental: true},
	{Key: "python_jedi", Files: ends(pythonFiles), Experimental: true},
	{Key: "python_pyrefly", Files: ends(pythonFiles), Experimental: true},
	{Key: "python_ty", Files: ends(pythonFiles), Experimental: true},
	{Key: "qml", Files: ends(".qml"), Priority: ordinary},
	{Key: "r", Files: ends(".R .r .Rmd .Rnw"), Priority: ordinary},
	{Key: "rego", Files: ends(".rego"), Priority: ordinary},
	{Key: "ruby", Files: ends(".rb .erb"), Priority: ordinary},
	{Key: "ruby_solargraph", Files: ends(".rb"), Experimental: true},
	{Key: "rust", Files: ends(".rs"), Priority: ordinary},
	{Key: "scala", Files: ends(".scala .sbt"), Priority: ordinary},
	{Key: "scss", Files: ends(".scss .sass .css"), Experimental: true, Document: true},
	{Key: "solidity", Files: ends(".sol"), Experimental: true},
	{Key: "svelte", Files: ends(".svelte .ts .js .mts .mjs .cts .cjs"), Priority: supersetOfOthers},
	{Key: "swift", Files: ends(".swift"), Priority: ordinary},
	{Key: "systemverilog", Files: ends(".sv .svh .v .vh"), Priority: ordinary},
	{Key: "terraform", Files: ends(".tf .tfvars .tfstate"), Priority: ordinary, Doubtful: ends(".tfstate")},
	{Key: "toml", Files: ends(".toml"), Experimental: true, Document: true},
	{Key: "typescript", Files: ends(scriptFiles), Priority: ordinary},
	{Key: "typescript_vts", Files: ends(scriptFiles), Experimental: true},
	{Key: "vue", Files: ends(".vue " + scriptFiles), Priority: supersetOfOthers},
	{Key: "wolfram", Files: ends(".wl .wls"), Priority: ordinary},
	{Key: "yaml", Files: ends(".yaml .yml"), Experimental: true, Document: true},
	{Key: "zig", Files: ends(".zig .zon"), Priority: ordinary},
}

// ansibleFolders and ansibleNames are where YAML is Ansible's: a folder of the path, or how a name begins.
var (
	ansibleFolders = []string{"roles", "playbooks", "tasks", "handlers", "group_vars", "host_vars", "inventory", "inventories", "defaults", "vars", "meta"}
	ansibleNames   = []string{"site.yml", "site.yaml", "requirements.yml", "requirements.yaml"}
)

func isAnsible(rel string) bool {
	name := path.Base(rel)
	if slices.Contains(ansibleNames, name) || strings.HasPrefix(name, "playbook") {
		return true
	}
	return slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), func(folder string) bool { return slices.Contains(ansibleFolders, folder) })
}
