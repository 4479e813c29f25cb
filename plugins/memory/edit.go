package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/serena-go/serena/internal/pyregex"
	"github.com/serena-go/serena/internal/replace"
	"github.com/serena-go/serena/sdk"
)

type editMemoryParams struct {
	MemoryName    string       `json:"memory_name" doc:"name, such as auth/login or global/conventions"`
	Needle        string       `json:"needle" doc:"text or regular expression to find"`
	Repl          string       `json:"repl" doc:"replacement, taken as it is but for $!1, $!2, … in mode \"regex\""`
	Mode          replace.Mode `json:"mode" doc:"how the needle is meant"`
	AllowMultiple bool         `json:"allow_multiple_occurrences" default:"False" doc:"replace every match rather than refuse more than one"`
}

func editMemory(ctx context.Context, call *sdk.Call, p editMemoryParams) (string, error) {
	s, err := open(call)
	if err != nil {
		return "", err
	}
	name, err := s.writable(ctx, p.MemoryName)
	if err != nil {
		return "", err
	}
	m, err := s.read(ctx, name)
	if err != nil {
		return "", err
	}
	plan, err := replace.Make(ctx, m.text.Text, replace.Request{
		Needle: p.Needle, Repl: p.Repl, Regex: p.Mode == replace.Regex, AllowMultiple: p.AllowMultiple,
	})
	if err != nil {
		return "", replaceError(name, err)
	}
	if len(plan.Edits) == 0 {
		return "OK (nothing changed: the text already reads as the replacement)", nil
	}
	edits, err := m.bytes(plan.Edits)
	if err != nil {
		return "", err
	}
	_, err = call.WriteFiles(ctx, sdk.EditFile(s.change(name), m.base(), edits...))
	if plan.Count > 1 {
		return answer(fmt.Sprintf("OK (%d occurrences replaced)", plan.Count), err)
	}
	return answer("OK", err)
}

// bytes turns edits of the text into edits of the file.
func (m *memory) bytes(edits []replace.Edit) ([]sdk.ByteEdit, error) {
	all := make([]sdk.ByteEdit, len(edits))
	for i, e := range edits {
		text, err := m.text.Encode(e.Text)
		if err != nil {
			return nil, sdk.Errorf(sdk.KindUnicode, "the memory %q: nothing was changed: %w", m.name, err)
		}
		all[i] = sdk.ByteEdit{Start: m.text.ToFile(e.Start), End: m.text.ToFile(e.End), Text: text}
	}
	return all, nil
}

// replaceError gives a refusal its kind.
func replaceError(name string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, pyregex.ErrTimeout):
		return sdk.Errorf(sdk.KindTimeout, "the memory %q: %w", name, err)
	}
	return sdk.Errorf(sdk.KindValue, "the memory %q: %w", name, err)
}
