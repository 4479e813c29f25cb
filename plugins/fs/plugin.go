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
	//go:embed docs/list_dir.md
	listDirDoc string
	//go:embed docs/search_for_pattern.md
	searchDoc string
	//go:embed docs/replace_content.md
	replaceContentDoc string
	//go:embed docs/replace_in_files.md
	replaceInFilesDoc string
)

// New returns the plugin.
func New() sdk.Plugin {
	return sdk.Plugin{Name: "fs", Facades: []sdk.Facade{
		{
			Name:    "fs",
			Summary: "the project's files and folders as units",
			Methods: []sdk.Method{
				sdk.NewMethod("read_file", readFile, readFileDoc, sdk.Tool("read_file")),
				sdk.NewMethod("list_dir", listDir, listDirDoc, sdk.Tool("list_dir")),
				sdk.NewMethod("search_for_pattern", searchForPattern, searchDoc, sdk.Tool("search_for_pattern")),
			},
		},
		{
			Name:    "edit",
			Summary: "content inside existing files",
			Methods: []sdk.Method{
				sdk.NewMethod("replace_content", replaceContent, replaceContentDoc, sdk.Tool("replace_content"), sdk.CanEdit()),
				sdk.NewMethod("replace_in_files", replaceInFiles, replaceInFilesDoc, sdk.Tool("replace_in_files"), sdk.CanEdit()),
			},
		},
	}}
}
