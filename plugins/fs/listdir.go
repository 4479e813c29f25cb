package fs

import (
	"context"
	"fmt"
	"strings"

	"github.com/serena-go/serena/sdk"
)

type listDirParams struct {
	RelativePath     string          `json:"relative_path" doc:"folder, relative to the project root; \".\" is the root"`
	Recursive        bool            `json:"recursive" doc:"also list the folders below, at all levels"`
	SkipIgnoredFiles bool            `json:"skip_ignored_files" default:"False" doc:"leave out what git ignores"`
	MaxAnswerChars   sdk.AnswerLimit `json:"max_answer_chars"`
}

// DirectoryListing is what a folder holds.
type DirectoryListing struct {
	Dirs     []string `json:"dirs" whole:"true" doc:"folders, and links to folders; relative to the project root"`
	Files    []string `json:"files" items:"true" doc:"files, relative to the project root"`
	Complete bool     `json:"complete" doc:"False if there is more than could be listed or looked at: see notes"`
	Notes    []string `json:"notes"`
}

// TypeDoc documents the type for `info`.
func (DirectoryListing) TypeDoc() string {
	return "The folders and files of a folder. Iteration, indexing and length are those of files. Shown as JSON."
}

// RenderText is the listing as JSON, or a notice if it is too long.
func (l DirectoryListing) RenderText(policy sdk.Policy) string {
	var out strings.Builder
	out.WriteString(`{"dirs": `)
	quoteList(&out, l.Dirs)
	out.WriteString(`, "files": `)
	quoteList(&out, l.Files)
	quoteNotes(&out, l.Notes)
	out.WriteString("}")
	text := out.String()
	if limit := answerLimit(policy); !within(text, limit) {
		return withNotes(tooLong(text, limit)+fmt.Sprintf(" There are %s and %s: list one of its folders, list without recursive=True, or pass a larger max_answer_chars.",
			counted(len(l.Dirs), "folder", "folders"), counted(len(l.Files), "file", "files")), l.Notes)
	}
	return text
}

func listDir(ctx context.Context, call *sdk.Call, p listDirParams) (DirectoryListing, error) {
	project, err := call.Project()
	if err != nil {
		return DirectoryListing{}, err
	}
	if err := checkLimit(p.MaxAnswerChars); err != nil {
		return DirectoryListing{}, err
	}
	at, info, err := stat(project, p.RelativePath)
	if err != nil {
		return DirectoryListing{}, err
	}
	if !info.IsDir() {
		return DirectoryListing{}, sdk.Errorf(sdk.KindNotADirectory, "%q is a file: read it with read_file, or list the folder it is in", at.Rel)
	}
	l := DirectoryListing{Dirs: []string{}, Files: []string{}, Complete: true, Notes: []string{}}
	size, left := 0, 0
	met, err := walk(ctx, project, at, walkOptions{skipGitIgnored: p.SkipIgnoredFiles, flat: !p.Recursive}, func(f found) error {
		if size += jsonSize(f.rel); size > maxValueBytes {
			left++
			return nil
		}
		if f.folder {
			l.Dirs = append(l.Dirs, f.rel)
		} else {
			l.Files = append(l.Files, f.rel)
		}
		return nil
	})
	if err != nil {
		return DirectoryListing{}, err
	}
	l.Complete = left == 0 && len(met.problems) == 0
	if left > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("%d more entries do not fit here: list the folders below one by one", left))
	}
	l.Notes = append(l.Notes, met.notes()...)
	return l, nil
}
