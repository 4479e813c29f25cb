package fs

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/glob"
	"github.com/serena-go/serena/internal/languages"
	"github.com/serena-go/serena/sdk"
)

// selection chooses the files of a search, and remembers which filter left how many.
type selection struct {
	project *sdk.Project
	params  searchParams
	base    contain.Path
	isFile  bool // base is no folder
	regular bool // base is a regular file
	filters []*filter
	under   []string // the deepest folder of all that the include glob can fit

	toInclude string // how to have what git ignores, too

	met    int // files before any filter
	walked walkReport
}

// filter is one of the conditions that a file must fulfil.
type filter struct {
	what string // parameter and value
	hint string // why it may leave nothing
	fits func(rel string) bool
	left int // files that it left
}

func newSelection(project *sdk.Project, p searchParams, toInclude string) (*selection, error) {
	at, info, err := stat(project, p.RelativePath)
	if err != nil {
		return nil, err
	}
	s := &selection{project: project, params: p, base: at, isFile: !info.IsDir(), regular: info.Mode().IsRegular(), toInclude: toInclude}
	for _, g := range []struct {
		name, pattern string
		keep          bool
	}{{"paths_include_glob", p.Include, true}, {"paths_exclude_glob", p.Exclude, false}} {
		if g.pattern == "" {
			continue
		}
		compiled, err := glob.Compile(g.pattern)
		if err != nil {
			return nil, sdk.Errorf(sdk.KindValue, "%s: %w", g.name, err)
		}
		f := &filter{what: fmt.Sprintf("%s %q", g.name, g.pattern), fits: func(rel string) bool { return compiled.Match(rel) == g.keep }}
		if g.keep {
			s.under = []string{compiled.PrefixDir()}
		}
		if g.keep && !strings.Contains(g.pattern, "/") && !strings.HasPrefix(g.pattern, "**") {
			f.hint = fmt.Sprintf("; a glob describes the whole path from the project root, so that all folders' files are %q", "**/"+g.pattern)
		}
		s.filters = append(s.filters, f)
	}
	if p.CodeFilesOnly {
		settings, err := project.DecodeSettings()
		if err != nil {
			return nil, sdk.Errorf(sdk.KindRuntime, "the project's settings cannot be read: %w", err)
		}
		s.filters = append(s.filters, &filter{what: "restrict_search_to_code_files", fits: languages.Code(settings.Languages)})
	}
	return s, nil
}

// each gives the chosen files in order of their paths.
func (s *selection) each(ctx context.Context, visit func(found) error) error {
	if s.isFile {
		return s.offer(found{rel: s.base.Rel, real: s.base.Real, regular: s.regular}, visit)
	}
	var err error
	s.walked, err = walk(ctx, s.project, s.base, walkOptions{skipGitIgnored: s.params.SkipIgnored, under: s.under}, func(f found) error {
		if f.folder || f.hidden {
			return nil
		}
		return s.offer(f, visit)
	})
	return err
}

func (s *selection) offer(f found, visit func(found) error) error {
	s.met++
	for _, filter := range s.filters {
		if !filter.fits(f.rel) {
			return nil
		}
		filter.left++
	}
	return visit(f)
}

// notes is what the walk has to say.
func (s *selection) notes() []string { return s.walked.notes() }

// whyNothing explains an empty answer: the first filter that left no file, or that nothing matched.
func (s *selection) whyNothing(searched int) string {
	ignored := ""
	if s.params.SkipIgnored && !s.isFile && s.walked.ignored {
		ignored = "; what git ignores was left out, " + s.toInclude
	}
	hidden := s.walked.hidden
	if include := s.params.Include; include != "" && hidden != nil && (hidden(s.under[0], true) || hidden(path.Clean(include), false)) {
		ignored = "; what the setting ignored_paths names, and what lies in .git, is taken only where relative_path names it"
	}
	if s.met == 0 {
		return fmt.Sprintf("nothing was searched: there is no file in %q%s", s.base.Rel, ignored)
	}
	before := s.met
	for i, f := range s.filters {
		if f.left == 0 {
			of := "none of the " + counted(before, "file", "files")
			if i == 0 && len(s.under) > 0 && s.under[0] != "." { // other folders were not entered
				of = "no file"
			}
			return fmt.Sprintf("nothing was searched: %s leaves %s in %q%s%s", f.what, of, s.base.Rel, f.hint, ignored)
		}
		before = f.left
	}
	if searched == 0 {
		return fmt.Sprintf("nothing was searched: no file of %d is text that can be searched%s", before, ignored)
	}
	return fmt.Sprintf("nothing matches in the %s searched%s", counted(searched, "file", "files"), ignored)
}
