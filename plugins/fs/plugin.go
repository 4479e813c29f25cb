// Package fs is the plugin that serves the facade fs, a project's files as units, and the text methods of the facade edit.
//
// It reads files itself and writes through the host alone. It holds no state: every call looks at the files as they are.
package fs

import (
	_ "embed"

	"github.com/serena-go/serena/sdk"
)

var (
	//go:embed docs/read_file.md
	readFileDoc string
	//go:embed docs/create_text_file.md
	createTextFileDoc string
	//go:embed docs/list_dir.md
	listDirDoc string
	//go:embed docs/find_file.md
	findFileDoc string
	//go:embed docs/search_for_pattern.md
	searchDoc string
	//go:embed docs/replace_content.md
	replaceContentDoc string
	//go:embed docs/replace_in_files.md
	replaceInFilesDoc string
	//go:embed docs/delete_lines.md
	deleteLinesDoc string
	//go:embed docs/replace_lines.md
	replaceLinesDoc string
	//go:embed docs/insert_at_line.md
	insertAtLineDoc string
)

// New returns the plugin.
func New() sdk.Plugin {
	return sdk.Plugin{Name: "fs", Facades: []sdk.Facade{
		{
			Name:    "fs",
			Summary: "the project's files and folders as units",
			Methods: []sdk.Method{
				sdk.NewMethod("read_file", readFile, readFileDoc, sdk.Tool("read_file"),
					sdk.Example(`fs.read_file("README.md")`),
					sdk.Example(`fs.read_file("README.md", start_line=0, end_line=9)`)),
				sdk.NewMethod("create_text_file", createTextFile, createTextFileDoc, sdk.Tool("create_text_file"), sdk.CanEdit(),
					sdk.Example(`fs.create_text_file("docs/notes.md", "# Notes\n")`)),
				sdk.NewMethod("list_dir", listDir, listDirDoc, sdk.Tool("list_dir"),
					sdk.Example(`fs.list_dir("src", recursive=True)`)),
				sdk.NewMethod("find_file", findFile, findFileDoc, sdk.Tool("find_file"),
					sdk.Example(`fs.find_file("*.go", "src")`)),
				sdk.NewMethod("search_for_pattern", searchForPattern, searchDoc, sdk.Tool("search_for_pattern"),
					sdk.Example(`fs.search_for_pattern("TODO.*release", paths_include_glob="**/*.go")`)),
			},
		},
		{
			Name:    "edit",
			Summary: "content inside existing files",
			Methods: []sdk.Method{
				sdk.NewMethod("replace_content", replaceContent, replaceContentDoc, sdk.Tool("replace_content"), sdk.CanEdit(),
					sdk.Example(`edit.replace_content("src/main.go", "retries = 3", "retries = 5", "literal")`),
					sdk.Example(`edit.replace_content("src/main.go", "(timeout) = \\d+", "$!1 = 60", "regex")`)),
				sdk.NewMethod("replace_in_files", replaceInFiles, replaceInFilesDoc, sdk.Tool("replace_in_files"), sdk.CanEdit(),
					sdk.Example(`edit.replace_in_files("oldName", "newName", "literal", relative_path="src", dry_run=True)`),
					sdk.Example(`edit.replace_in_files("oldName", "newName", "literal", relative_path="src", expected_count=2)`)),
				sdk.NewMethod("delete_lines", deleteLines, deleteLinesDoc, sdk.Tool("delete_lines"), sdk.CanEdit(), sdk.Optional(),
					sdk.Example(`edit.delete_lines("README.md", 2, 3)`)),
				sdk.NewMethod("replace_lines", replaceLines, replaceLinesDoc, sdk.Tool("replace_lines"), sdk.CanEdit(), sdk.Optional(),
					sdk.Example(`edit.replace_lines("README.md", 0, 0, "# Title\n")`)),
				sdk.NewMethod("insert_at_line", insertAtLine, insertAtLineDoc, sdk.Tool("insert_at_line"), sdk.CanEdit(), sdk.Optional(),
					sdk.Example(`edit.insert_at_line("README.md", 1, "A line.\n")`)),
			},
		},
	}}
}
