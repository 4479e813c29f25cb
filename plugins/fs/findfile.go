package fs

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/serena-go/serena/internal/glob"
	"github.com/serena-go/serena/internal/nearest"
	"github.com/serena-go/serena/sdk"
)

type findFileParams struct {
	FileMask     string `json:"file_mask" doc:"name, or glob for names, such as *_test.go; with a \"/\" in it, glob for whole paths"`
	RelativePath string `json:"relative_path" doc:"folder to look in, at all levels; relative to the project root, \".\" is the root"`
}

// FileMatches is the files that a mask fits.
type FileMatches struct {
	Files    []string `json:"files" items:"true" doc:"by path, relative to the project root"`
	Complete bool     `json:"complete" doc:"False if there are more files than could be kept, or folders that could not be looked at: see notes"`
	Notes    []string `json:"notes" doc:"why nothing was found, and what was left out"`
}

// TypeDoc documents the type for `info`.
func (FileMatches) TypeDoc() string {
	return "The files that a mask fits. Shown as JSON."
}

// RenderText is the files as JSON, or a notice if that is too long.
func (m FileMatches) RenderText(policy sdk.Policy) string {
	var out strings.Builder
	out.WriteString(`{"files": `)
	quoteList(&out, m.Files)
	quoteNotes(&out, m.Notes)
	out.WriteString("}")
	text := out.String()
	if limit := policy.Int("max_answer_chars", usualAnswerChars); !within(text, limit) {
		return withNotes(tooLong(text, limit)+fmt.Sprintf(" There are %s: look in one of the folders, or use a narrower mask.", counted(len(m.Files), "file", "files")), m.Notes)
	}
	return text
}

func findFile(ctx context.Context, call *sdk.Call, p findFileParams) (FileMatches, error) {
	project, err := call.Project()
	if err != nil {
		return FileMatches{}, err
	}
	mask, err := newFileMask(p)
	if err != nil {
		return FileMatches{}, err
	}
	at, info, err := stat(project, p.RelativePath)
	if err != nil {
		return FileMatches{}, err
	}
	if !info.IsDir() {
		return FileMatches{}, sdk.Errorf(sdk.KindNotADirectory, "%q is a file: name the folder to look in, %q for example", at.Rel, path.Dir(at.Rel))
	}
	mask.base = at.Rel
	m := FileMatches{Files: []string{}, Complete: true, Notes: []string{}}
	size, left := 0, 0
	met, err := walk(ctx, project, at, walkOptions{under: mask.under()}, func(f found) error {
		switch fits := mask.fits(f.rel); {
		case !fits:
			mask.missed(f)
		case f.folder:
			mask.folders = append(mask.folders, f.rel)
		default:
			if size += jsonSize(f.rel); size > maxValueBytes {
				left++
				return nil
			}
			m.Files = append(m.Files, f.rel)
		}
		return nil
	})
	if err != nil {
		return FileMatches{}, err
	}
	m.Complete = left == 0 && len(met.problems) == 0
	if left > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d more files do not fit here: look in the folders one by one", left))
	}
	if len(m.Files) == 0 {
		m.Notes = append(m.Notes, mask.whyNothing())
	}
	m.Notes = append(m.Notes, met.notes()...)
	return m, nil
}

// fileMask tells which files are meant, and remembers what nearly was.
type fileMask struct {
	text    string
	glob    *glob.Glob
	whole   bool   // the mask is for paths, from the project's root or from base
	base    string // the folder to look in
	files   int    // that did not fit
	near    nearNames
	folders []string // that do fit
}

func newFileMask(p findFileParams) (*fileMask, error) {
	if p.FileMask == "" {
		return nil, sdk.Errorf(sdk.KindValue, "file_mask is empty: give a file's name, or a glob for names such as *.go")
	}
	compiled, err := glob.Compile(p.FileMask)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindValue, "file_mask: %w", err)
	}
	return &fileMask{text: p.FileMask, glob: compiled, whole: strings.Contains(p.FileMask, "/"), near: nearNames{}}, nil
}

func (m *fileMask) fits(rel string) bool {
	if !m.whole {
		return m.glob.Match(path.Base(rel))
	}
	if m.glob.Match(rel) {
		return true
	}
	below, ok := strings.CutPrefix(rel, m.base+"/")
	return ok && m.glob.Match(below)
}

// under is the folders that a walk must look into.
func (m *fileMask) under() []string {
	if !m.whole {
		return nil
	}
	return []string{m.glob.PrefixDir(), path.Join(m.base, m.glob.PrefixDir())}
}

func (m *fileMask) missed(f found) {
	if f.folder {
		return
	}
	m.files++
	m.near.add(path.Base(f.rel))
}

func (m *fileMask) whyNothing() string {
	if len(m.folders) > 0 {
		return fmt.Sprintf("no file fits, but folders do: %s; list_dir tells what they hold", named(m.folders))
	}
	if m.files == 0 {
		return fmt.Sprintf("there is no file in %q that the mask could fit", m.base)
	}
	what := "names"
	if m.whole {
		what = "paths"
	}
	text := fmt.Sprintf("%q fits none of the %s of %s in %q; upper and lower case differ", m.text, what, counted(m.files, "file", "files"), m.base)
	if best, ok := nearest.Best(path.Base(m.text), m.near.list()); ok {
		text += fmt.Sprintf("; did you mean %q?", best)
	}
	return text
}

// nearNames is the different names of files, as many as are worth comparing.
type nearNames map[string]bool

const mostCompared = 20_000

func (n nearNames) add(name string) {
	if len(n) < mostCompared {
		n[name] = true
	}
}

func (n nearNames) list() []string {
	return slices.Sorted(maps.Keys(n))
}
