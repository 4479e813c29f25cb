package fs

import (
	"context"
	"errors"
	"fmt"

	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/sdk"
)

type searchParams struct {
	Pattern        string          `json:"substring_pattern" doc:"regular expression in the syntax of Python's re"`
	Before         int             `json:"context_lines_before" default:"0" doc:"lines shown before each match"`
	After          int             `json:"context_lines_after" default:"0" doc:"lines shown after each match"`
	Include        string          `json:"paths_include_glob" default:"''" doc:"only files whose path from the project root fits, such as src/**/*.ts"`
	Exclude        string          `json:"paths_exclude_glob" default:"''" doc:"no files whose path fits, whatever the include glob says"`
	RelativePath   string          `json:"relative_path" default:"''" doc:"folder or file to search, relative to the project root"`
	CodeFilesOnly  bool            `json:"restrict_search_to_code_files" default:"False" doc:"only files of programming languages, by their extension"`
	SkipIgnored    bool            `json:"skip_ignored_files" default:"True" doc:"leave out what git ignores"`
	Multiline      bool            `json:"multiline" default:"True" doc:"run over whole files with DOTALL and MULTILINE; else over each line"`
	MaxAnswerChars sdk.AnswerLimit `json:"max_answer_chars"`
}

func searchForPattern(ctx context.Context, call *sdk.Call, p searchParams) (PatternMatches, error) {
	project, err := call.Project()
	if err != nil {
		return PatternMatches{}, err
	}
	scan, err := newScanner(project, p)
	if err != nil {
		return PatternMatches{}, err
	}
	choice, err := newSelection(project, p, "skip_ignored_files=False searches it too")
	if err != nil {
		return PatternMatches{}, err
	}
	run := &searchRun{scan: scan, progress: call.Progress}
	err = run.over(ctx, choice)
	if errors.Is(err, context.DeadlineExceeded) {
		return PatternMatches{}, sdk.Errorf(sdk.KindTimeout, "the search did not end in time: narrow it by relative_path or a glob, or use a pattern without nested quantifiers")
	}
	if err != nil {
		return PatternMatches{}, err
	}
	return run.result(choice), nil
}

func newScanner(project *sdk.Project, p searchParams) (*scanner, error) {
	if err := checkLimit(p.MaxAnswerChars); err != nil {
		return nil, err
	}
	if p.Pattern == "" {
		return nil, sdk.Errorf(sdk.KindValue, "substring_pattern is empty and would match every line: give a regular expression")
	}
	if p.Before < 0 || p.After < 0 {
		return nil, sdk.Errorf(sdk.KindValue, "context_lines_before and context_lines_after are numbers of lines and cannot be negative")
	}
	enc, err := encodingOf(project)
	if err != nil {
		return nil, err
	}
	flags := pyregex.Flags(0)
	if p.Multiline {
		flags = pyregex.DotAll | pyregex.Multiline
	}
	re, err := pyregex.Compile(p.Pattern, flags)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindValue, "substring_pattern: %w", err)
	}
	return &scanner{finder: re.Finder(!p.Multiline), encoding: enc, before: p.Before, after: p.After, heavy: make(chan struct{}, 1)}, nil
}

// patternError gives an error of matching its kind; rel is the file.
func patternError(rel string, err error) error {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, pyregex.ErrTimeout):
		return sdk.Errorf(sdk.KindTimeout, "%s: %w", rel, err)
	}
	return sdk.Errorf(sdk.KindValue, "%s: %w", rel, err)
}

// mostNamed bounds the files that a note names.
const mostNamed = 5

// named lists files for a note.
func named(files []string) string {
	text := ""
	for i, f := range files {
		if i == mostNamed {
			return text + fmt.Sprintf(" and %d more", len(files)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += f
	}
	return text
}
