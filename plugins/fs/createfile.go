package fs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/serena-go/serena/internal/contain"
	"github.com/serena-go/serena/internal/lines"
	"github.com/serena-go/serena/internal/textenc"
	"github.com/serena-go/serena/sdk"
)

type createTextFileParams struct {
	RelativePath string `json:"relative_path" doc:"file, relative to the project root; folders that are missing are made"`
	Content      string `json:"content" doc:"the whole text of the file"`
}

func createTextFile(ctx context.Context, call *sdk.Call, p createTextFileParams) (string, error) {
	project, err := call.Project()
	if err != nil {
		return "", err
	}
	at, old, err := toCreate(project, p.RelativePath)
	if err != nil {
		return "", err
	}
	form, err := formOf(project, old)
	if err != nil {
		return "", err
	}
	content, err := form.write(at.Rel, p.Content)
	if err != nil {
		return "", err
	}
	base, done := sdk.Absent, "OK (created "+at.Rel+")"
	if old != nil {
		base, done = sdk.BaseOf(old), "OK (overwrote "+at.Rel+")"
	}
	if old != nil && string(content) == string(old) {
		return "OK (nothing changed: the file has this content already)", nil
	}
	if _, err := call.WriteFiles(ctx, sdk.WriteFile(at.Rel, base, content)); err != nil {
		return "", err
	}
	return done, nil
}

// toCreate checks where a file is to be written; old is what is there, nil for nothing.
func toCreate(project *sdk.Project, named string) (at contain.Path, old []byte, err error) {
	if at, err = resolve(project, named); err != nil {
		return at, nil, err
	}
	info, err := os.Stat(at.Real)
	switch {
	case errors.Is(err, fs.ErrNotExist) && endsInSeparator(named):
		return at, nil, sdk.Errorf(sdk.KindIsADirectory, "%q names a folder: name the file to create; its folders are made with it", named)
	case errors.Is(err, fs.ErrNotExist):
		return at, nil, nil
	case err != nil:
		return at, nil, fileError(at.Rel, err)
	case info.IsDir():
		return at, nil, sdk.Errorf(sdk.KindIsADirectory, "%q is a folder: name a file in it", at.Rel)
	case !info.Mode().IsRegular():
		return at, nil, sdk.Errorf(sdk.KindValue, "%q is no regular file (%s) and cannot be written as text", at.Rel, info.Mode().Type())
	case info.Size() > maxFileBytes:
		return at, nil, sdk.Errorf(sdk.KindValue, "%q has %d bytes, more than the %d that can be replaced: delete it first if that is meant", at.Rel, info.Size(), maxFileBytes)
	}
	if old, err = readRegular(at.Real, info.Size()); err != nil {
		return at, nil, fileError(at.Rel, err)
	}
	return at, old, nil
}

func endsInSeparator(path string) bool {
	return path != "" && os.IsPathSeparator(path[len(path)-1])
}

// fileForm is how a text is written to a file as a whole.
type fileForm struct {
	mark     []byte // byte order mark
	encoding textenc.Encoding
	ending   string // of lines
}

// formOf keeps the form of what is overwritten: its byte order mark with the encoding that this says, and its line endings if
// they are all the same. Otherwise the project's settings decide. old is nil for a new file.
func formOf(project *sdk.Project, old []byte) (fileForm, error) {
	enc, err := encodingOf(project)
	if err != nil {
		return fileForm{}, err
	}
	settings, err := project.DecodeSettings()
	if err != nil {
		return fileForm{}, sdk.Errorf(sdk.KindRuntime, "the project's settings cannot be read: %w", err)
	}
	form := fileForm{encoding: enc, ending: "\n"}
	if settings.LineEnding == "crlf" {
		form.ending = "\r\n"
	}
	text, err := textenc.DecodeAround(enc, old)
	if old == nil || err != nil {
		form.mark = textenc.NewMark(enc)
		return form, nil
	}
	form.encoding, form.mark = text.Encoding(), old[:text.ToFile(0)]
	if used, ok := lines.OneEnding(text.Text); ok {
		form.ending = used
	}
	return form, nil
}

// write gives the bytes of a text. Line endings that are spelled out as CR or CRLF stay as they are.
func (f fileForm) write(rel, text string) ([]byte, error) {
	if len(f.mark) > 0 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	if !strings.Contains(text, "\r") {
		text = lines.WithEnding(text, f.ending)
	}
	body, err := f.encoding.Encode(text)
	if err != nil {
		return nil, unencodable(rel, text, err)
	}
	return append(f.mark[:len(f.mark):len(f.mark)], body...), nil
}
