package fs

import (
	"context"
	"fmt"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/sdk"
)

type readFileParams struct {
	RelativePath   string          `json:"relative_path" doc:"file, relative to the project root"`
	StartLine      int             `json:"start_line" default:"0" doc:"first line, 0-based; negative: counted from the end"`
	EndLine        *int            `json:"end_line" default:"None" doc:"last line, 0-based, inclusive; negative: counted from the end; None: to the end"`
	MaxAnswerChars sdk.AnswerLimit `json:"max_answer_chars"`
}

// FileContent is a file's text, or that of a range of its lines.
type FileContent struct {
	Lines    []string `json:"lines" items:"true" doc:"the lines, without their endings"`
	Text     string   `json:"text" whole:"true" doc:"the same as one text with the file's own line endings, without a byte order mark"`
	Complete bool     `json:"complete" doc:"False if not all lines that were asked for are here: see notes"`
	Notes    []string `json:"notes"`
}

// TypeDoc documents the type for `info`.
func (FileContent) TypeDoc() string {
	return "A text file, or a range of its lines. Shown as its text."
}

// RenderText is the text, or a notice if it is too long.
func (c FileContent) RenderText(policy sdk.Policy) string {
	text := withNotes(c.Text, c.Notes)
	if limit := answerLimit(policy); !within(text, limit) {
		return withNotes(tooLong(text, limit)+fmt.Sprintf(" It has %d lines: read a part of them with start_line and end_line, search the file, or pass a larger max_answer_chars.", len(c.Lines)), c.Notes)
	}
	return text
}

func readFile(_ context.Context, call *sdk.Call, p readFileParams) (FileContent, error) {
	project, err := call.Project()
	if err != nil {
		return FileContent{}, err
	}
	if err := checkLimit(p.MaxAnswerChars); err != nil {
		return FileContent{}, err
	}
	file, err := readText(project, p.RelativePath)
	if err != nil {
		return FileContent{}, err
	}
	index := lines.New(file.text.Text)
	first, end, err := lineRange(index, p.StartLine, p.EndLine)
	if err != nil {
		return FileContent{}, sdk.Errorf(sdk.KindValue, "%s: %w", file.path.Rel, err)
	}
	if err := file.checkDecoded(index, index.Start(first), index.Start(end)); err != nil {
		return FileContent{}, err
	}
	return content(index, first, end), nil
}

// lineRange turns a range as callers give it into the lines [first, end).
func lineRange(index *lines.Index, start int, last *int) (first, end int, err error) {
	count := index.Count()
	if first = start; first < 0 {
		first = max(0, count+start)
	}
	if first > 0 && first >= count {
		return 0, 0, &lines.RangeError{Line: start, Lines: count, Width: -1}
	}
	end = count
	if last != nil {
		if end = *last + 1; *last < 0 {
			end += count
		}
		end = min(end, count)
		if end <= first && count > 0 {
			return 0, 0, fmt.Errorf("end_line %d lies before start_line %d: both are inclusive, so one line has the same number twice", *last, start)
		}
	}
	return first, max(first, end), nil
}

// content takes the lines [first, end) as far as they fit.
func content(index *lines.Index, first, end int) FileContent {
	c := FileContent{Lines: make([]string, 0, end-first), Complete: true, Notes: []string{}}
	size, line := 0, first
	for ; line < end; line++ {
		text := index.Full(line)
		if size += 2 * jsonSize(text); size > maxValueBytes {
			c.Complete = false
			c.Notes = append(c.Notes, fmt.Sprintf("only the first %d of %d lines fit here; go on with start_line=%d", line-first, end-first, line))
			break
		}
		c.Lines = append(c.Lines, index.Line(line))
	}
	c.Text = index.Text()[index.Start(first):index.Start(line)]
	return c
}
