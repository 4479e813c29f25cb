package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/serena-go/serena/sdk"
)

type writeMemoryParams struct {
	MemoryName string          `json:"memory_name" doc:"name, such as auth/login or global/conventions"`
	Content    string          `json:"content" doc:"the whole text, in Markdown"`
	MaxChars   sdk.AnswerLimit `json:"max_chars" doc:"longest text in characters, a longer one is refused; -1: the configured limit of answers"`
}

func writeMemory(ctx context.Context, call *sdk.Call, p writeMemoryParams) (string, error) {
	s, err := open(call)
	if err != nil {
		return "", err
	}
	name, err := s.writable(ctx, p.MemoryName)
	if err != nil {
		return "", err
	}
	if p.MaxChars <= 0 {
		return "", sdk.Errorf(sdk.KindValue, "max_chars must be positive, or -1 for the configured limit, not %d", p.MaxChars)
	}
	if n := utf8.RuneCountInString(p.Content); n > int(p.MaxChars) {
		return "", sdk.Errorf(sdk.KindValue, "the text has %d characters, more than the %d allowed: shorten it, split it into several memories, or pass a larger max_chars", n, p.MaxChars)
	}
	old, err := s.load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = call.WriteFiles(ctx, sdk.WriteFile(s.change(name), sdk.Absent, []byte(p.Content)))
		return answer("OK", err)
	case err != nil:
		return "", err
	}
	_, err = call.WriteFiles(ctx, sdk.WriteFile(s.change(name), old.base(), []byte(p.Content)))
	return answer(fmt.Sprintf("OK (replaced the previous text of %d characters)", utf8.RuneCountInString(old.text.Text)), err)
}

// answer is the text unless there is an error.
func answer(text string, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return text, nil
}
