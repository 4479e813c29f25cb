package memory

import (
	"context"

	"github.com/serena-go/serena/sdk"
)

func deleteMemory(ctx context.Context, call *sdk.Call, p nameParams) (string, error) {
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
	_, err = call.WriteFiles(ctx, sdk.DeleteFile(s.change(name), m.base()))
	return answer("OK", err)
}
