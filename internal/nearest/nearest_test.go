package nearest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/serena-go/serena/internal/nearest"
)

var methods = []string{
	"get_symbols_overview", "find_symbol", "find_referencing_symbols", "find_implementations", "find_declaration",
	"rename_symbol", "safe_delete_symbol", "replace_content", "replace_in_files", "replace_symbol_body", "delete_lines",
	"replace_lines", "insert_at_line", "insert_after_symbol", "insert_before_symbol", "read_file", "create_text_file",
	"list_dir", "find_file", "search_for_pattern", "list_memories", "read_memory", "write_memory", "undo", "history",
}

var params = []string{"relative_path", "name_path", "include_body", "depth", "max_answer_chars", "start_line", "end_line", "needle", "repl", "mode"}

func TestBest_finds_what_was_meant(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		from []string
		want string
	}{
		"find_symbols":            {methods, "find_symbol"},
		"findSymbol":              {methods, "find_symbol"},
		"FindSymbol":              {methods, "find_symbol"},
		"find-symbol":             {methods, "find_symbol"},
		"fnid_symbol":             {methods, "find_symbol"},
		"find_smybol":             {methods, "find_symbol"},
		"symbol_find":             {methods, "find_symbol"},
		"find_references":         {methods, "find_referencing_symbols"},
		"find_referencing_symbol": {methods, "find_referencing_symbols"},
		"get_symbol_overview":     {methods, "get_symbols_overview"},
		"symbols_overview":        {methods, "get_symbols_overview"},
		"overview":                {methods, "get_symbols_overview"},
		"search_pattern":          {methods, "search_for_pattern"},
		"search":                  {methods, "search_for_pattern"},
		"readFile":                {methods, "read_file"},
		"read_files":              {methods, "read_file"},
		"list_memory":             {methods, "list_memories"},
		"create_file":             {methods, "create_text_file"},
		"listdir":                 {methods, "list_dir"},
		"undo_":                   {methods, "undo"},
		"implementation":          {methods, "find_implementations"},
		"replace_body":            {methods, "replace_symbol_body"},
		"path":                    {params, "name_path"},
		"relativePath":            {params, "relative_path"},
		"rel_path":                {params, "relative_path"},
		"relpath":                 {params, "relative_path"},
		"replacement":             {params, "repl"},
		"nedle":                   {params, "needle"},
		"max_chars":               {params, "max_answer_chars"},
		"depht":                   {params, "depth"},
		"JSONFile":                {[]string{"yaml_file", "json_file"}, "json_file"},
		"lps":                     {[]string{"edit", "lsp", "fs"}, "lsp"},
		"sf":                      {[]string{"edit", "lsp", "fs"}, "fs"},
		"fs":                      {[]string{"edit", "lsp", "fs"}, "fs"},
		"LSP":                     {[]string{"edit", "lsp", "fs"}, "lsp"},
		"classes":                 {[]string{"class", "clause"}, "class"},
		"Größe":                   {[]string{"große", "größe"}, "größe"},
	} {
		if got, ok := nearest.Best(name, tc.from); !ok || got != tc.want {
			t.Errorf("%q: got %q, %v; want %q", name, got, ok, tc.want)
		}
	}
}

func TestBest_keeps_silent_about_nonsense(t *testing.T) {
	t.Parallel()
	for name, from := range map[string][]string{
		"zzz":        methods,
		"frobnicate": methods,
		"x":          methods,
		"":           methods,
		"___":        methods,
		"git_commit": methods,
		"shell":      params,
		"qqqqqqq":    params,
		"symbol":     nil,
		"ab":         {"xy", "q"},
	} {
		if got, ok := nearest.Best(name, from); ok {
			t.Errorf("%q: got %q, want nothing", name, got)
		}
	}
}

func TestSorted(t *testing.T) {
	t.Parallel()
	if got := nearest.Sorted("ab", []string{"abd", "abc"}, -1); !slices.Equal(got, []string{"abd", "abc"}) {
		t.Errorf("equally near ones: got %q, want the order given", got)
	}
	lines := []string{"replace_lines", "delete_lines", "insert_at_line", "delete_lines", "undo"}
	for name, tc := range map[string]struct {
		name string
		n    int
		want []string
	}{
		"nearest first":      {"replace_line", 2, []string{"replace_lines"}},
		"limit of one":       {"delete_line", 1, []string{"delete_lines"}},
		"limit of none":      {"delete_line", 0, nil},
		"itself first, once": {"delete_lines", -1, []string{"delete_lines", "replace_lines"}},
		"by length":          {"line", -1, []string{"delete_lines", "replace_lines", "insert_at_line"}},
		"nothing near":       {"quux", -1, nil},
	} {
		if got := nearest.Sorted(tc.name, lines, tc.n); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestALongNameHasNoNearest(t *testing.T) {
	t.Parallel()
	if got := nearest.Sorted(strings.Repeat("a", 4097), []string{"a", strings.Repeat("a", 4096)}, -1); got != nil {
		t.Errorf("%d candidates", len(got))
	}
}
