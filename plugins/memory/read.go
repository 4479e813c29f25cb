package memory

import (
	"context"

	"github.com/serena-go/serena/sdk"
)

type nameParams struct {
	MemoryName string `json:"memory_name" doc:"name, such as auth/login or global/conventions"`
}

func readMemory(ctx context.Context, call *sdk.Call, p nameParams) (string, error) {
	s, err := open(call)
	if err != nil {
		return "", err
	}
	name, err := s.readable(ctx, p.MemoryName)
	if err != nil {
		return "", err
	}
	m, err := s.read(ctx, name)
	if err != nil {
		return "", err
	}
	if bad := m.text.Invalid(0, len(m.text.Text)); bad != nil {
		return "", sdk.Errorf(sdk.KindUnicode, "the memory %q cannot be read: %w; save the file %s as UTF-8", name, bad, s.change(name))
	}
	return m.text.Text, nil
}
