package fs

import (
	"context"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/replace"
	"github.com/serena-go/serena/sdk"
)

type deleteLinesParams struct {
	RelativePath string `json:"relative_path" doc:"file, relative to the project root"`
	StartLine    int    `json:"start_line" doc:"first line to delete, 0-based"`
	EndLine      int    `json:"end_line" doc:"last line to delete, 0-based, inclusive"`
}

func deleteLines(ctx context.Context, call *sdk.Call, p deleteLinesParams) (string, error) {
	file, index, err := readLines(call, p.RelativePath)
	if err != nil {
		return "", err
	}
	if err := checkLines(file, index, p.StartLine, p.EndLine); err != nil {
		return "", err
	}
	from, to := index.Start(p.StartLine), index.Start(p.EndLine+1)
	return writeEdits(ctx, call, file, []replace.Edit{{Start: from, End: to}}, "OK")
}

type replaceLinesParams struct {
	RelativePath string `json:"relative_path" doc:"file, relative to the project root"`
	StartLine    int    `json:"start_line" doc:"first line to replace, 0-based"`
	EndLine      int    `json:"end_line" doc:"last line to replace, 0-based, inclusive"`
	Content      string `json:"content" doc:"the new lines, any number of them, with their indentation"`
}

func replaceLines(ctx context.Context, call *sdk.Call, p replaceLinesParams) (string, error) {
	file, index, err := readLines(call, p.RelativePath)
	if err != nil {
		return "", err
	}
	if err := checkLines(file, index, p.StartLine, p.EndLine); err != nil {
		return "", err
	}
	return putLines(ctx, call, file, p.StartLine, p.EndLine+1, p.Content)
}

type insertAtLineParams struct {
	RelativePath string `json:"relative_path" doc:"file, relative to the project root"`
	Line         int    `json:"line" doc:"number that the first new line will have, 0-based; the number of lines in the file appends"`
	Content      string `json:"content" doc:"the new lines, with their indentation"`
}

func insertAtLine(ctx context.Context, call *sdk.Call, p insertAtLineParams) (string, error) {
	file, index, err := readLines(call, p.RelativePath)
	if err != nil {
		return "", err
	}
	if p.Line < 0 {
		return "", negativeLine(file, "line", p.Line)
	}
	if count := index.Count(); p.Line > count {
		return "", sdk.Errorf(sdk.KindValue, "%s: nothing was changed: line %d is beyond the end: the file has %s, and %d appends behind them",
			file.path.Rel, p.Line, counted(count, "line", "lines"), count)
	}
	return putLines(ctx, call, file, p.Line, p.Line, p.Content)
}

func readLines(call *sdk.Call, named string) (*textFile, *lines.Index, error) {
	project, err := call.Project()
	if err != nil {
		return nil, nil, err
	}
	file, err := readText(project, named)
	if err != nil {
		return nil, nil, err
	}
	return file, lines.New(file.text.Text), nil
}

// checkLines refuses a range that is not one of existing lines: an edit that guesses what was meant destroys text.
func checkLines(f *textFile, index *lines.Index, start, end int) error {
	switch count := index.Count(); {
	case start < 0:
		return negativeLine(f, "start_line", start)
	case end < 0:
		return negativeLine(f, "end_line", end)
	case end < start:
		return sdk.Errorf(sdk.KindValue, "%s: nothing was changed: end_line %d lies before start_line %d: both are inclusive, so one line has the same number twice",
			f.path.Rel, end, start)
	case end >= count:
		line := end
		if start >= count {
			line = start
		}
		return sdk.Errorf(sdk.KindValue, "%s: nothing was changed: %w; read the file again to see its present lines", f.path.Rel,
			&lines.RangeError{Line: line, Lines: count, Width: -1})
	}
	return nil
}

func negativeLine(f *textFile, param string, n int) error {
	return sdk.Errorf(sdk.KindValue, "%s: nothing was changed: %s cannot be negative here, but is %d: count lines from the start, the first is 0", f.path.Rel, param, n)
}

func putLines(ctx context.Context, call *sdk.Call, f *textFile, first, end int, content string) (string, error) {
	var edits []replace.Edit
	if edit, changes := replace.Lines(f.text.Text, first, end, content); changes {
		edits = append(edits, edit)
	}
	return writeEdits(ctx, call, f, edits, "OK")
}
