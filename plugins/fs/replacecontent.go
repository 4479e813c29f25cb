package fs

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/internal/replace"
	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
)

type replaceContentParams struct {
	RelativePath  string       `json:"relative_path" doc:"file, relative to the project root"`
	Needle        string       `json:"needle" doc:"text or regular expression to find"`
	Repl          string       `json:"repl" doc:"replacement, taken as it is but for $!1, $!2, … in mode \"regex\""`
	Mode          replace.Mode `json:"mode" doc:"how the needle is meant"`
	AllowMultiple bool         `json:"allow_multiple_occurrences" default:"False" doc:"replace every match rather than refuse more than one"`
}

func replaceContent(ctx context.Context, call *sdk.Call, p replaceContentParams) (string, error) {
	project, err := call.Project()
	if err != nil {
		return "", err
	}
	at, err := resolve(project, p.RelativePath)
	if err != nil {
		return "", err
	}
	release, err := turnsOf(project).take(ctx, at.Real)
	if err != nil {
		return "", err
	}
	defer release()
	file, err := readText(project, p.RelativePath)
	if err != nil {
		return "", err
	}
	plan, err := replace.Make(ctx, file.text.Text, replace.Request{
		Needle: p.Needle, Repl: p.Repl, Regex: p.Mode == replace.Regex, AllowMultiple: p.AllowMultiple,
	})
	if err != nil {
		return "", replaceError(file.path.Rel, err)
	}
	done := "OK"
	if plan.Count > 1 {
		done = fmt.Sprintf("OK (%d occurrences replaced)", plan.Count)
	}
	return writeEdits(ctx, call, file, plan.Edits, done)
}

// writeEdits writes edits of one file's text and answers done, or that nothing changes.
func writeEdits(ctx context.Context, call *sdk.Call, file *textFile, edits []replace.Edit, done string) (string, error) {
	bytes, err := file.bytes(edits)
	if err != nil {
		return "", err
	}
	if len(bytes) == 0 {
		return "OK (nothing changed: the text already reads as the replacement)", nil
	}
	if _, err := call.WriteFiles(ctx, sdk.EditFile(file.path.Rel, sdk.BaseOf(file.data), bytes...)); err != nil {
		return "", err
	}
	return done, nil
}

// bytes turns edits of the text into edits of the file.
func (f *textFile) bytes(edits []replace.Edit) ([]sdk.ByteEdit, error) {
	var all []sdk.ByteEdit
	bad := f.text.Invalid(0, len(f.text.Text))
	for _, e := range edits {
		if bad != nil && !isASCII(e.Text) {
			return nil, sdk.Errorf(sdk.KindUnicode, "%s: nothing was changed: the file is not %s throughout (%w), so a replacement that is not ASCII would mix two encodings; "+
				"if the project's files have another encoding, set it as encoding in the project's settings", f.path.Rel, bad.Encoding, bad)
		}
		text, err := f.text.Encode(e.Text)
		if err != nil {
			return nil, unencodable(f.path.Rel, e.Text, err)
		}
		all = append(all, sdk.ByteEdit{Start: f.text.ToFile(e.Start), End: f.text.ToFile(e.End), Text: text})
	}
	return all, nil
}

// unencodable refuses a text that is to be written to a file whose encoding does not have all of its characters.
func unencodable(rel, text string, err error) error {
	var lacking *textenc.EncodeError
	if !errors.As(err, &lacking) {
		return err
	}
	at := lines.New(text).PosAt(lacking.Offset)
	return sdk.Errorf(sdk.KindUnicode, "%s: nothing was changed: the file is written in %s, and %w, which stands on line %d, column %d of the new text; "+
		"write it another way, as an escape for example", rel, lacking.Encoding, err, at.Line, at.Col)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// replaceError gives a refusal its kind; rel is the file.
func replaceError(rel string, err error) error {
	if errors.Is(err, pyregex.ErrTimeout) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return patternError(rel, err)
	}
	return sdk.Errorf(sdk.KindValue, "%s: %w", rel, err)
}
